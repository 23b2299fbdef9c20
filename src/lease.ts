/**
 * Leases alone: what a destination outside needs to refuse a late write, and a command to read its own lease. Small
 * enough for a driver or a proxy: no engine, no store, no process and no package is loaded.
 *
 * @example
 * ```ts
 * import { type GateMark, passGate } from "@skein/cli/lease";
 *
 * // What the destination keeps with what is written, and changes in the same transaction.
 * let mark: GateMark = { epoch: 1, token: 1, sequence: 4 };
 * const lease = { runId: "r", taskId: "a", epoch: 1, token: 2, sequence: 1 };
 * const answer = passGate(lease, mark);
 * if (!answer.admitted) throw new Error(answer.message);
 * mark = answer.mark; // { epoch: 1, token: 2, sequence: 1 }
 * ```
 *
 * @module
 */
export { currentEpoch } from "./fence/current.ts";
export { type CarriedLease, carriedLease, type CarriedLeaseRead } from "./model/carried_lease.ts";
export { SkeinError, type SkeinErrorCode, type SkeinErrorDetail } from "./model/error.ts";
export {
  type GateAnswer,
  type GateLease,
  type GateMark,
  type GateRefusal,
  passGate,
} from "./model/gate.ts";
export { type Lease, leaseValid } from "./model/lease.ts";
