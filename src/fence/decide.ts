import { isPositiveInteger, type Lease, leaseValid } from "../model/lease.ts";
import type { EpochSeen, Look } from "./record.ts";

/** The epoch that a stop latches with: the next one, or 0 where the current one is not known. */
export function nextEpoch(epoch: EpochSeen): number {
  return epoch.ok && isPositiveInteger(epoch.epoch + 1) ? epoch.epoch + 1 : 0;
}

/** The current epoch: a valid STOP with a non-zero epoch wins; else EPOCH. 0 where it is not known. */
export function effectiveEpoch(look: Look, epoch: EpochSeen): number {
  return stopEpoch(look, epoch) || (epoch.ok ? epoch.epoch : 0);
}

/**
 * The epoch that STOP names; 0 without one. A record of an epoch that EPOCH has passed already is an old copy, and
 * names none.
 */
export function stopEpoch(look: Look, epoch: EpochSeen): number {
  if (look.at === "nothing" || look.record === null) return 0;
  return epoch.ok && look.record.epoch < epoch.epoch ? 0 : look.record.epoch;
}

/** Whether work under a lease may be admitted, published or accepted now. */
export function admissible(lease: Lease, look: Look, epoch: EpochSeen): boolean {
  return look.at === "nothing" && epoch.ok && leaseValid(lease, epoch.epoch);
}

/** What a reset decides from. */
export interface ResetFacts {
  /** What is at STOP. */
  readonly look: Look;
  /** What is in EPOCH. */
  readonly epoch: EpochSeen;
  /** The highest epoch in the run folders, the queue and the high-water copy. */
  readonly highest: number;
  /** What `--epoch` says. */
  readonly wanted: number | null;
}

/** The epoch after a reset, or why there is none. */
export type ResetDecision =
  | { readonly ok: true; readonly epoch: number }
  | { readonly ok: false; readonly problem: string; readonly next: string };

/** Which epoch a reset writes: the highest that it can see, never a lower or an unproven one. */
export function decideReset(facts: ResetFacts): ResetDecision {
  const { look, epoch, highest, wanted } = facts;
  const problem = epoch.ok ? (look.at === "something" ? look.problem : null) : epoch.problem;
  const floor = Math.max(highest, epoch.ok ? epoch.epoch : 0, stopEpoch(look, epoch));
  if (problem !== null || wanted !== null) return decideWanted(wanted, floor, problem);
  const due = look.at === "nothing"
    ? floor
    : Math.max(floor, stopEpoch(look, epoch) || (epoch.ok ? epoch.epoch + 1 : 0));
  if (isPositiveInteger(due)) return { ok: true, epoch: due };
  return {
    ok: false,
    problem: `The epoch is ${due}: there is none above it`,
    next: "Use a new state directory",
  };
}

function decideWanted(wanted: number | null, floor: number, problem: string | null): ResetDecision {
  if (wanted === null) {
    return {
      ok: false,
      problem: problem ?? "The epoch is not known",
      next: `Name an epoch above ${floor}: \`skein reset --epoch ${floor + 1}\``,
    };
  }
  if (isPositiveInteger(wanted) && wanted > floor) return { ok: true, epoch: wanted };
  return {
    ok: false,
    problem: `Epoch ${wanted} is not above ${floor}, the highest that can be seen`,
    next: `Name an epoch above it: \`skein reset --epoch ${floor + 1}\``,
  };
}
