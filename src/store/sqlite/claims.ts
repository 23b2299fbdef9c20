import { point } from "../../faults/mod.ts";
import type { QueuedRun, Refusal } from "../../model/mod.ts";
import { reasonOfRefusal } from "../../model/machines.ts";
import type {
  AttemptRef,
  ClaimedRun,
  ClaimRequest,
  ClaimResult,
  LeaseRef,
  RenewResult,
} from "../claims.ts";
import { addEvent } from "./events.ts";
import { check, type Ground, unexpected } from "./ground.ts";
import { manifestTextOf, tasksOf } from "./reads.ts";
import { runOf } from "./rows.ts";
import { moveRun, readRun, type RunMoved } from "./run_moves.ts";

/** For how long a run that must execute alone lets others go first in a worker that is busy. */
const ALONE_PATIENCE_MS = 300_000;

const NEXT = `
SELECT * FROM runs
WHERE state = 'queued' AND epoch = ? AND available_at <= ?
  AND (crash_count = 0 OR available_at <= ?)
ORDER BY rank, id LIMIT 1`;
const NEXT_AT = `
SELECT min(available_at) AS next_at FROM runs
WHERE state = 'queued' AND epoch = ? AND available_at > ? AND (crash_count = 0 OR ?)`;
const RENEW = `
UPDATE runs SET lease_expires_at = ?
WHERE id = ? AND state = 'running' AND owner = ? AND token = ? AND lease_expires_at > ?`;
const CANCELLING = `
SELECT 1 FROM runs
WHERE id = ? AND state = 'running' AND owner = ? AND token = ? AND cancel_requested_at IS NOT NULL`;

/** What a claim came to, with the manifest as its text. */
export type ClaimOutcome =
  | Exclude<ClaimResult, { kind: "claimed" }>
  | ({ readonly kind: "claimed"; readonly body: string } & Omit<ClaimedRun, "manifest">);

/** Takes the run that is named, or the first of the queue. */
export function claim(ground: Ground, request: ClaimRequest): ClaimOutcome {
  const now = ground.connection.now();
  const checked = check(ground, request.epoch);
  point("claim.stop-read");
  if (request.runId !== undefined) {
    const run = readRun(ground, request.runId);
    if (run === null) return { kind: "refused", why: "unknown", availableAt: null };
    return answer(ground, run, take(ground, run, request, checked, now), request, now);
  }
  if (checked.latched) return { kind: "stopped" };
  const { busy = false } = request;
  const patience = busy ? now - ALONE_PATIENCE_MS : now;
  const row = ground.connection.get(NEXT, checked.epoch, now, patience);
  if (row === undefined) return { kind: "none", nextAt: nextAt(ground, request, now), at: now };
  const run = runOf(row);
  const taken = take(ground, run, request, checked, now);
  // It has been patient: the worker takes nothing else until it is free for it.
  if (taken.kind === "refused" && taken.why === "alone") {
    return { kind: "none", nextAt: null, at: now };
  }
  return answer(ground, run, taken, request, now);
}

function take(
  ground: Ground,
  run: QueuedRun,
  { owner, leaseTtlMs, busy = false }: ClaimRequest,
  checked: ReturnType<typeof check>,
  now: number,
): RunMoved {
  const { availableAt, crashCount, epoch: runEpoch } = run;
  const facts = { ...checked, runEpoch, availableAt, now, crashCount, busy };
  const detail = { now, by: owner, leaseExpiresAt: now + leaseTtlMs };
  return moveRun(ground, run, "claim", facts, detail);
}

function answer(
  ground: Ground,
  before: QueuedRun,
  moved: RunMoved,
  { owner, leaseTtlMs }: ClaimRequest,
  at: number,
): ClaimOutcome {
  if (moved.kind === "refused") return refusedClaim(before, moved.why);
  const { id: runId, token, epoch, round, crashCount, sequence } = moved.run;
  return {
    kind: "claimed",
    ref: { runId, owner, token },
    epoch,
    round,
    alone: crashCount > 0,
    sequence,
    at,
    leaseExpiresAt: at + leaseTtlMs,
    body: manifestTextOf(ground, runId),
    tasks: tasksOf(ground, runId),
  };
}

function refusedClaim(
  { id, availableAt }: QueuedRun,
  why: Refusal,
): ClaimOutcome {
  switch (why) {
    case "latched":
      return { kind: "stopped" };
    case "invalidated":
    case "deferred":
    case "alone":
    case "not-queued":
      return { kind: "refused", why, availableAt: why === "deferred" ? availableAt : null };
    default:
      throw unexpected(`claim run "${id}"`, why);
  }
}

function nextAt(
  { connection }: Ground,
  { epoch, busy = false }: ClaimRequest,
  now: number,
): number | null {
  return connection.get(NEXT_AT, epoch, now, busy ? 0 : 1)?.next_at as number | null;
}

/** Renews claims that have not expired. */
export function renew(
  { connection }: Ground,
  refs: readonly LeaseRef[],
  leaseTtlMs: number,
): RenewResult {
  const at = connection.now();
  const expiresAt = at + leaseTtlMs;
  const renewed: LeaseRef[] = [];
  const lost: LeaseRef[] = [];
  for (const ref of refs) {
    const { runId, owner, token } = ref;
    const holds = connection.change(RENEW, expiresAt, runId, owner, token, at) === 1;
    (holds ? renewed : lost).push(ref);
  }
  return { at, expiresAt, renewed, lost };
}

/** Those of the claims that hold and whose run is to be cancelled. */
export function cancelRequested({ connection }: Ground, refs: readonly LeaseRef[]): LeaseRef[] {
  return refs.filter(({ runId, owner, token }) =>
    connection.get(CANCELLING, runId, owner, token) !== undefined
  );
}

/** Notes that a write was refused. */
export function refuseNote(
  ground: Ground,
  ref: LeaseRef,
  attempt: AttemptRef | null,
  why: "stale" | "stopped",
  message: string,
): void {
  const run = readRun(ground, ref.runId);
  if (run === null) return;
  addEvent(ground.connection, {
    runId: run.id,
    at: ground.connection.now(),
    kind: "write-refused",
    taskId: attempt?.taskId ?? null,
    from: null,
    to: null,
    reason: reasonOfRefusal(why === "stale" ? "stale" : "latched"),
    pass: attempt?.pass ?? 0,
    attempt: attempt?.attempt ?? 0,
    owner: ref.owner,
    token: ref.token,
    epoch: run.epoch,
    round: run.round,
    message,
  });
}
