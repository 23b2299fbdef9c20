import type {
  AttemptRef,
  ExecutorRow,
  FinishResult,
  LeaseRef,
  LossTerms,
  RenewResult,
  SettleResult,
  StartResult,
  TaskVerdict,
} from "../../src/store/mod.ts";
import type { Machine } from "./machine.ts";
import type { Rows } from "./rows.ts";
import type { Call, Leases } from "./rules.ts";

/** What answers are judged by. */
export interface AnswerGround {
  /** The database, as it is. */
  readonly rows: Rows;
  /** The database's clock. */
  now(): number;
  /** Whether an executor is dead. */
  isDead(owner: string): boolean;
  /** Whether the cancellation of a run was requested in its round. */
  isCancelled(runId: string): boolean;
  /** Told of every broken promise. */
  onBreach(promise: string): void;
}

const NO_LEASES: Leases = new Map();
/** What is asked for under a lease. */
const UNDER_LEASE: readonly Call["name"][] = ["renew", "startTask", "settleTask", "finishRun"];

/** Judges what callers are answered, by what the rows held before and hold now. */
export class Answers {
  readonly #ground: AnswerGround;
  readonly #gone = new Map<string, readonly string[]>();

  /** Nobody was answered. */
  constructor(ground: AnswerGround) {
    this.#ground = ground;
  }

  /** What has to be known before a call. */
  before({ name, args: [asked] }: Call): Leases {
    if (!UNDER_LEASE.includes(name)) return NO_LEASES;
    const refs = name === "renew" ? asked as LeaseRef[] : [asked as LeaseRef];
    return new Map(refs.map((ref) => [ref.runId, this.#ground.rows.leaseOf(ref)]));
  }

  /** Judges an answer. */
  judge(machine: Machine, { name, args }: Call, before: Leases, answer: unknown): void {
    switch (name) {
      case "executors":
        return this.#noteGone(machine, answer as ExecutorRow[]);
      case "reap":
      case "recover":
        return this.#judgeGone(machine, args.at(-1) as LossTerms);
      case "renew":
        return this.#judgeRenewals(before, answer as RenewResult);
      case "startTask":
        return this.#judgeStart(args as [LeaseRef, string], before, answer as StartResult);
      case "settleTask": {
        const asked = args as [LeaseRef, AttemptRef, TaskVerdict];
        return this.#judgeSettled(asked, answer as SettleResult);
      }
      case "finishRun": {
        const { kind } = answer as FinishResult;
        return this.#judgeRefusal(args[0] as LeaseRef, before, kind);
      }
    }
  }

  /** Who was dead already when the executors were read: the judgement that follows must know. */
  #noteGone(machine: Machine, executors: readonly ExecutorRow[]): void {
    const dead = executors.filter(({ owner, endedAt }) =>
      endedAt === null && this.#ground.isDead(owner)
    );
    this.#gone.set(machine.name, dead.map(({ owner }) => owner));
  }

  #judgeGone(machine: Machine, { gone }: LossTerms): void {
    const missed = this.#gone.get(machine.name)?.find((owner) => !gone.includes(owner));
    if (missed !== undefined) this.#breach(`Who is dead is called gone (G9): ${missed}`);
    const alive = gone.find((owner) => !this.#ground.isDead(owner));
    if (alive !== undefined) this.#breach(`Who is alive is not called gone (G9): ${alive}`);
  }

  #judgeRenewals(before: Leases, { renewed, at }: RenewResult): void {
    for (const { runId, token } of renewed) {
      if ((before.get(runId) ?? -Infinity) > at) continue;
      this.#breach(`What has expired is never renewed (G7): ${runId}#${token}`);
    }
  }

  #judgeStart([ref, taskId]: [LeaseRef, string], held: Leases, answer: StartResult): void {
    const { runId } = ref;
    if (answer.kind === "refused") return this.#judgeRefusal(ref, held, answer.why);
    if (answer.pass === 1) return;
    const before = `${runId}/${taskId}.${answer.pass - 1}.`;
    if (answer.input?.path.startsWith(before) === true) return;
    this.#breach(`A pass reads what the pass before has settled (G5): ${before}`);
  }

  #judgeSettled(
    [{ runId, owner, token }, { taskId, pass, attempt }, verdict]: [
      LeaseRef,
      AttemptRef,
      TaskVerdict,
    ],
    answer: SettleResult,
  ): void {
    const row = this.#ground.rows.attempt(runId, taskId, pass, attempt);
    const isOwn = row?.state === verdict.kind && row.owner === owner && row.token === token;
    const name = `${runId}/${taskId}.${pass}.${attempt}`;
    if (answer.kind === "settled" && !isOwn) {
      this.#breach(`A settlement that is taken is the caller's own (G7): ${name}`);
    }
    if (answer.kind === "stale" && isOwn) {
      this.#breach(`A settlement whose answer was lost is answered again: ${name}`);
    }
  }

  /** A refusal is true. */
  #judgeRefusal({ runId, token }: LeaseRef, held: Leases, why: string): void {
    const { now, isCancelled } = this.#ground;
    const isHeld = (held.get(runId) ?? -Infinity) > now();
    const isWrong = why === "stale" ? isHeld : why === "cancelled" && !isCancelled(runId);
    if (isWrong) this.#breach(`Nobody is called ${why} who is not: ${runId}#${token}`);
  }

  #breach(promise: string): void {
    this.#ground.onBreach(promise);
  }
}
