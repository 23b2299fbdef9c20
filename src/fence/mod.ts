/**
 * The fence: EPOCH and STOP, stop and reset, what a lease is worth now. Owns the state directory's small files and
 * the protocols over them; refuses to start anything unless there is nothing at STOP, and to read a corrupt epoch as
 * any number; holds promises G1, G2, G3 and G5.
 *
 * @module
 */
export type { EpochKeeper, FenceDiskOptions, ProcessControl } from "./disk.ts";
export { type Entrant, Fence } from "./fence.ts";
export {
  buryHolders,
  Holder,
  type HolderRecord,
  type HoldersSeen,
  type LiveHolder,
  readHolders,
} from "./holders.ts";
export { currentEpoch } from "./current.ts";
export { latchStop, prepareForStop, proveStop, resetLatch, type StopDraft } from "./latch.ts";
export type { ResetRequest, ResetResult, Stopped } from "./protocol.ts";
export type { StopAuthor, StopRecord } from "./record.ts";
export { isUsed, prepareStateDir } from "./prepare.ts";
export { isClear, isLatched, lookAtStop, readSwarmId, unusable } from "./state.ts";
export { type FenceStatus, readFence } from "./status.ts";
