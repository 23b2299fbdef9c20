import { Timestamps } from "../clock/mod.ts";
import {
  type Block,
  isRetryable,
  type Lease,
  type Outcome,
  SkeinError,
  type Task,
} from "../model/mod.ts";
import { Attempt, type AttemptGround } from "./attempt.ts";
import type { PassOutput } from "./executor.ts";
import { LiveAttempts } from "./live_attempts.ts";
import {
  checkedOutcome,
  outcomeOfEnding,
  outcomeOfError,
  OUTPUT_CHANGED,
  OWN_ABORT,
} from "./outcomes.ts";
import { noOutput } from "./passes.ts";
import type { EndCause, Ground, Plan } from "./plan.ts";
import { Scheduler } from "./scheduler.ts";
import { Seat } from "./seat.ts";
import {
  FAIL_FAST,
  SKIPPED,
  SUCCEEDED,
  Tally,
  type TaskRecord,
  type Verdict,
  verdictOf,
  verdictOfEnding,
  whyOf,
} from "./tally.ts";
import { Turns } from "./turns.ts";

/** Which attempt of a task is next. */
interface Next {
  readonly pass: number;
  readonly attempt: number;
  readonly previous: PassOutput | null;
  /** How long to wait before it, in milliseconds; `null` where it follows at once. */
  readonly waitMs: number | null;
}

const FIRST: Next = { pass: 1, attempt: 1, previous: null, waitMs: null };

/** Runs the tasks of a plan as they become ready: each slot takes one task after another. */
export class RunLoop {
  /** What became of each task. */
  readonly tally: Tally;
  readonly #plan: Plan;
  readonly #ground: Ground;
  readonly #scheduler: Scheduler;
  readonly #live: LiveAttempts;
  readonly #kill = new AbortController();
  readonly #attemptGround: AttemptGround;
  readonly #inMemory: boolean;
  readonly #resting = new AbortController();
  readonly #stamps: Timestamps;
  #sequence = 0;
  /** Slots that broke down, each with a task that never ends. */
  #broken = 0;
  #block: Block | null = null;
  #blockName = "";
  #cause: EndCause | null = null;
  #error: unknown = null;
  readonly #turns: Turns;
  #finish: () => void = () => {};

  /** Makes the loop; nothing starts yet. */
  constructor(plan: Plan, ground: Ground) {
    this.#plan = plan;
    this.#ground = ground;
    this.#scheduler = new Scheduler(plan.graph, plan.workers);
    this.#live = new LiveAttempts(ground.clock, plan.graceMs);
    this.#attemptGround = { ...ground, kill: this.#kill.signal };
    this.#inMemory = ground.context.stateDir === "";
    this.#stamps = new Timestamps(ground.clock);
    this.tally = new Tally(plan.manifest);
    this.#turns = new Turns(ground.clock);
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
    const { manifest, graceMs } = this.#plan;
    const { clock } = this.#ground;
    const endsAt = clock.mono() + manifest.limits.runTimeoutMs;
    await new Promise<void>((resolve) => {
      this.#finish = resolve;
      this.#admit();
      // Afterwards: the limit of an attempt mostly is the nearer one, and needs the one timer that there is.
      this.#live.limitRun(endsAt - clock.mono(), () => this.end("run-timeout", graceMs));
      this.#settleRest();
    });
    this.#live.close();
    this.#scheduler.close();
    if (this.#error !== null) throw this.#error;
  }

  /** Ends the run: nothing more is admitted, and what runs is ended. A stop overrides every other cause. */
  end(cause: EndCause, graceMs: number): void {
    if (this.#cause === null || cause === "stop") this.#cause = cause;
    this.#scheduler.halt();
    this.#resting.abort();
    this.#live.endAll({ cause, graceMs });
    if (graceMs <= 0 || this.#kill.signal.aborted) this.killNow();
    this.#settleRest();
  }

  /** Ends the grace of whatever is ending. */
  killNow(): void {
    this.#kill.abort();
    this.#live.abandonAll();
  }

  /** Fills the slots that are free. */
  #admit(): void {
    for (let task = this.#scheduler.next(); task >= 0; task = this.#scheduler.next()) {
      this.#slot(task).catch((error) => this.#breakDown(error));
    }
  }

  /** Where nothing runs and nothing more can start, the rest has ended. */
  #settleRest(): void {
    if (this.#scheduler.running > this.#broken) return;
    const verdict = this.#cause === null ? FAIL_FAST : verdictOfEnding(this.#cause);
    const status = verdict.status === "stopped" ? "stopped" : "cancelled";
    this.#scheduler.endRest(status, (task) => this.#note(task, verdict));
    this.#finish();
  }

  /** Runs one task after another, as long as there is one for this slot. */
  async #slot(first: number): Promise<void> {
    const { clock, stopwatch, executor } = this.#ground;
    const abandonable = executor.abandonable === true;
    const seat = new Seat(this.#live.takeSlot());
    seat.now = stopwatch.mono();
    for (let index = first; index >= 0;) {
      const task = at(this.#plan.graph.nodes, index);
      seat.start();
      let next: Next | Verdict = FIRST;
      try {
        do {
          while (this.#turns.isOver(seat.now)) {
            await this.#turns.take();
            seat.now = stopwatch.mono();
          }
          if (next === FIRST) {
            seat.start();
            this.#progress();
          } else {
            if (next.waitMs !== null) await clock.sleep(next.waitMs, this.#resting.signal);
            seat.now = stopwatch.mono();
          }
          const attempt: Attempt | Verdict = this.#begin(seat, task, next);
          if ("status" in attempt) {
            next = attempt;
            break;
          }
          let outcome: Outcome;
          try {
            const pending = executor.execute(attempt);
            outcome = checkedOutcome(
              pending instanceof Promise
                ? await (abandonable ? attempt.orAbandoned(pending) : pending)
                : pending,
            );
          } catch (error) {
            outcome = outcomeOfError(error);
          } finally {
            this.#live.finish(seat.slot);
            attempt.close();
          }
          next = this.#conclude(seat, attempt, outcome);
        } while ("pass" in next);
      } catch (error) {
        this.#fail(error);
        next = verdictOfEnding("run-failed");
      }
      seat.now = stopwatch.mono();
      this.#settle(index, task, "pass" in next ? verdictOfEnding("run-failed") : next, seat);
      index = this.#scheduler.next();
      this.#admit();
    }
    this.#live.freeSlot(seat.slot);
    this.#settleRest();
  }

  /** Issues the lease of an attempt and checks it: what is not admitted has ended. */
  #begin(seat: Seat, task: Task, next: Next): Attempt | Verdict {
    const { pass, attempt, previous } = next;
    if (this.#cause !== null) return verdictOfEnding(this.#cause);
    const { stage, events } = this.#ground;
    const block = this.#blockOf(task);
    const lease = this.#issue(task.id, pass, attempt, seat);
    if (!stage.check(lease)) return this.#refuse(lease);
    stage.record(lease);
    seat.begin();
    events?.emit("pass-started", task.id, pass, attempt);
    const deadlineAt = seat.now + (task.timeoutMs ?? block.timeoutMs);
    const made = new Attempt(this.#attemptGround, lease, task, block, previous);
    this.#live.begin(seat.slot, made, deadlineAt);
    return made;
  }

  /** What an outcome means: the next pass, the next attempt, or the end of the task. */
  #conclude(seat: Seat, attempt: Attempt, outcome: Outcome): Next | Verdict {
    const { lease, block } = attempt;
    const { taskId, pass } = lease;
    const result = attempt.isEnding ? outcomeOfEnding(attempt, outcome) : outcome;
    this.#ground.events?.emit(
      "pass-finished",
      taskId,
      pass,
      lease.attempt,
      result.kind,
      messageIn(result),
    );
    if (result.kind === "succeeded") return this.#succeed(seat, attempt, result);
    seat.note(result);
    // A stop kills from outside too: what it ended has not failed.
    if (!this.#ground.stage.check(lease)) return this.#refuse(lease);
    if (result.kind === "aborted") {
      return this.#cause === null ? verdictOf(OWN_ABORT) : verdictOfEnding(this.#cause);
    }
    if (lease.attempt >= block.retry.maxAttempts || !isRetryable(result)) return verdictOf(result);
    return this.#retry(attempt, result);
  }

  /** The next attempt: full jitter under a bound that doubles. */
  #retry({ lease, block, previous }: Attempt, outcome: Outcome): Next {
    const { taskId, pass, attempt } = lease;
    const { backoffMs, maxBackoffMs } = block.retry;
    const bound = Math.min(maxBackoffMs, backoffMs * 2 ** (attempt - 1));
    const waitMs = this.#ground.rng.next() * bound;
    const when = `in ${Math.round(waitMs)} ms`;
    this.#ground.events?.emit("pass-retrying", taskId, pass, attempt, outcome.kind, when);
    return { pass, attempt: attempt + 1, previous, waitMs };
  }

  /** A pass has succeeded: the next one, or the publication. */
  #succeed(
    seat: Seat,
    attempt: Attempt,
    outcome: Extract<Outcome, { kind: "succeeded" }>,
  ): Next | Verdict {
    const { lease, block, task, written } = attempt;
    const { pass } = lease;
    const { stage } = this.#ground;
    const goesOn = pass < (task.passes ?? block.passes);
    // Of a task that succeeds at once, and writes nothing, its time says it all.
    const isPlain = seat.isUnnoted && !goesOn && written === null && !outcome.leftovers;
    if (isPlain && this.#inMemory) {
      return stage.publish(attempt, 0).kind === "published" ? SUCCEEDED : this.#refuse(lease);
    }
    const record = seat.note(outcome);
    const bytes = stage.complete(attempt, outcome.written);
    if (bytes === null) return verdictOf(OUTPUT_CHANGED);
    record.passes = pass;
    return goesOn
      ? { pass: pass + 1, attempt: 1, previous: attempt.written ?? noOutput, waitMs: null }
      : this.#publish(record, attempt, bytes);
  }

  #publish(record: TaskRecord, attempt: Attempt, bytes: number): Verdict {
    const publication = this.#ground.stage.publish(attempt, bytes);
    // The check after the rename is the one that accepts the result.
    if (publication.kind !== "published") return this.#refuse(attempt.lease);
    record.output = publication.path;
    record.outputBytes = publication.bytes;
    return SUCCEEDED;
  }

  /** A lease that is worth nothing any more: the swarm was stopped, whether or not that was noticed yet. */
  #refuse({ taskId, pass, attempt }: Lease): Verdict {
    this.#ground.events?.emit("lease-refused", taskId, pass, attempt, "", "the swarm is stopped");
    if (this.#cause !== "stop") this.end("stop", 0);
    return verdictOfEnding("stop");
  }

  #issue(taskId: string, pass: number, attempt: number, seat: Seat): Lease {
    const { runId, epoch } = this.#ground.context;
    return {
      runId,
      taskId,
      pass,
      attempt,
      epoch,
      sequence: ++this.#sequence,
      issuedAt: this.#stamps.nowAt(seat.now),
    };
  }

  /** Tasks of a block often follow one another. */
  #blockOf({ id, block: name }: Task): Block {
    if (this.#block !== null && name === this.#blockName) return this.#block;
    const block = this.#plan.manifest.blocks[name];
    if (block === undefined) {
      throw new SkeinError("internal", `Cannot run task "${id}": block "${name}" is not there`);
    }
    this.#blockName = name;
    return this.#block = block;
  }

  #settle(index: number, task: Task, verdict: Verdict, seat: Seat): void {
    seat.end(this.tally, index, verdict);
    this.#tell(task, verdict);
    const status = verdict.status === "skipped" ? "failed" : verdict.status;
    this.#scheduler.settle(index, status, this.#onSkipped);
    if (verdict.status === "failed" && this.#plan.failFast) this.#scheduler.halt();
  }

  /** The run cannot go on: what runs is ended. */
  #fail(error: unknown): void {
    this.#error ??= error;
    if (this.#cause === null) this.end("run-failed", 0);
  }

  /** A slot is lost, and its task with it: the run ends as soon as the other slots have. */
  #breakDown(error: unknown): void {
    this.#broken++;
    try {
      this.#fail(error);
      this.#settleRest();
    } catch {
      this.#finish();
    }
  }

  readonly #onSkipped = (task: number): void => this.#note(task, SKIPPED);

  #note(task: number, verdict: Verdict): void {
    this.tally.end(task, verdict);
    this.#tell(at(this.#plan.graph.nodes, task), verdict);
  }

  #tell({ id }: Task, verdict: Verdict): void {
    this.#ground.events?.emit("task-finished", id, 0, 0, verdict.status, whyOf(verdict));
    this.#progress();
  }

  /** The caller's own error ends the run, like any error of the run itself. */
  #progress(): void {
    try {
      this.#ground.onProgress?.();
    } catch (error) {
      this.#fail(error);
    }
  }
}

function at<T>(list: readonly T[], index: number): T {
  const item = list[index];
  if (item === undefined) throw new RangeError(`Cannot read entry ${index} of ${list.length}`);
  return item;
}

function messageIn(outcome: Outcome): string {
  if ("message" in outcome) return outcome.message;
  if (outcome.kind === "exited") return `code ${outcome.code}`;
  return outcome.kind === "signalled" ? outcome.signal : "";
}
