import {
  type Block,
  type Lease,
  type Outcome,
  type RunStatus,
  SkeinError,
  type Task,
} from "../../model/mod.ts";
import { graphOf } from "../../manifest/graph.ts";
import type { ClaimedRun, SettleResult, StartResult, TaskVerdict } from "../../store/mod.ts";
import { Attempt, type AttemptGround } from "../attempt.ts";
import type { Ending, RunContext } from "../executor.ts";
import { LiveAttempts } from "../live_attempts.ts";
import { OVER } from "../over.ts";
import { checkedOutcome, outcomeOfEnding, outcomeOfError } from "../outcomes.ts";
import { Scheduler } from "../scheduler.ts";
import type { Turns } from "../turns.ts";
import type { HeldClaim } from "./held_claims.ts";
import type { EngineSettings } from "./options.ts";
import { askPatiently } from "./patience.ts";
import type { QueueStage } from "./queue_stage.ts";
import { startTask } from "./starting.ts";
import { QUEUE_CAUSES, type QueueCause, verdictOfSuccess, verdictOfTry } from "./task_verdict.ts";

/** What the tasks of a claimed run are executed on. */
export interface QueueGround {
  /** The run. */
  readonly claimed: ClaimedRun;
  /** The claim. */
  readonly claim: HeldClaim;
  /** The engine's. */
  readonly settings: EngineSettings;
  /** Where it takes place. */
  readonly stage: QueueStage;
  /** The run, as the executor sees it. */
  readonly context: RunContext;
  /** Whose turn it is. */
  readonly turns: Turns;
  /** Gives the claim up. */
  readonly lose: () => void;
  /** Says in the store that a write was refused and its result discarded. */
  readonly note: (why: "stale" | "stopped", message: string, lease: Lease | null) => void;
}

type Started = Extract<StartResult, { kind: "started" }>;
type Settled = Extract<SettleResult, { kind: "settled" }>;
type TaskEnd = Exclude<Settled["state"], "pending">;

/** What an executor is told. */
const ENDINGS: Readonly<Record<QueueCause, Exclude<Ending["cause"], "timeout">>> = {
  "drain": "cancel",
  "run-timeout": "run-timeout",
  "operator": "cancel",
  "failed": "run-failed",
  "lost": "stop",
  "stop": "stop",
};

/**
 * Executes the tasks of a claimed run as they become ready: each slot takes one after another. A start and a verdict are
 * a transaction each, and the process is strictly between them.
 */
export class QueueLoop {
  readonly #ground: QueueGround;
  readonly #scheduler: Scheduler;
  readonly #live: LiveAttempts;
  readonly #kill = new AbortController();
  readonly #resting = new AbortController();
  readonly #over = new AbortController();
  readonly #stopped = Promise.withResolvers<null>();
  readonly #attemptGround: AttemptGround;
  #cause: QueueCause | null = null;
  #hasLeft = false;
  #error: unknown = null;
  #finish: () => void = () => {};

  /** Makes the loop; nothing starts yet. */
  constructor(ground: QueueGround) {
    const { claimed, settings, stage, context } = ground;
    const { manifest, tasks } = claimed;
    this.#ground = ground;
    const workers = settings.workers ?? manifest.workers;
    this.#scheduler = new Scheduler(
      graphOf(manifest.tasks),
      workers > 0 ? workers : Math.max(1, navigator.hardwareConcurrency),
      tasks.map(({ state }) => endOf(state)),
    );
    this.#live = new LiveAttempts(settings.clock, settings.graceMs, settings.clock);
    this.#attemptGround = { stage, context, kill: this.#kill.signal };
    for (const { id, state, output } of tasks) {
      if (state === "succeeded") stage.publish(id, output);
    }
  }

  /** Why it ends early, `null` where it does not. */
  get cause(): QueueCause | null {
    return this.#cause;
  }

  /** Whether an attempt was left to the next claim, whatever has come up since. */
  get hasLeft(): boolean {
    return this.#hasLeft;
  }

  /** What failed it, `null` where nothing has. */
  get error(): unknown {
    return this.#error;
  }

  /** Aborts when nothing more may be asked of the store: because of a stop, or of a claim that was lost. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /**
   * Executes until nothing runs and nothing more can start.
   *
   * @param leftMs what is left of the run's time.
   */
  async run(leftMs: number): Promise<void> {
    if (leftMs <= 0) this.halt("run-timeout");
    else this.#live.limitRun(leftMs, () => this.end("run-timeout", this.#ground.settings.graceMs));
    await new Promise<void>((resolve) => {
      this.#finish = resolve;
      this.#admit();
      this.#rest();
    });
    this.#live.close();
  }

  /** Admits nothing more; what runs goes on. A graver cause overrides. */
  halt(cause: QueueCause): void {
    const gravity = (one: QueueCause | null) => one === null ? -1 : QUEUE_CAUSES.indexOf(one);
    if (gravity(cause) > gravity(this.#cause)) this.#cause = cause;
    this.#scheduler.halt();
    this.#resting.abort(OVER);
    if (cause === "stop" || cause === "lost") this.#over.abort(OVER);
    if (cause === "stop") this.#stopped.resolve(null);
  }

  /** Ends it: nothing more is admitted, and what runs is ended. */
  end(cause: QueueCause, graceMs: number): void {
    this.halt(cause);
    this.#live.endAll({ cause: ENDINGS[cause], graceMs });
    if (graceMs <= 0 || this.#kill.signal.aborted) this.killNow();
    this.#rest();
  }

  /** It cannot go on. */
  fail(error: unknown): void {
    this.#error ??= error;
    this.end("failed", 0);
  }

  /** Ends the grace of whatever is ending. */
  killNow(): void {
    this.#kill.abort(OVER);
    this.#live.abandonAll();
  }

  #admit(): void {
    for (let task = this.#scheduler.next(); task >= 0; task = this.#scheduler.next()) {
      void this.#slot(task);
    }
  }

  #rest(): void {
    if (this.#scheduler.running === 0) this.#finish();
  }

  async #slot(first: number): Promise<void> {
    const slot = this.#live.takeSlot();
    for (let task = first; task >= 0;) {
      let end: TaskEnd | null = null;
      try {
        end = await this.#task(task, slot);
      } catch (error) {
        this.fail(error);
      }
      // Where it has no end it goes on under another claim, and nothing more is admitted here.
      this.#scheduler.settle(task, end ?? "stopped", () => {});
      task = this.#scheduler.next();
      this.#admit();
    }
    this.#live.freeSlot(slot);
    this.#rest();
  }

  /** One attempt after another, until the task has ended; `null` where it has not, and the run ends. */
  async #task(index: number, slot: number): Promise<TaskEnd | null> {
    const { claimed, settings, turns } = this.#ground;
    const task = entry(claimed.manifest.tasks, index);
    let waitMs = entry(claimed.tasks, index).availableAt - claimed.at;
    for (;;) {
      while (turns.isOver(settings.clock.mono())) await turns.take();
      if (waitMs > 0) await settings.clock.sleep(waitMs, this.#resting.signal);
      if (this.#cause !== null) return null;
      const started = await this.#start(task);
      if (started === null) return null;
      if (typeof started === "number") {
        waitMs = started;
        continue;
      }
      const settled = await this.#attempt(task, started, slot);
      if (settled === null) return null;
      if (settled.state !== "pending") return settled.state;
      waitMs = (settled.availableAt ?? settled.at) - settled.at;
    }
  }

  /** Starts the next attempt in the store. A number: it is to be asked for again after so many milliseconds. */
  async #start({ id }: Task): Promise<Started | number | null> {
    const { claim: { ref }, settings } = this.#ground;
    const { store, clock, pollIntervalMs, graceMs } = settings;
    const result = await this.ask("start a task", (again) => startTask(store, ref, id, again));
    if (result === null || result.kind === "started") return result;
    switch (result.why) {
      case "deferred":
        return Math.min(pollIntervalMs, Math.max(1, (result.availableAt ?? 0) - clock.wall()));
      case "cancelled":
        this.end("operator", graceMs);
        return null;
      case "stale":
      case "stopped":
        this.#refused(result.why);
        this.#ground.note(result.why, `Task "${id}" was not started`, null);
        return null;
      default:
        throw impossible(`start task "${id}" of run "${ref.runId}"`, result.why);
    }
  }

  /** Executes an attempt that was started, and settles it. */
  async #attempt(task: Task, started: Started, slot: number): Promise<Settled | null> {
    const { claimed, settings, stage } = this.#ground;
    const block = blockOf(claimed.manifest.blocks, task);
    const { pass, attempt, at } = started;
    const { epoch, ref: { runId, token } } = claimed;
    const { sequence } = started;
    const issuedAt = new Date(at).toISOString();
    const lease = { runId, taskId: task.id, pass, attempt, epoch, sequence, issuedAt, token };
    const previous = pass === 1 ? null : stage.previous(task.id, started.input);
    const bound = (task.timeoutMs ?? block.timeoutMs) || settings.timeoutDefaultMs;
    const deadlineAt = settings.clock.mono() + bound;
    const made = new Attempt(this.#attemptGround, lease, task, block, previous);
    const outcome = await this.#perform(made, slot, deadlineAt);
    return await this.#settle(made, outcome);
  }

  /** Runs the process, if the fence and the claim let it. */
  async #perform(attempt: Attempt, slot: number, deadlineAt: number): Promise<Outcome> {
    const { settings: { executor }, stage } = this.#ground;
    if (this.#cause !== null) return ABORTED;
    if (!stage.check(attempt.lease)) {
      this.#unlicensed();
      return ABORTED;
    }
    stage.record(attempt.lease);
    this.#live.begin(slot, attempt, deadlineAt);
    try {
      const pending = executor.execute(attempt);
      if (!(pending instanceof Promise)) return checkedOutcome(pending);
      const ended = executor.abandonable === true ? attempt.orAbandoned(pending) : pending;
      return checkedOutcome(await ended);
    } catch (error) {
      return outcomeOfError(error);
    } finally {
      this.#live.finish(slot);
      attempt.close();
    }
  }

  /** Settles an attempt, unless it was cut short by what leaves it to the next claim. */
  async #settle(attempt: Attempt, outcome: Outcome): Promise<Settled | null> {
    const { claim: { ref }, settings: { store }, stage } = this.#ground;
    const { lease } = attempt;
    const result = attempt.isEnding ? outcomeOfEnding(attempt, outcome) : outcome;
    if (this.#cause === null && !stage.check(lease)) this.#unlicensed();
    const verdict = this.over.aborted ? null : await this.#verdict(attempt, result);
    const settled = verdict === null
      ? null
      : await this.ask("settle a task", () => store.settleTask(ref, lease, verdict));
    if (settled === null) {
      this.#hasLeft = true;
      const asked = verdict === null ? DISCARDED : "Its settlement was not answered in time";
      if (this.#cause === "lost") this.#ground.note("stale", asked, lease);
      return null;
    }
    if (settled.kind === "settled") {
      if (settled.state === "succeeded" && verdict?.kind === "succeeded") {
        stage.publish(lease.taskId, verdict.output);
      }
      return settled;
    }
    this.#refused(settled.kind);
    this.#ground.note(settled.kind, DISCARDED, lease);
    return null;
  }

  async #verdict(attempt: Attempt, outcome: Outcome): Promise<TaskVerdict | null> {
    if (outcome.kind !== "succeeded") return verdictOfTry(outcome, this.#cause);
    const completed = await this.#ground.stage.complete(attempt, outcome.written);
    return verdictOfSuccess(completed, outcome.leftovers ?? 0);
  }

  /** The fence or the claim does not cover it any more. */
  #unlicensed(): void {
    this.#refused(this.#ground.claim.isTrusted ? "stopped" : "stale");
  }

  /** What was refused is over, and everything else of the run with it. */
  #refused(why: "stale" | "stopped"): void {
    if (why === "stopped") this.end("stop", 0);
    else this.#ground.lose();
  }

  /**
   * Asks the store as long as the claim is believed in. A stop waits for no answer: what is asked still is refused by
   * the check inside of its transaction.
   */
  async ask<T>(action: string, ask: (again: boolean) => Promise<T>): Promise<T | null> {
    const { claim, settings } = this.#ground;
    const end = { isWorthIt: () => claim.isTrusted, over: this.over };
    const asked = askPatiently(action, ask, end, settings);
    const answer = await Promise.race([asked, this.#stopped.promise]);
    if (answer === null && !this.over.aborted) this.#ground.lose();
    return answer;
  }
}

const ABORTED: Outcome = { kind: "aborted" };
const DISCARDED = "The result was discarded";

/** How a task has ended, `null` where it has not. */
function endOf(state: ClaimedRun["tasks"][number]["state"]): RunStatus | "skipped" | null {
  return state === "pending" || state === "running" ? null : state;
}

function entry<T>(list: readonly T[], index: number): T {
  const item = list[index];
  if (item === undefined) throw new RangeError(`Cannot read entry ${index} of ${list.length}`);
  return item;
}

function blockOf(blocks: Readonly<Record<string, Block>>, task: Task): Block {
  const block = Object.hasOwn(blocks, task.block) ? blocks[task.block] : undefined;
  if (block !== undefined) return block;
  throw impossible(`run task "${task.id}"`, `block "${task.block}" is not there`);
}

function impossible(action: string, why: string): SkeinError {
  return new SkeinError("internal", `Cannot ${action}: ${why}`, {
    next: "Report it, with the output of `skein fsck`",
  });
}
