import type {
  AttemptRef,
  ExecutorRow,
  LeaseRef,
  LossTerms,
  RenewResult,
  SettleResult,
  StartResult,
  TaskVerdict,
} from "../../src/store/mod.ts";
import type { Machine } from "./machine.ts";
import type { Rows } from "./rows.ts";
import type { Call } from "./rules.ts";

/** What answers are judged by. */
export interface AnswerGround {
  /** The database, as it is. */
  readonly rows: Rows;
  /** Whether an executor is dead. */
  isDead(owner: string): boolean;
  /** Told of every broken promise. */
  onBreach(promise: string): void;
}

/** When the claims of a batch end, by their runs; what is not held has ended long ago. */
export type Leases = ReadonlyMap<string, number>;

const NO_LEASES: Leases = new Map();

/** Judges what callers are answered, by what the rows held before and hold now. */
export class Answers {
  readonly #ground: AnswerGround;
  readonly #gone = new Map<string, readonly string[]>();

  /** Nobody was answered. */
  constructor(ground: AnswerGround) {
    this.#ground = ground;
  }

  /** What has to be known before a call. */
  before({ name, args }: Call): Leases {
    if (name !== "renew") return NO_LEASES;
    const refs = args[0] as LeaseRef[];
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
        return this.#judgeStart(args as [LeaseRef, string], answer as StartResult);
      case "settleTask": {
        const asked = args as [LeaseRef, AttemptRef, TaskVerdict];
        return this.#judgeSettled(asked, answer as SettleResult);
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

  #judgeStart([{ runId }, taskId]: [LeaseRef, string], answer: StartResult): void {
    if (answer.kind !== "started" || answer.pass === 1) return;
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

  #breach(promise: string): void {
    this.#ground.onBreach(promise);
  }
}
