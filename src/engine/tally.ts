import { roundedMs } from "../clock/mod.ts";
import type { Manifest, Outcome, TaskCounts, TaskReport, TaskStatus } from "../model/mod.ts";
import type { ReasonCode } from "../reason/mod.ts";
import type { Ending } from "./executor.ts";

/** How a task ended, and why. */
export interface Verdict {
  /** How it ended. */
  readonly status: TaskStatus;
  /** Why, `null` where it succeeded. */
  readonly reason: ReasonCode | null;
  /** Particulars. */
  readonly message: string | null;
}

/** A task that succeeded. */
export const SUCCEEDED: Verdict = { status: "succeeded", reason: null, message: null };
/** A task that can no longer start. */
export const SKIPPED: Verdict = verdict("skipped", "TASK_SKIPPED_NEED_FAILED");
/** A task that was not admitted after a failure. */
export const FAIL_FAST: Verdict = verdict("cancelled", "TASK_CANCELLED_FAIL_FAST");

function verdict(status: TaskStatus, reason: ReasonCode, message: string | null = null): Verdict {
  return { status, reason, message };
}

/** Reason and particulars in one line. */
export function whyOf({ reason, message }: Verdict): string {
  return reason === null ? "" : message === null ? reason : `${reason}: ${message}`;
}

/** What an attempt that does not succeed means for its task. */
export function verdictOf(outcome: Exclude<Outcome, { kind: "succeeded" | "aborted" }>): Verdict {
  const failed = (reason: ReasonCode, message: string) => verdict("failed", reason, message);
  switch (outcome.kind) {
    case "exited":
      return failed("TASK_FAILED_EXIT", `Exit code ${outcome.code}`);
    case "signalled":
      return failed("TASK_FAILED_SIGNAL", `Signal ${outcome.signal}`);
    case "timed-out":
      return failed("TASK_FAILED_TIMEOUT", "Out of time");
    case "output-limit":
      return failed("TASK_FAILED_OUTPUT_LIMIT", "Output beyond the limit");
    case "program-missing":
      return failed("TASK_FAILED_PROGRAM_MISSING", outcome.message);
    case "program-not-executable":
      return failed("TASK_FAILED_PROGRAM_NOT_EXECUTABLE", outcome.message);
    case "program-refused":
      return failed("TASK_FAILED_PROGRAM_REFUSED", outcome.message);
    case "folder-missing":
      return failed("TASK_FAILED_FOLDER_MISSING", outcome.message);
    case "failed":
      return failed("TASK_FAILED_ENVIRONMENT", outcome.message);
  }
}

/** What the end of a run means for a task that had not ended. */
export function verdictOfEnding(cause: Exclude<Ending["cause"], "timeout">): Verdict {
  switch (cause) {
    case "stop":
      return verdict("stopped", "TASK_STOPPED");
    case "cancel":
      return verdict("cancelled", "TASK_CANCELLED");
    case "run-timeout":
      return verdict("cancelled", "TASK_CANCELLED_RUN_TIMEOUT");
    case "run-failed":
      return verdict("cancelled", "TASK_CANCELLED_RUN_FAILED");
  }
}

/** A task's report while it is being written. */
export type TaskRecord = { -readonly [Key in keyof TaskReport]: TaskReport[Key] };

/**
 * What is known of each task so far. Most tasks of a large run succeed at once and publish nothing: of such a task only
 * its time is kept, and its report is made when the list is read.
 */
export class Tally {
  readonly #manifest: Manifest;
  readonly #counts: Record<TaskStatus | "total", number>;
  /** Of each task of which nothing but its time is kept, that time in microseconds, and one; 0 of every other. */
  readonly #durations: Uint32Array;
  /** What is kept whole, as soon as there is any. */
  #records: (TaskRecord | undefined)[] | null = null;
  #reports: TaskReport[] | null = null;

  /** Makes an empty one. */
  constructor(manifest: Manifest) {
    const total = manifest.tasks.length;
    this.#manifest = manifest;
    this.#durations = new Uint32Array(total);
    this.#counts = { total, succeeded: 0, failed: 0, skipped: 0, stopped: 0, cancelled: 0 };
  }

  /** Tasks by how they ended, so far. */
  get counts(): TaskCounts {
    return this.#counts;
  }

  /** A task has succeeded at its first attempt, and has published nothing. */
  succeed(task: number, durationMs: number): void {
    const microseconds = Math.round(durationMs * 1000);
    if (!isKept(microseconds)) {
      return this.end(task, SUCCEEDED, { ...PLAIN, durationMs: roundedMs(durationMs) });
    }
    this.#durations[task] = microseconds + 1;
    this.#counts.succeeded++;
  }

  /** Ends a task; one that has never started has no record. */
  end(
    task: number,
    { status, reason, message }: Verdict,
    record: TaskRecord = emptyRecord(),
  ): void {
    record.id = this.#idOf(task);
    record.status = status;
    record.reason = reason;
    record.message = message;
    this.#counts[status]++;
    this.#records ??= new Array(this.#manifest.tasks.length);
    this.#records[task] = record;
  }

  /** Every task, in the manifest's order. One that nobody has ended was cancelled. */
  reports(): TaskReport[] {
    return this.#reports ??= this.#manifest.tasks.map((_, task) => this.#report(task));
  }

  #report(task: number): TaskReport {
    const record = this.#records?.[task];
    if (record !== undefined) return record;
    const id = this.#idOf(task);
    const kept = this.#durations[task] ?? 0;
    return kept === 0 ? { ...emptyRecord(), id } : { ...PLAIN, id, durationMs: (kept - 1) / 1000 };
  }

  #idOf(task: number): string {
    return this.#manifest.tasks[task]?.id ?? "";
  }
}

/** A record that nothing is known of yet. */
export function emptyRecord(): TaskRecord {
  return {
    id: "",
    status: "cancelled",
    reason: null,
    message: null,
    passes: 0,
    attempts: 0,
    exitCode: null,
    signal: null,
    leftovers: 0,
    durationMs: 0,
    output: null,
    outputBytes: null,
  };
}

/** A task that succeeded at once, and has published nothing. */
const PLAIN: TaskReport = {
  ...emptyRecord(),
  status: "succeeded",
  passes: 1,
  attempts: 1,
  exitCode: 0,
  outputBytes: 0,
};

/** Whether a time fits where times are kept: up to 71 minutes. */
function isKept(microseconds: number): boolean {
  return microseconds >= 0 && microseconds < 2 ** 32 - 1;
}

/** Notes how the last process ended. */
export function noteOutcome(record: TaskRecord, outcome: Outcome): void {
  record.leftovers += outcome.leftovers ?? 0;
  record.exitCode = exitCodeOf(outcome);
  record.signal = outcome.kind === "signalled" ? outcome.signal : null;
}

function exitCodeOf(outcome: Outcome): number | null {
  if (outcome.kind === "succeeded") return 0;
  return outcome.kind === "exited" ? outcome.code : null;
}
