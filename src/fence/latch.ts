import { type Clock, systemClock } from "../clock/mod.ts";
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
import { prepareStateDir } from "./prepare.ts";
import { isClear } from "./state.ts";

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
