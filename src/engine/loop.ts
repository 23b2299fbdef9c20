import type { Clock, Rng } from "../clock/mod.ts";
import type { Graph } from "../manifest/mod.ts";
import {
  type Block,
  isRetryable,
  type Lease,
  type Manifest,
  type Outcome,
  type Task,
} from "../model/mod.ts";
import { messageOf, SkeinError } from "../model/mod.ts";
import { Deadlines } from "./deadlines.ts";
import type { EventLog } from "./events.ts";
import type { Ending, Executor, PassOutput, RunContext } from "./executor.ts";
import { Scheduler } from "./scheduler.ts";
import type { Stage } from "./stage.ts";
import { SUCCEEDED, Tally, type Verdict, verdictOf, verdictOfEnding } from "./tally.ts";

/** Why a run ends before its last task. */
export type EndCause = Exclude<Ending["cause"], "timeout">;

/** What a run consists of. */
export interface Plan {
  /** What runs. */
  readonly manifest: Manifest;
  /** Its graph. */
  readonly graph: Graph;
  /** Tasks at the same time. */
  readonly workers: number;
  /** Whether a failure ends the admission of tasks. */
  readonly failFast: boolean;
  /** Milliseconds between the asking and the killing of a process. */
  readonly graceMs: number;
}

/** What a run stands on. */
export interface Ground {
  /** Where it takes place. */
  readonly stage: Stage;
  /** What runs an attempt. */
  readonly executor: Executor;
  /** The run, as the executor sees it. */
  readonly context: RunContext;
  /** Where its events go. */
  readonly events: EventLog;
  /** Time. */
  readonly clock: Clock;
  /** Chance. */
  readonly rng: Rng;
  /** Called when a task has started or ended. */
  readonly onProgress: (() => void) | null;
}

/** How long passes may follow one another before signals, timers and file watches get their turn. */
const TURN_MS = 10;

/** Runs the tasks of a plan as they become ready. */
export class RunLoop {
  /** What became of each task. */
  readonly tally: Tally;
  readonly #plan: Plan;
  readonly #ground: Ground;
  readonly #scheduler: Scheduler;
  readonly #deadlines: Deadlines;
  readonly #kill = new AbortController();
  readonly #live = new Set<AbortController>();
  readonly #resting = new AbortController();
  #sequence = 0;
  #cause: EndCause | null = null;
  #error: unknown = null;
  #turnEnds: number;
  #turn: Promise<void> | null = null;
  #finish: () => void = () => {};

  /** Makes the loop; nothing starts yet. */
  constructor(plan: Plan, ground: Ground) {
    this.#plan = plan;
    this.#ground = ground;
    this.#scheduler = new Scheduler(plan.graph, plan.workers);
    this.#deadlines = new Deadlines(ground.clock);
    this.tally = new Tally(plan.manifest);
    this.#turnEnds = ground.clock.mono() + TURN_MS;
  }

  /** Why the run is ending early, `null` where it is not. */
  get cause(): EndCause | null {
    return this.#cause;
  }

  /** Tasks that run now. */
  get running(): number {
    return this.#scheduler.running;
  }

  /** Runs every task to its end. */
  async execute(): Promise<void> {
    const { runTimeoutMs } = this.#plan.manifest.limits;
    this.#deadlines.after(runTimeoutMs, () => this.end("run-timeout", this.#plan.graceMs));
    await new Promise<void>((resolve) => {
      this.#finish = resolve;
      this.#admit();
    });
    this.#deadlines.close();
    if (this.#error !== null) throw this.#error;
  }

  /** Ends the run: nothing more is admitted, and what runs is ended. A stop overrides every other cause. */
  end(cause: EndCause, graceMs: number): void {
    if (this.#cause === null || (cause === "stop" && this.#cause !== "stop")) this.#cause = cause;
    this.#scheduler.halt();
    this.#resting.abort();
    for (const controller of this.#live) abort(controller, { cause, graceMs });
    if (graceMs <= 0) this.#kill.abort();
    this.#settleRest();
  }

  /** Ends the grace of whatever is ending; where nothing is, cancels without one. */
  killNow(): void {
    this.end("cancel", 0);
  }

  #admit(): void {
    for (let task = this.#scheduler.next(); task >= 0; task = this.#scheduler.next()) {
      void this.#run(task);
    }
    if (this.#scheduler.running === 0) this.#settleRest();
  }

  /** Where nothing runs and nothing more can start, the rest has ended. */
  #settleRest(): void {
    if (this.#scheduler.running > 0) return;
    const verdict = this.#cause === null ? FAIL_FAST : verdictOfEnding(this.#cause);
    const status = verdict.status === "stopped" ? "stopped" : "cancelled";
    this.#scheduler.endRest(status, (task) => this.#note(task, verdict));
    this.#finish();
  }

  async #run(index: number): Promise<void> {
    const { clock, onProgress } = this.#ground;
    const record = this.tally.of(index);
    record.startedAt = clock.mono();
    onProgress?.();
    let verdict: Verdict;
    try {
      verdict = await this.#passes(index);
    } catch (error) {
      this.#error ??= error;
      verdict = verdictOfEnding("run-failed");
    }
    record.endedAt = clock.mono();
    this.#note(index, verdict);
    this.#scheduler.settle(
      index,
      verdict.status === "skipped" ? "failed" : verdict.status,
      (skipped) => this.#note(skipped, SKIPPED),
    );
    if (this.#error !== null && this.#cause === null) this.end("run-failed", 0);
    if (verdict.status === "failed" && this.#plan.failFast) this.#scheduler.halt();
    this.#admit();
  }

  /** Lets the event loop see signals, timers and file watches, however many passes follow one another. */
  async #takeTurn(): Promise<void> {
    // deno-lint-ignore no-node-globals -- a timer of 0 ms takes a hundred times as long
    await new Promise<void>((resolve) => void setImmediate(resolve));
    this.#turn = null;
    this.#turnEnds = this.#ground.clock.mono() + TURN_MS;
  }

  async #passes(index: number): Promise<Verdict> {
    const task = at(this.#plan.manifest.tasks, index);
    const block = blockOf(this.#plan.manifest, task);
    const passes = task.passes ?? block.passes;
    let previous: PassOutput | null = null;
    for (let pass = 1; pass <= passes; pass++) {
      const result: PassResult = await this.#attempts(index, task, block, pass, previous);
      if (!result.ok) return result.verdict;
      this.tally.of(index).passes = pass;
      previous = result.output;
      if (pass === passes) return this.#publish(index, result.lease, result.output);
    }
    return SUCCEEDED;
  }

  async #attempts(
    index: number,
    task: Task,
    block: Block,
    pass: number,
    previous: PassOutput | null,
  ): Promise<PassResult> {
    const { maxAttempts } = block.retry;
    for (let attempt = 1;; attempt++) {
      if (this.#ground.clock.mono() > this.#turnEnds) this.#turn ??= this.#takeTurn();
      // All wait: a single worker that went on would keep the turn from everybody else.
      if (this.#turn !== null) await this.#turn;
      if (this.#cause !== null) return refused(verdictOfEnding(this.#cause));
      const lease = this.#issue(task.id, pass, attempt);
      if (!this.#ground.stage.check(lease)) return refused(this.#refuse(lease));
      const output = this.#ground.stage.output(task, pass, attempt);
      const outcome = await this.#attempt(index, task, block, lease, previous, output);
      this.tally.of(index).note(outcome);
      if (outcome.kind === "succeeded") return { ok: true, lease, output };
      if (outcome.kind === "aborted") return refused(this.#abortedVerdict(lease));
      // A stop kills from outside too: what it ended has not failed.
      if (!this.#ground.stage.check(lease)) return refused(this.#refuse(lease));
      if (attempt >= maxAttempts || !isRetryable(outcome)) return refused(verdictOf(outcome));
      await this.#rest(block, lease, outcome);
    }
  }

  async #attempt(
    index: number,
    task: Task,
    block: Block,
    lease: Lease,
    previous: PassOutput | null,
    output: PassOutput,
  ): Promise<Outcome> {
    const { stage, executor, events, context } = this.#ground;
    const { taskId, pass, attempt } = lease;
    stage.record(lease);
    this.tally.of(index).attempts++;
    events.emit({ kind: "pass-started", taskId, pass, attempt });
    const ending = new AbortController();
    let timedOut = false;
    const deadline = this.#deadlines.after(task.timeoutMs ?? block.timeoutMs, () => {
      timedOut = !ending.signal.aborted;
      abort(ending, { cause: "timeout", graceMs: this.#plan.graceMs });
    });
    this.#live.add(ending);
    let outcome: Outcome;
    try {
      outcome = await executor.execute({
        lease,
        task,
        block,
        input: stage.input(task, pass, previous),
        output,
        signal: ending.signal,
        kill: this.#kill.signal,
        run: context,
        leaseHolds: () => !ending.signal.aborted && stage.check(lease),
      });
    } catch (error) {
      if (error instanceof SkeinError) throw error;
      outcome = { kind: "failed", message: messageOf(error) };
    } finally {
      this.#live.delete(ending);
      this.#deadlines.cancel(deadline);
    }
    if (timedOut && outcome.kind === "aborted") outcome = { kind: "timed-out" };
    events.emit({
      kind: "pass-finished",
      taskId,
      pass,
      attempt,
      status: outcome.kind,
      message: messageIn(outcome),
    });
    return outcome;
  }

  #publish(index: number, lease: Lease, output: PassOutput): Verdict {
    const publication = this.#ground.stage.publish(lease, output);
    // The check after the rename is the one that accepts the result.
    if (publication.kind !== "published") return this.#refuse(lease);
    const record = this.tally.of(index);
    record.output = publication.path;
    record.outputBytes = publication.bytes;
    return SUCCEEDED;
  }

  /** A lease that is worth nothing any more: the swarm was stopped, whether or not that was noticed yet. */
  #refuse({ taskId, pass, attempt }: Lease): Verdict {
    this.#ground.events.emit({
      kind: "lease-refused",
      taskId,
      pass,
      attempt,
      message: "the swarm is stopped",
    });
    if (this.#cause !== "stop") this.end("stop", 0);
    return verdictOfEnding("stop");
  }

  /** What was ended by something else than the run's end was started too late, or ended by its own executor. */
  #abortedVerdict(lease: Lease): Verdict {
    if (this.#cause !== null) return verdictOfEnding(this.#cause);
    if (!this.#ground.stage.check(lease)) return this.#refuse(lease);
    return verdictOf({ kind: "failed", message: "Its executor ended it, and not the run" });
  }

  /** Waits before the next attempt: full jitter under a bound that doubles. */
  async #rest(block: Block, { taskId, pass, attempt }: Lease, outcome: Outcome): Promise<void> {
    const { events, clock, rng } = this.#ground;
    const { backoffMs, maxBackoffMs } = block.retry;
    const bound = Math.min(maxBackoffMs, backoffMs * 2 ** (attempt - 1));
    const waitMs = rng.next() * bound;
    events.emit({
      kind: "pass-retrying",
      taskId,
      pass,
      attempt,
      status: outcome.kind,
      message: `in ${Math.round(waitMs)} ms`,
    });
    await clock.sleep(waitMs, this.#resting.signal);
  }

  #issue(taskId: string, pass: number, attempt: number): Lease {
    const { context: { runId, epoch }, clock } = this.#ground;
    const issuedAt = new Date(clock.wall()).toISOString();
    return { runId, taskId, pass, attempt, epoch, sequence: ++this.#sequence, issuedAt };
  }

  #note(task: number, verdict: Verdict): void {
    const { id } = at(this.#plan.manifest.tasks, task);
    this.tally.end(task, verdict);
    const { status, reason, message } = verdict;
    const why = [reason, message].filter((part) => part !== null).join(": ");
    this.#ground.events.emit({ kind: "task-finished", taskId: id, status, message: why });
    this.#ground.onProgress?.();
  }
}

type PassResult =
  | { readonly ok: true; readonly lease: Lease; readonly output: PassOutput }
  | { readonly ok: false; readonly verdict: Verdict };

const SKIPPED: Verdict = { status: "skipped", reason: "TASK_SKIPPED_NEED_FAILED", message: null };
const FAIL_FAST: Verdict = {
  status: "cancelled",
  reason: "TASK_CANCELLED_FAIL_FAST",
  message: null,
};

function refused(verdict: Verdict): PassResult {
  return { ok: false, verdict };
}

function abort(controller: AbortController, ending: Ending): void {
  if (!controller.signal.aborted) controller.abort(ending);
}

function at<T>(list: readonly T[], index: number): T {
  const item = list[index];
  if (item === undefined) throw new RangeError(`Cannot read entry ${index} of ${list.length}`);
  return item;
}

function blockOf(manifest: Manifest, task: Task): Block {
  const block = manifest.blocks[task.block];
  if (block !== undefined) return block;
  throw new SkeinError(
    "internal",
    `Cannot run task "${task.id}": block "${task.block}" is not there`,
  );
}

function messageIn(outcome: Outcome): string {
  if ("message" in outcome) return outcome.message;
  if (outcome.kind === "exited") return `code ${outcome.code}`;
  return outcome.kind === "signalled" ? outcome.signal : "";
}
