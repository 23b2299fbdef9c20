import { point } from "../../faults/mod.ts";
import type { Refusal, SettledOutput, SettleFacts } from "../../model/mod.ts";
import { jitteredBackoff } from "../../model/machines.ts";
import type { AttemptRef, LeaseRef, SettleResult, StartResult, TaskVerdict } from "../claims.ts";
import type { Row } from "./connection.ts";
import { check, type Ground, unexpected } from "./ground.ts";
import { attemptOf, outputOf, taskOf, type TaskRow } from "./rows.ts";
import { countedAttempts } from "./run_moves.ts";
import { dependents, moveTask, type RunHead, type TaskMoved } from "./task_moves.ts";

const BOTH = `
SELECT tasks.*, runs.state AS run_state, runs.epoch AS run_epoch, runs.round AS run_round,
  runs.token AS run_token, runs.sequence AS run_sequence, runs.owner AS run_owner,
  runs.lease_expires_at AS run_lease_expires_at, runs.cancel_requested_at AS run_cancel_requested_at
FROM runs JOIN tasks ON tasks.run_id = runs.id AND tasks.id = ?
WHERE runs.id = ?`;
const BLOCKING = `
SELECT 1 FROM needs JOIN tasks ON tasks.run_id = needs.run_id AND tasks.id = needs.need_id
WHERE needs.run_id = ? AND needs.task_id = ? AND tasks.state <> 'succeeded' LIMIT 1`;
const LAST_OUTPUT = `
SELECT path AS output_path, bytes AS output_bytes, digest AS output_digest
FROM attempts LEFT JOIN outputs USING (run_id, task_id, pass, attempt)
WHERE run_id = ? AND task_id = ? AND pass = ? AND state = 'succeeded'
ORDER BY attempt DESC LIMIT 1`;
const ATTEMPT = `
SELECT * FROM attempts WHERE run_id = ? AND task_id = ? AND pass = ? AND attempt = ?`;

/** A task and its run, as they are. */
interface Both {
  readonly run: RunHead;
  readonly task: TaskRow;
  readonly cancelRequested: boolean;
}

/** Starts the next attempt of a task. */
export function startTask(ground: Ground, ref: LeaseRef, taskId: string): StartResult {
  const { connection } = ground;
  const both = readBoth(ground, ref.runId, taskId);
  if (both === null) return { kind: "refused", why: "unknown", availableAt: null };
  const { run, task, cancelRequested } = both;
  const now = connection.now();
  const facts = {
    ...check(ground, null),
    runEpoch: run.epoch,
    holder: holderOf(run),
    caller: ref,
    leaseExpiresAt: run.leaseExpiresAt,
    now,
    cancelRequested,
    needsMet: connection.get(BLOCKING, run.id, taskId) === undefined,
    availableAt: task.availableAt,
  };
  const moved = moveTask(ground, run, task, "start", facts, { now, by: ref });
  if (moved.kind === "refused") return refusedStart(run.id, task, moved.why);
  const { pass, attempt } = moved.task;
  const input = pass === 1 ? null : lastOutput(ground, run.id, taskId, pass - 1);
  return { kind: "started", pass, attempt, sequence: moved.sequence, at: now, input };
}

function refusedStart(runId: string, { id, availableAt }: TaskRow, why: Refusal): StartResult {
  switch (why) {
    case "latched":
    case "invalidated":
      return { kind: "refused", why: "stopped", availableAt: null };
    case "stale":
    case "cancelled":
    case "needs":
    case "deferred":
    case "not-pending":
      return { kind: "refused", why, availableAt: why === "deferred" ? availableAt : null };
    default:
      throw unexpected(`start task "${id}" of run "${runId}"`, why);
  }
}

function lastOutput(
  { connection }: Ground,
  runId: string,
  taskId: string,
  pass: number,
): SettledOutput | null {
  const row = connection.get(LAST_OUTPUT, runId, taskId, pass);
  return row === undefined ? null : outputOf(row);
}

/** Writes the verdict of an attempt. */
export function settleTask(
  ground: Ground,
  ref: LeaseRef,
  attempt: AttemptRef,
  verdict: TaskVerdict,
): SettleResult {
  const { taskId } = attempt;
  const both = readBoth(ground, ref.runId, taskId);
  if (both === null) return { kind: "stale" };
  const now = ground.connection.now();
  const moved = settle(ground, both, ref, attempt, verdict, now);
  if (moved.kind === "moved") return settled(moved.task, moved.skipped, now);
  switch (moved.why) {
    case "latched":
    case "invalidated":
      return { kind: "stopped" };
    case "stale":
      return ownSuccess(ground, both, ref, attempt, verdict, now) ?? { kind: "stale" };
    default:
      throw unexpected(`settle task "${taskId}" of run "${ref.runId}"`, moved.why);
  }
}

function settle(
  ground: Ground,
  { run, task }: Both,
  caller: LeaseRef,
  attempt: AttemptRef,
  verdict: TaskVerdict,
  now: number,
): TaskMoved {
  const facts: SettleFacts = {
    ...check(ground, null),
    runEpoch: run.epoch,
    holder: holderOf(task),
    caller,
    leaseExpiresAt: run.leaseExpiresAt,
    now,
    active: task,
    settled: attempt,
  };
  point("settle.checked");
  const detail = { ...verdict, now, by: caller };
  switch (verdict.kind) {
    case "succeeded":
      return moveTask(ground, run, task, "succeed", { ...facts, passes: task.passes }, detail);
    case "cancelled": {
      const { reason } = verdict;
      return moveTask(ground, run, task, "cancel", { reason, settle: facts }, detail);
    }
    case "failed": {
      const { reason, retryable } = verdict;
      const { maxAttempts, backoff } = task;
      const counted = countedAttempts(ground, run, task);
      const draw = retryable ? ground.connection.draw() : 0;
      const retryAt = now + jitteredBackoff(counted, backoff, draw);
      const tries = { counted, maxAttempts, reason, retryable, retryAt };
      return moveTask(ground, run, task, "fail", { ...facts, ...tries }, detail);
    }
    default:
      return verdict satisfies never;
  }
}

/** A verdict that is there already, and is the caller's own: its answer was lost. */
function ownSuccess(
  ground: Ground,
  { task }: Both,
  ref: LeaseRef,
  { taskId, pass, attempt }: AttemptRef,
  verdict: TaskVerdict,
  now: number,
): SettleResult | null {
  const row = ground.connection.get(ATTEMPT, ref.runId, taskId, pass, attempt);
  if (row === undefined) return null;
  const { state, owner, token } = attemptOf(row);
  if (state !== verdict.kind || owner !== ref.owner || token !== ref.token) return null;
  const ended = task.pass === pass && task.attempt === attempt && task.state === verdict.kind;
  const skipped = ended ? dependents(ground, ref.runId, taskId, "skipped").map(({ id }) => id) : [];
  return settled(ended ? task : { ...task, state: "pending" }, skipped, now);
}

function settled(
  { state, pass, availableAt }: Pick<TaskRow, "state" | "pass" | "availableAt">,
  skipped: readonly string[],
  at: number,
): SettleResult {
  switch (state) {
    case "pending":
      return { kind: "settled", state, pass, availableAt, skipped, at };
    case "succeeded":
    case "failed":
    case "cancelled":
      return { kind: "settled", state, pass, availableAt: null, skipped, at };
    default:
      throw unexpected(`settle a task as ${state}`, "impossible");
  }
}

function readBoth({ connection }: Ground, runId: string, taskId: string): Both | null {
  const row = connection.get(BOTH, taskId, runId);
  if (row === undefined) return null;
  const cancelRequested = row.run_cancel_requested_at !== null;
  return { run: headOf(row), task: taskOf(row), cancelRequested };
}

function headOf(row: Row): RunHead {
  return {
    id: row.run_id as string,
    state: row.run_state as RunHead["state"],
    epoch: row.run_epoch as number,
    round: row.run_round as number,
    token: row.run_token as number,
    sequence: row.run_sequence as number,
    owner: row.run_owner as string | null,
    leaseExpiresAt: row.run_lease_expires_at as number | null,
  };
}

function holderOf(
  { owner, token }: { readonly owner: string | null; readonly token: number | null },
): SettleFacts["holder"] {
  return owner === null || token === null ? null : { owner, token };
}
