import type { QueuedRun } from "../../model/mod.ts";
import { jitteredBackoff } from "../../model/machines.ts";
import type { LossTerms, ReapedRun, RecoverResult } from "../losses.ts";
import type { ClosedRun } from "../operators.ts";
import { check, type Ground, unexpected } from "./ground.ts";
import { moveRun, readRun, type RunMoved } from "./run_moves.ts";

const EXPIRED = `
SELECT id FROM runs WHERE state = 'running' AND (lease_expires_at <= ? OR epoch < ?)
ORDER BY lease_expires_at LIMIT ?`;
const OUTDATED = `
SELECT id FROM runs WHERE state = 'running' AND epoch < ?1
UNION ALL
SELECT id FROM runs WHERE state = 'queued' AND epoch < ?1`;

/** The running runs that a sweep looks at. */
export function lost(ground: Ground, { allowanceMs }: LossTerms, limit: number): string[] {
  const { connection } = ground;
  const expired = connection.now() - allowanceMs;
  const { epoch } = check(ground, null);
  return connection.all(EXPIRED, expired, epoch, limit).map(({ id }) => id as string);
}

/** Takes a run from an executor that lost it. */
export function lose(ground: Ground, runId: string, terms: LossTerms): RecoverResult {
  const run = readRun(ground, runId);
  if (run === null) return { kind: "unknown" };
  if (run.state !== "running") return { kind: "not-running", state: run.state };
  const at = ground.connection.now();
  const moved = loseOrStop(ground, run, terms, at);
  if (moved.kind === "moved") return { kind: "recovered", ...reaped(run, moved.run) };
  switch (moved.why) {
    case "alive": {
      const expiresAt = (run.leaseExpiresAt ?? at) + terms.allowanceMs;
      return { kind: "alive", expiresAt, at };
    }
    case "latched":
      return { kind: "stopped" };
    default:
      throw unexpected(`recover run "${runId}"`, moved.why);
  }
}

function loseOrStop(
  ground: Ground,
  run: QueuedRun,
  { epoch: known, allowanceMs, backoff, maxCrashCount, gone: executors }: LossTerms,
  now: number,
): RunMoved {
  const { latched, epoch } = check(ground, known);
  const { epoch: runEpoch, owner: by, crashCount, leaseExpiresAt } = run;
  // Of an older epoch nothing is waited for: whatever still holds it can write nothing any more.
  if (runEpoch < epoch) return moveRun(ground, run, "stop", { epoch, runEpoch }, { now, by });
  const gone = by !== null && executors.includes(by);
  const losses = Math.max(1, crashCount + (gone ? 1 : 0));
  const facts = {
    latched,
    epoch,
    runEpoch,
    leaseExpiresAt,
    allowanceMs,
    now,
    cancelRequested: run.cancelRequestedAt !== null,
    gone,
    crashCount,
    maxCrashCount,
    dueAt: now + jitteredBackoff(losses, backoff, ground.connection.draw()),
  };
  const message = gone ? `Crash ${losses} of ${maxCrashCount}` : null;
  return moveRun(ground, run, "lose", facts, { now, by, message });
}

function reaped(before: QueuedRun, after: QueuedRun): ReapedRun {
  const { id: runId, owner, token } = before;
  const { state, reason, crashCount } = after;
  return {
    ref: { runId, owner: owner ?? "", token },
    state,
    reason,
    crashed: crashCount > before.crashCount,
    crashCount,
    availableAt: state === "queued" ? after.availableAt : null,
  };
}

/** The runs that a stop has invalidated. */
export function outdated({ connection }: Ground, epoch: number): string[] {
  return connection.all(OUTDATED, epoch).map(({ id }) => id as string);
}

/** Closes a run that a stop has invalidated; `null` where it is none. */
export function closeOutdated(ground: Ground, runId: string, epoch: number): ClosedRun | null {
  const run = readRun(ground, runId);
  if (run === null || (run.state !== "queued" && run.state !== "running")) return null;
  const { state: from, epoch: runEpoch, owner, token } = run;
  const now = ground.connection.now();
  const moved = moveRun(ground, run, "stop", { epoch, runEpoch }, { now, by: owner });
  return moved.kind === "moved" ? { runId, from, owner, token, epoch: runEpoch } : null;
}
