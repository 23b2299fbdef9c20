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

/** What is known of each task so far: the report's list as it is being written. */
export class Tally {
  readonly #manifest: Manifest;
  readonly #records: (TaskRecord | undefined)[];
  readonly #counts: Record<TaskStatus | "total", number>;

  /** Makes an empty one. */
  constructor(manifest: Manifest) {
    this.#manifest = manifest;
    this.#records = new Array(manifest.tasks.length);
    this.#counts = {
      total: manifest.tasks.length,
      succeeded: 0,
      failed: 0,
      skipped: 0,
      stopped: 0,
      cancelled: 0,
    };
  }

  /** Tasks by how they ended, so far. */
  get counts(): TaskCounts {
    return this.#counts;
  }

  /** The record of a task, made when it is first asked for. */
  of(task: number): TaskRecord {
    return this.#records[task] ??= emptyRecord(this.#manifest.tasks[task]?.id ?? "");
  }

  /** Ends a task. */
  end(task: number, { status, reason, message }: Verdict): void {
    const record = this.of(task);
    record.status = status;
    record.reason = reason;
    record.message = message;
    this.#counts[status]++;
  }

  /** Every task, in the manifest's order. */
  reports(): TaskReport[] {
    for (let task = 0; task < this.#records.length; task++) this.of(task);
    return this.#records as TaskRecord[];
  }
}

/** A task that nothing is known of: one that nobody ends was cancelled. */
function emptyRecord(id: string): TaskRecord {
  return {
    id,
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
