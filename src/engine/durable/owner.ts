import { type Clock, mintRunId, type Rng } from "../../clock/mod.ts";

/** A name for an executor, which no other has: it sorts by time, as run ids do. */
export function mintOwner(clock: Clock, rng: Rng): string {
  return `executor-${mintRunId(clock, rng)}`;
}
