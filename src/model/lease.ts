/** The right to run one attempt of one pass and to publish its result. A fencing token, not a credential. */
export interface Lease {
  /** The run that issued it. */
  readonly runId: string;
  /** The task. */
  readonly taskId: string;
  /** The pass, from 1. */
  readonly pass: number;
  /** The attempt at the pass, from 1. */
  readonly attempt: number;
  /** The epoch of the run. */
  readonly epoch: number;
  /** Rises by one with every lease of a run, from 1. */
  readonly sequence: number;
  /** When it was issued: ISO 8601, UTC. */
  readonly issuedAt: string;
  /** For queued runs: the claim's fencing token. */
  readonly token?: number;
}

/** Whether a value is a whole number above zero that a double holds exactly. */
export function isPositiveInteger(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) > 0;
}

/**
 * What a lease is worth under an epoch that the caller read: `true` only if the epoch is equal, the run id and
 * the task id are not empty, and sequence and pass are positive. Numbers that are not positive safe integers
 * never pass, and nothing is read here.
 *
 * @example
 * ```ts
 * import { leaseValid } from "@skein/cli";
 *
 * const lease = { runId: "r", taskId: "a", pass: 1, attempt: 1, epoch: 3, sequence: 9, issuedAt: "" };
 * leaseValid(lease, 3); // true
 * leaseValid(lease, 4); // false: a stop and a reset have passed
 * ```
 */
export function leaseValid(lease: Lease, currentEpoch: number): boolean {
  return isPositiveInteger(currentEpoch) && lease.epoch === currentEpoch &&
    typeof lease.runId === "string" && lease.runId !== "" &&
    isPositiveInteger(lease.sequence) &&
    typeof lease.taskId === "string" && lease.taskId !== "" &&
    isPositiveInteger(lease.pass);
}
