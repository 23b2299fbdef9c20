/**
 * Named points at which the crash tests end or hold the process. Owns one function that does nothing; the tests
 * swap this module through an import map.
 *
 * @module
 */

/** The transactions of the queue that write, by what they do. */
export type QueueWrite =
  | "claim"
  | "start"
  | "settle"
  | "finish"
  | "renew"
  | "reap"
  | "recover"
  | "drain"
  | "cancel"
  | "retry"
  | "submit"
  | "migration";

/** The closed set of points. */
export type FaultPoint =
  | "stop.locked"
  | "stop.read"
  | "stop.linked"
  | "stop.epoch-written"
  | "stop.lock-held"
  | "reset.epoch-written"
  | "reset.stop-aside"
  | "reset.stop-removed"
  | "run.lock-held"
  | "run.epoch-read"
  | "run.lease-written"
  | "run.spawned"
  | "run.exited"
  | "run.renamed"
  | "run.rechecked"
  | "run.reported"
  // The check was made inside of the transaction.
  | "claim.stop-read"
  | "settle.checked"
  // Everything is written, and nothing committed.
  | `${QueueWrite}.before-commit`
  // It is committed, and nobody has been told.
  | `${QueueWrite}.committed`;

/** Passes a named point. */
export function point(_name: FaultPoint): void {}
