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

/** What is known of each task so far; it becomes the report's list. */
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
    let record = this.#records[task];
    if (record === undefined) {
      record = new TaskRecord();
      this.#records[task] = record;
    }
    return record;
  }

  /** Ends a task. */
  end(task: number, verdict: Verdict): void {
    this.of(task).verdict = verdict;
    this.#counts[verdict.status]++;
  }

  /** Every task, in the manifest's order. */
  reports(): TaskReport[] {
    return this.#manifest.tasks.map(({ id }, index) => this.of(index).report(id));
  }
}

/** What is known of one task. */
export class TaskRecord {
  /** How it ended. */
  verdict: Verdict | null = null;
  /** Passes that succeeded. */
  passes = 0;
  /** Attempts that were started. */
  attempts = 0;
  /** The exit code of the last process. */
  exitCode: number | null = null;
  /** The signal that ended the last process. */
  signal: string | null = null;
  /** Processes that its passes had left behind. */
  leftovers = 0;
  /** When it first started, on the monotonic clock; -1 where it never did. */
  startedAt = -1;
  /** When it ended. */
  endedAt = 0;
  /** Where its output is. */
  output: string | null = null;
  /** How large its output is. */
  outputBytes: number | null = null;

  /** Notes how the last process ended. */
  note(outcome: Outcome): void {
    this.leftovers += outcome.leftovers ?? 0;
    this.exitCode = outcome.kind === "exited"
      ? outcome.code
      : outcome.kind === "succeeded"
      ? 0
      : null;
    this.signal = outcome.kind === "signalled" ? outcome.signal : null;
  }

  /** The task as the report shows it. */
  report(id: string): TaskReport {
    const { verdict, passes, attempts, exitCode, signal, leftovers, startedAt, endedAt } = this;
    return {
      id,
      status: verdict?.status ?? "cancelled",
      reason: verdict?.reason ?? null,
      message: verdict?.message ?? null,
      passes,
      attempts,
      exitCode,
      signal,
      leftovers,
      durationMs: startedAt < 0 ? 0 : Math.round((endedAt - startedAt) * 1000) / 1000,
      output: this.output,
      outputBytes: this.outputBytes,
    };
  }
}
