/** How a run ended. Of several, `stopped` beats `cancelled` beats `failed`. */
export type RunStatus = "succeeded" | "failed" | "stopped" | "cancelled";

/** How a task ended. */
export type TaskStatus = "succeeded" | "failed" | "skipped" | "stopped" | "cancelled";

/** What became of a task. */
export interface TaskReport {
  /** The task. */
  readonly id: string;
  /** How it ended. */
  readonly status: TaskStatus;
  /** The code from the catalogue of reasons, `null` where it succeeded. */
  readonly reason: string | null;
  /** The reason's particulars, such as a program's name. */
  readonly message: string | null;
  /** Passes that succeeded. */
  readonly passes: number;
  /** Attempts that were started, over all passes. */
  readonly attempts: number;
  /** The exit code of the last process, `null` without one. */
  readonly exitCode: number | null;
  /** The signal that ended the last process, `null` without one. */
  readonly signal: string | null;
  /** Processes that its passes had left behind, and that were killed. */
  readonly leftovers: number;
  /** From the first start to the end, in milliseconds; 0 where it never started. */
  readonly durationMs: number;
  /** The published output: a path relative to the run's folder, `null` without one. */
  readonly output: string | null;
  /** Bytes of the published output, `null` without one. */
  readonly outputBytes: number | null;
}

/** Tasks by how they ended. */
export type TaskCounts = Readonly<Record<TaskStatus | "total", number>>;

/** What became of a run: `report.json`. */
export interface Report {
  /** The format's version. */
  readonly version: 1;
  /** The run. */
  readonly runId: string;
  /** The manifest's name. */
  readonly name: string;
  /** How it ended. */
  readonly status: RunStatus;
  /** The code from the catalogue of reasons, `null` where it succeeded. */
  readonly reason: string | null;
  /** The epoch that it ran under. */
  readonly epoch: number;
  /** The run's folder, `null` for a run in memory. */
  readonly folder: string | null;
  /** Tasks that could run at the same time. */
  readonly workers: number;
  /** ISO 8601, UTC. */
  readonly startedAt: string;
  /** ISO 8601, UTC. */
  readonly finishedAt: string;
  /** In milliseconds, on a clock that does not jump. */
  readonly durationMs: number;
  /** Tasks by how they ended. */
  readonly counts: TaskCounts;
  /** The first error of the event log, `null` where it is complete. */
  readonly eventsError: string | null;
  /** Every task, in the manifest's order. */
  readonly tasks: readonly TaskReport[];
}
