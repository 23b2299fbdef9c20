import type { MachineReason } from "./machine_reason.ts";
import type { RunStatus, TaskCounts, TaskStatus } from "./run.ts";

/** How a run ended, and why. */
export interface RunVerdict {
  /** How it ended. */
  readonly status: RunStatus;
  /** Why, `null` where it succeeded. */
  readonly reason: MachineReason | null;
}

/** What ended a run before its last task. */
export type RunCause = "stop" | "cancel" | "operator" | "run-timeout" | "run-failed" | "poison";

/** Tasks of a run that are in the same state for the same reason. */
export interface TaskGroup {
  /** Where they are. */
  readonly state: "pending" | "running" | TaskStatus;
  /** Why, `null` where nothing needs explaining. */
  readonly reason: string | null;
  /** How many they are. */
  readonly count: number;
}

/** How a run ended: a stop beats a cancellation beats a failure. */
export function verdictOfRun(counts: TaskCounts, cause: RunCause | null): RunVerdict {
  if (cause === "run-failed") return { status: "failed", reason: "RUN_FAILED_ENVIRONMENT" };
  if (counts.succeeded === counts.total) return { status: "succeeded", reason: null };
  if (cause === null) return { status: "failed", reason: "RUN_FAILED_TASKS" };
  return ENDED[cause];
}

const ENDED: Readonly<Record<Exclude<RunCause, "run-failed">, RunVerdict>> = {
  "stop": { status: "stopped", reason: "RUN_STOPPED" },
  "cancel": { status: "cancelled", reason: "RUN_CANCELLED" },
  "operator": { status: "cancelled", reason: "RUN_CANCELLED_OPERATOR" },
  "run-timeout": { status: "failed", reason: "RUN_FAILED_TIMEOUT" },
  "poison": { status: "failed", reason: "RUN_FAILED_POISON" },
};

/** What a task's reason says about the end of its run: the first that is found counts. */
const CAUSES: readonly (readonly [MachineReason, RunCause])[] = [
  ["TASK_STOPPED", "stop"],
  ["TASK_CANCELLED_OPERATOR", "operator"],
  ["TASK_CANCELLED", "cancel"],
  ["TASK_CANCELLED_RUN_POISON", "poison"],
  ["TASK_CANCELLED_RUN_FAILED", "run-failed"],
  ["TASK_CANCELLED_RUN_TIMEOUT", "run-timeout"],
];

/** How a run ended by what became of its tasks; `null` while one of them has not ended, or there is none. */
export function verdictOfTasks(groups: readonly TaskGroup[]): RunVerdict | null {
  const counts = { total: 0, succeeded: 0, failed: 0, skipped: 0, stopped: 0, cancelled: 0 };
  for (const { state, count } of groups) {
    if (count === 0) continue;
    if (state === "pending" || state === "running") return null;
    counts[state] += count;
    counts.total += count;
  }
  if (counts.total === 0) return null;
  const given = new Set(groups.filter(({ count }) => count > 0).map(({ reason }) => reason));
  const cause = CAUSES.find(([reason]) => given.has(reason));
  return verdictOfRun(counts, cause?.[1] ?? null);
}

/** Verdicts that come from outside and hold whatever became of the tasks. */
const FROM_OUTSIDE: Readonly<Record<string, RunStatus>> = {
  RUN_STOPPED: "stopped",
  RUN_STOPPED_QUEUED: "stopped",
  RUN_CANCELLED_OPERATOR: "cancelled",
  RUN_FAILED_POISON: "failed",
} satisfies Partial<Record<MachineReason, RunStatus>>;

/**
 * Whether the verdict of a run that has ended agrees with its tasks: every one has ended, and the verdict is theirs, or
 * one that a stop, an operator or the quarantine gave the run as a whole.
 */
export function verdictAgrees(
  run: { readonly status: RunStatus; readonly reason: string | null },
  groups: readonly TaskGroup[],
): boolean {
  const verdict = verdictOfTasks(groups);
  if (verdict === null) return false;
  if (verdict.status === run.status && verdict.reason === run.reason) return true;
  return run.reason !== null && Object.hasOwn(FROM_OUTSIDE, run.reason) &&
    FROM_OUTSIDE[run.reason] === run.status;
}
