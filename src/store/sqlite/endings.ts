import type { HandBackReason, QueuedRun, Refusal, RunState, TaskGroup } from "../../model/mod.ts";
import type { FinishRequest, FinishResult, LeaseRef } from "../claims.ts";
import { check, type Ground, unexpected } from "./ground.ts";
import { moveRun, readRun } from "./run_moves.ts";

const GROUPS = `
SELECT state, reason, count(*) AS count FROM tasks WHERE run_id = ? GROUP BY state, reason`;
const UNSETTLED = `
SELECT id FROM tasks WHERE run_id = ? AND state IN ('pending', 'running') ORDER BY position`;

/** Ends a run with the verdict of its tasks. */
export function finishRun(
  ground: Ground,
  ref: LeaseRef,
  { timedOut = false }: FinishRequest,
): FinishResult {
  const run = readRun(ground, ref.runId);
  if (run === null) return { kind: "stale" };
  const now = ground.connection.now();
  const facts = {
    ...check(ground, null),
    runEpoch: run.epoch,
    holder: holderOf(run),
    caller: ref,
    leaseExpiresAt: run.leaseExpiresAt,
    now,
    tasks: groupsOf(ground, run.id),
    cancelRequested: run.cancelRequestedAt !== null,
    timedOut,
  };
  const moved = moveRun(ground, run, "finish", facts, { now, by: ref.owner });
  return moved.kind === "moved"
    ? finished(moved.run, now)
    : refusedFinish(ground, run, ref, moved.why, now);
}

function refusedFinish(
  ground: Ground,
  run: QueuedRun,
  ref: LeaseRef,
  why: Refusal,
  now: number,
): FinishResult {
  switch (why) {
    case "latched":
    case "invalidated":
      return { kind: "stopped" };
    case "unsettled": {
      const rows = ground.connection.all(UNSETTLED, run.id);
      return { kind: "unsettled", tasks: rows.map(({ id }) => id as string) };
    }
    case "stale": {
      // Its own end keeps owner and token: the answer was lost.
      const own = run.finishedAt !== null && run.owner === ref.owner && run.token === ref.token;
      return own ? finished(run, now) : { kind: "stale" };
    }
    default:
      throw unexpected(`finish run "${run.id}"`, why);
  }
}

function finished({ id, state, reason }: QueuedRun, at: number): FinishResult {
  if (isEnded(state)) return { kind: "finished", state, reason, at };
  throw unexpected(`finish run "${id}"`, "impossible");
}

function isEnded(state: RunState): state is Exclude<RunState, "queued" | "running"> {
  return state !== "queued" && state !== "running";
}

/** Hands a run back at a clean stop. */
export function handBack(ground: Ground, ref: LeaseRef, reason: HandBackReason): boolean {
  const run = readRun(ground, ref.runId);
  if (run === null) return false;
  const now = ground.connection.now();
  const facts = {
    epoch: check(ground, null).epoch,
    runEpoch: run.epoch,
    holder: holderOf(run),
    caller: ref,
    reason,
    dueAt: now,
    cancelRequested: run.cancelRequestedAt !== null,
  };
  const moved = moveRun(ground, run, "hand-back", facts, { now, by: ref.owner });
  if (moved.kind === "moved") return true;
  if (moved.why === "stale") return false;
  throw unexpected(`hand back run "${ref.runId}"`, moved.why);
}

/** The tasks of a run by state and reason. */
export function groupsOf({ connection }: Ground, runId: string): TaskGroup[] {
  return connection.all(GROUPS, runId).map(({ state, reason, count }) => ({
    state: state as TaskGroup["state"],
    reason: reason as string | null,
    count: count as number,
  }));
}

function holderOf({ owner, token }: QueuedRun): { owner: string; token: number } | null {
  return owner === null ? null : { owner, token };
}
