import { type Manifest, SkeinError, type Task } from "../../model/mod.ts";
import type {
  CancelResult,
  RetryRequest,
  RetryResult,
  Submission,
  SubmitResult,
} from "../operators.ts";
import { raiseEpoch } from "./epochs.ts";
import { addEvent } from "./events.ts";
import { check, type Ground, unexpected } from "./ground.ts";
import { moveRun, rankOf, readRun } from "./run_moves.ts";

const KNOWN = `
SELECT id, body FROM runs JOIN manifests ON run_id = id WHERE id = ?1
UNION ALL
SELECT id, body FROM runs JOIN manifests ON run_id = id WHERE key = ?2`;
const ADD_RUN = `
INSERT INTO runs (id, key, name, state, priority, rank, epoch, round, token, sequence, crash_count,
  submitted_at, queued_at, available_at)
VALUES (?1, ?2, ?3, 'queued', ?4, ?5, ?6, 1, 0, 0, 0, ?7, ?7, 0)`;
const ADD_MANIFEST = "INSERT INTO manifests (run_id, body) VALUES (?, ?)";
const ADD_TASK = `
INSERT INTO tasks (run_id, id, position, state, pass, passes, max_attempts, backoff_ms,
  max_backoff_ms, available_at, attempt)
VALUES (?, ?, ?, 'pending', 1, ?, ?, ?, ?, 0, 0)`;
const ADD_NEED = "INSERT INTO needs (run_id, task_id, need_id) VALUES (?, ?, ?)";

/** Queues a run, or finds that it is there. */
export function submit(ground: Ground, submission: Submission, body: string): SubmitResult {
  const { connection } = ground;
  const { runId, key, priority, epoch, manifest } = submission;
  if (check(ground, epoch).latched) return { kind: "stopped" };
  const known = connection.get(KNOWN, runId, key);
  if (known !== undefined) {
    return { kind: known.body === body ? "known" : "key-taken", runId: known.id as string };
  }
  const now = connection.now();
  connection.change(
    ADD_RUN,
    runId,
    key,
    manifest.name,
    priority,
    rankOf(now, priority),
    epoch,
    now,
  );
  connection.change(ADD_MANIFEST, runId, body);
  for (const [index, task] of manifest.tasks.entries()) {
    addTask(ground, runId, manifest, task, index);
  }
  raiseEpoch(connection, epoch);
  const about = { taskId: null, pass: 0, attempt: 0, owner: null };
  const stands = { runId, token: 0, epoch, round: 1, reason: null, message: null };
  addEvent(connection, {
    at: now,
    kind: "run-submitted",
    from: null,
    to: "queued",
    ...about,
    ...stands,
  });
  return { kind: "submitted", runId };
}

function addTask(
  { connection }: Ground,
  runId: string,
  { blocks }: Manifest,
  { id, block: name, passes, needs }: Task,
  index: number,
): void {
  const block = Object.hasOwn(blocks, name) ? blocks[name] : undefined;
  if (block === undefined) {
    throw new SkeinError("manifest-invalid", `Cannot queue task "${id}": no block is "${name}"`, {
      where: runId,
      next: "Submit a canonical manifest",
    });
  }
  const { maxAttempts, backoffMs, maxBackoffMs } = block.retry;
  const retry = [maxAttempts, backoffMs, maxBackoffMs] as const;
  connection.change(ADD_TASK, runId, id, index, passes ?? block.passes, ...retry);
  for (const need of needs) connection.change(ADD_NEED, runId, id, need);
}

/** Cancels a run, or requests it. */
export function cancel(ground: Ground, runId: string, by: string): CancelResult {
  const run = readRun(ground, runId);
  if (run === null) return { kind: "unknown" };
  const now = ground.connection.now();
  const facts = { cancelRequested: run.cancelRequestedAt !== null };
  const moved = moveRun(ground, run, "cancel", facts, { now, by });
  if (moved.kind === "moved") {
    return { kind: moved.run.state === "running" ? "requested" : "cancelled" };
  }
  switch (moved.why) {
    case "already":
      return { kind: "already" };
    case "ended":
      return { kind: "ended", state: run.state };
    default:
      throw unexpected(`cancel run "${runId}"`, moved.why);
  }
}

/** Reopens a run that has ended. */
export function retry(ground: Ground, runId: string, request: RetryRequest): RetryResult {
  const run = readRun(ground, runId);
  if (run === null) return { kind: "unknown" };
  const { failedOnly, by } = request;
  const now = ground.connection.now();
  const facts = { ...check(ground, request.epoch), runEpoch: run.epoch, failedOnly };
  const moved = moveRun(ground, run, "retry", facts, { now, by });
  if (moved.kind === "moved") {
    raiseEpoch(ground.connection, moved.run.epoch);
    return { kind: "requeued", round: moved.run.round, reopened: moved.tasks };
  }
  switch (moved.why) {
    case "latched":
      return { kind: "stopped" };
    case "outdated":
    case "succeeded":
    case "not-ended":
      return { kind: "refused", why: moved.why, state: run.state };
    default:
      throw unexpected(`retry run "${runId}"`, moved.why);
  }
}
