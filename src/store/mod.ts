/**
 * The durable queue: runs, tasks, attempts, claims, executors and the audit of every transition. Owns every SQL
 * statement, the migrations and fsck behind one interface, with a folder a dialect; refuses a write whose claim,
 * token or epoch is over, and takes no function, so that no process runs inside a transaction; holds promises G7, G9,
 * G10 and G11, and the queue's half of G1, G3 and G8.
 *
 * @module
 */
export type {
  AttemptRef,
  ClaimedRun,
  ClaimRefusal,
  ClaimRequest,
  ClaimResult,
  FinishRequest,
  FinishResult,
  LeaseRef,
  RenewResult,
  SettleResult,
  StartRefusal,
  StartResult,
  TaskVerdict,
} from "./claims.ts";
export type { ExecutorRow, Registration, RoleRow } from "./executors.ts";
export type { LossTerms, ReapedRun, ReapRequest, RecoverResult } from "./losses.ts";
export {
  type Durability,
  openStore,
  type StoreOptions,
  type StoreWait,
  type StoreWrite,
} from "./open.ts";
export type {
  CancelResult,
  ClosedRun,
  RetryRequest,
  RetryResult,
  Submission,
  SubmitResult,
} from "./operators.ts";
export type {
  PruneRequest,
  PruneResult,
  QueueCounts,
  RunFilter,
  RunLookup,
  Violation,
} from "./queries.ts";
export type { Latch, Store } from "./store.ts";
