import type { RunMove, RunState } from "./run_moves.ts";
import type { AttemptEnd, TaskMove, TaskState } from "./task_moves.ts";

/** What a pass has written, as the settled row names it: that commit is its publication. */
export interface SettledOutput {
  /** Relative to the folder of the runs. */
  readonly path: string;
  /** Its size in bytes. */
  readonly bytes: number;
  /** The SHA-256 digest of its bytes, in hexadecimal digits. */
  readonly digest: string;
}

/** A run of the queue. Every time is in milliseconds of the store's own clock. */
export interface QueuedRun {
  /** The run. */
  readonly id: string;
  /** What makes its submission idempotent, `null` without one. */
  readonly key: string | null;
  /** The manifest's name. */
  readonly name: string;
  /** Where it is. */
  readonly state: RunState;
  /** The code from the catalogue of reasons: why it ended, or why it waits. */
  readonly reason: string | null;
  /** The reason's particulars. */
  readonly message: string | null;
  /** How many minutes of waiting it was given in advance. */
  readonly priority: number;
  /** The epoch that it was queued in. */
  readonly epoch: number;
  /** From 1; an operator's retry opens the next one. */
  readonly round: number;
  /** The fencing token, raised by every claim and every requeue; 0 before the first. */
  readonly token: number;
  /** The sequence of the last attempt that was started; 0 before the first. */
  readonly sequence: number;
  /** The executor that holds it or held it last; `null` where it was freed. */
  readonly owner: string | null;
  /** When its claim ends, `null` where it is not running. */
  readonly leaseExpiresAt: number | null;
  /** From when on it may be claimed. */
  readonly availableAt: number;
  /** Verified deaths of its executors in this round. */
  readonly crashCount: number;
  /** When its cancellation was requested in this round, `null` where it was not. */
  readonly cancelRequestedAt: number | null;
  /** Who requested its cancellation. */
  readonly cancelRequestedBy: string | null;
  /** When it was submitted. */
  readonly submittedAt: number;
  /** When its round began to wait. */
  readonly queuedAt: number;
  /** When it was first claimed in its round, `null` where it was not. */
  readonly startedAt: number | null;
  /** When it ended, `null` where it has not. */
  readonly finishedAt: number | null;
}

/** A task of a run of the queue. */
export interface QueuedTask {
  /** The task. */
  readonly id: string;
  /** Where it is. */
  readonly state: TaskState;
  /** The code from the catalogue of reasons: why it ended, or why it waits. */
  readonly reason: string | null;
  /** The reason's particulars. */
  readonly message: string | null;
  /** The pass that runs, is next, or was the last; from 1. */
  readonly pass: number;
  /** Passes in all. */
  readonly passes: number;
  /** From when on its next attempt may start. */
  readonly availableAt: number;
  /** Its published output, `null` where it has none. */
  readonly output: SettledOutput | null;
}

/** Where an attempt is. */
export type AttemptState = "running" | AttemptEnd;

/** An attempt of a pass. */
export interface AttemptRow {
  /** The task. */
  readonly taskId: string;
  /** The pass, from 1. */
  readonly pass: number;
  /** The attempt at the pass, from 1 over all rounds. */
  readonly attempt: number;
  /** The round that it was started in. */
  readonly round: number;
  /** The executor that started it. */
  readonly owner: string;
  /** The token that it was started under. */
  readonly token: number;
  /** The lease's sequence. */
  readonly sequence: number;
  /** Where it is. */
  readonly state: AttemptState;
  /** The code from the catalogue of reasons, `null` where it runs or succeeded. */
  readonly reason: string | null;
  /** The reason's particulars. */
  readonly message: string | null;
  /** The exit code of its process, `null` without one. */
  readonly exitCode: number | null;
  /** The signal that ended its process, `null` without one. */
  readonly signal: string | null;
  /** Processes that it had left behind. */
  readonly leftovers: number;
  /** When it was started. */
  readonly startedAt: number;
  /** When it was closed, `null` where it runs. */
  readonly endedAt: number | null;
  /** What it has settled, `null` where that is nothing. */
  readonly output: SettledOutput | null;
}

/** The closed set of kinds of events in the store. */
export const STORE_EVENT_KINDS = [
  "run-submitted",
  "run-claimed",
  "run-finished",
  "run-handed-back",
  "run-lost",
  "run-cancelled",
  "run-stopped",
  "run-retried",
  "attempt-started",
  "attempt-succeeded",
  "attempt-failed",
  "attempt-lost",
  "attempt-handed-back",
  "task-skipped",
  "task-cancelled",
  "task-stopped",
  "task-reopened",
  "write-refused",
] as const;

/** A kind of event in the store. */
export type StoreEventKind = typeof STORE_EVENT_KINDS[number];

/** The kind of the event that a transition of a run writes. */
export const RUN_EVENT_KINDS: Readonly<Record<RunMove, StoreEventKind>> = {
  claim: "run-claimed",
  finish: "run-finished",
  "hand-back": "run-handed-back",
  lose: "run-lost",
  cancel: "run-cancelled",
  stop: "run-stopped",
  retry: "run-retried",
};

/** The kind of the event that a transition of a task writes. */
export const TASK_EVENT_KINDS: Readonly<Record<TaskMove, StoreEventKind>> = {
  start: "attempt-started",
  succeed: "attempt-succeeded",
  fail: "attempt-failed",
  lose: "attempt-lost",
  "hand-back": "attempt-handed-back",
  skip: "task-skipped",
  cancel: "task-cancelled",
  stop: "task-stopped",
  reopen: "task-reopened",
};

/** A row of the audit: one for every transition, and one for every refused write that was told. */
export interface StoreEvent {
  /** Rises with every event. */
  readonly id: number;
  /** When. */
  readonly at: number;
  /** What happened. */
  readonly kind: StoreEventKind;
  /** The run. */
  readonly runId: string;
  /** The task, `null` for events of the run. */
  readonly taskId: string | null;
  /** The pass, 0 for events that have none. */
  readonly pass: number;
  /** The attempt, 0 for events that have none. */
  readonly attempt: number;
  /** The state before, `null` where there was none. */
  readonly from: RunState | TaskState | null;
  /** The state after, `null` where the event is no transition. */
  readonly to: RunState | TaskState | null;
  /** Who did it: an executor, or an operator. */
  readonly owner: string | null;
  /** The run's token after it. */
  readonly token: number;
  /** The run's epoch after it. */
  readonly epoch: number;
  /** The run's round after it. */
  readonly round: number;
  /** The code from the catalogue of reasons, `null` without one. */
  readonly reason: string | null;
  /** Particulars. */
  readonly message: string | null;
}
