import type {
  AttemptRow,
  QueuedRun,
  QueuedTask,
  SettledOutput,
  StoreEvent,
} from "../../model/mod.ts";
import type { Row } from "./connection.ts";

/** A record whose fields a transition changes. */
export type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/** A task as its row has it, with what the machine is asked with. */
export interface TaskRow extends QueuedTask {
  /** The number of the last attempt at its pass, 0 before the first. */
  readonly attempt: number;
  /** The executor of its last attempt in this round, `null` before the first. */
  readonly owner: string | null;
  /** The token of its last attempt in this round, `null` before the first. */
  readonly token: number | null;
  /** Attempts that a pass may have. */
  readonly maxAttempts: number;
  /** The bounds of the wait before another attempt. */
  readonly backoff: { readonly baseMs: number; readonly maxMs: number };
}

/** A run as its row has it. */
export function runOf(row: Row): QueuedRun {
  return {
    id: row.id as string,
    key: row.key as string | null,
    name: row.name as string,
    state: row.state as QueuedRun["state"],
    reason: row.reason as string | null,
    message: row.message as string | null,
    priority: row.priority as number,
    epoch: row.epoch as number,
    round: row.round as number,
    token: row.token as number,
    sequence: row.sequence as number,
    owner: row.owner as string | null,
    leaseExpiresAt: row.lease_expires_at as number | null,
    availableAt: row.available_at as number,
    crashCount: row.crash_count as number,
    cancelRequestedAt: row.cancel_requested_at as number | null,
    cancelRequestedBy: row.cancel_requested_by as string | null,
    submittedAt: row.submitted_at as number,
    queuedAt: row.queued_at as number,
    startedAt: row.started_at as number | null,
    finishedAt: row.finished_at as number | null,
  };
}

/** A task as its row has it; its output where the row was joined with it. */
export function taskOf(row: Row): TaskRow {
  return {
    id: row.id as string,
    state: row.state as TaskRow["state"],
    reason: row.reason as string | null,
    message: row.message as string | null,
    pass: row.pass as number,
    passes: row.passes as number,
    attempt: row.attempt as number,
    availableAt: row.available_at as number,
    owner: row.owner as string | null,
    token: row.token as number | null,
    output: outputOf(row),
    maxAttempts: row.max_attempts as number,
    backoff: { baseMs: row.backoff_ms as number, maxMs: row.max_backoff_ms as number },
  };
}

/** What a reader is given of a task. */
export function queuedTaskOf(row: Row): QueuedTask {
  const { id, state, reason, message, pass, passes, availableAt, output } = taskOf(row);
  return { id, state, reason, message, pass, passes, availableAt, output };
}

/** The output that a row was joined with; `null` without one. */
export function outputOf(row: Row): SettledOutput | null {
  if (typeof row.output_path !== "string") return null;
  return {
    path: row.output_path,
    bytes: row.output_bytes as number,
    digest: row.output_digest as string,
  };
}

/** An attempt as its row has it. */
export function attemptOf(row: Row): AttemptRow {
  return {
    taskId: row.task_id as string,
    pass: row.pass as number,
    attempt: row.attempt as number,
    round: row.round as number,
    owner: row.owner as string,
    token: row.token as number,
    sequence: row.sequence as number,
    state: row.state as AttemptRow["state"],
    reason: row.reason as string | null,
    message: row.message as string | null,
    exitCode: row.exit_code as number | null,
    signal: row.signal as string | null,
    leftovers: row.leftovers as number,
    output: outputOf(row),
    startedAt: row.started_at as number,
    endedAt: row.ended_at as number | null,
  };
}

/** An event as its row has it. */
export function eventOf(row: Row): StoreEvent {
  return {
    id: row.id as number,
    at: row.at as number,
    kind: row.kind as StoreEvent["kind"],
    runId: row.run_id as string,
    taskId: row.task_id as string | null,
    from: row.from_state as StoreEvent["from"],
    to: row.to_state as StoreEvent["to"],
    reason: row.reason as string | null,
    pass: row.pass as number,
    attempt: row.attempt as number,
    owner: row.owner as string | null,
    token: row.token as number,
    epoch: row.epoch as number,
    round: row.round as number,
    message: row.message as string | null,
  };
}
