import { type Clock, systemClock } from "../clock/mod.ts";
import { effectiveEpoch } from "./decide.ts";
import { type EpochKeeper, FenceDisk, type ProcessControl } from "./disk.ts";
import {
  latch,
  reset,
  type ResetRequest,
  type ResetResult,
  stop,
  type Stopped,
} from "./protocol.ts";
import type { StopAuthor, StopRecord } from "./record.ts";
import { isClear, lookAtStop, prepareStateDir, readEpoch } from "./state.ts";

/** What a stop is asked for. */
export interface StopDraft {
  /** Why. */
  readonly reason: string;
  /** Who asks. */
  readonly by: StopAuthor;
  /** Time; the machine's by default. */
  readonly clock?: Clock;
}

/** Sets the latch and nothing more: no process is looked for. */
export async function latchStop(stateDir: string, draft: StopDraft): Promise<Stopped> {
  return await withDisk(stateDir, { waitMs: 0, actor: "stop" }, async (disk) => {
    return { ...await disk.drive(latch(recordOf(draft))), proven: false, overtaken: false };
  });
}

/** Sets the latch and proves every process dead. */
export async function proveStop(
  stateDir: string,
  draft: StopDraft,
  waitMs: number,
  processes: ProcessControl,
): Promise<Stopped> {
  return await withDisk(stateDir, { waitMs, actor: "stop", processes }, (disk) => {
    return disk.drive(stop(recordOf(draft)));
  });
}

/**
 * Clears the latch. What keeps the epoch beside EPOCH is asked for the highest that it has seen, and raised before the
 * latch goes; where it cannot be, the latch stays, and its error is thrown.
 */
export async function resetLatch(
  stateDir: string,
  request: ResetRequest,
  waitMs: number,
  processes: ProcessControl,
  keeper?: EpochKeeper,
): Promise<ResetResult> {
  const keeping = keeper === undefined ? {} : { keeper };
  return await withDisk(stateDir, { waitMs, actor: "reset", processes, ...keeping }, (disk) => {
    return disk.drive(reset(request));
  });
}

/** What the fence says now. */
export interface FenceStatus {
  /** Whether anything is at STOP. */
  readonly stopped: boolean;
  /** The current epoch, 0 where it is not known. */
  readonly epoch: number;
  /** The record at STOP, `null` without one. */
  readonly record: StopRecord | null;
  /** What is wrong with STOP or EPOCH, `null` where nothing is. */
  readonly problem: string | null;
}

/** Reads the fence; makes nothing. */
export function readFence(stateDir: string): FenceStatus {
  const look = lookAtStop(stateDir);
  const epoch = readEpoch(stateDir);
  const problem = (look.at === "something" ? look.problem : null) ??
    (epoch.ok ? null : epoch.problem);
  return {
    stopped: look.at === "something",
    epoch: effectiveEpoch(look, epoch),
    record: look.at === "something" ? look.record : null,
    problem,
  };
}

function recordOf({ reason, by, clock = systemClock }: StopDraft): StopRecord {
  return { version: 1, epoch: 0, reason, requestedAt: new Date(clock.wall()).toISOString(), by };
}

async function withDisk<T>(
  stateDir: string,
  options: ConstructorParameters<typeof FenceDisk>[1],
  use: (disk: FenceDisk) => Promise<T>,
): Promise<T> {
  const disk = new FenceDisk(stateDir, options);
  try {
    return await use(disk);
  } finally {
    disk.close();
  }
}

/** Makes the folder that a stop needs; a full or unwritable disk does not keep it from trying to latch. */
export function prepareForStop(stateDir: string): void {
  if (!isClear(stateDir)) return;
  try {
    prepareStateDir(stateDir);
  } catch {
    // What could not be made is missed where it is needed: latching says what it lacked.
  }
}
