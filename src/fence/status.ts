import { effectiveEpoch } from "./decide.ts";
import type { StopRecord } from "./record.ts";
import { lookAtStop, readEpoch } from "./state.ts";

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
