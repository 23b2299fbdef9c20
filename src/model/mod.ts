/**
 * Types, ids, the lease predicate and the state tables of the queue. Owns what a manifest, a lease, an outcome, a report
 * and a queued run are; refuses to read the time, a file or the machine; holds the pure half of promises G3, G7 to G9
 * and G11.
 *
 * @module
 */
export { type CarriedLease, carriedLease, type CarriedLeaseRead } from "./carried_lease.ts";
export { EVENT_KINDS, type EventKind, type RunEvent } from "./event.ts";
export {
  messageOf,
  SkeinError,
  type SkeinErrorCode,
  type SkeinErrorDetail,
  StoppedError,
} from "./error.ts";
export {
  type GateAnswer,
  type GateLease,
  type GateMark,
  type GateRefusal,
  passGate,
} from "./gate.ts";
export { isPositiveInteger, type Lease, leaseValid } from "./lease.ts";
export { formatLineage, LINEAGE_VARIABLE, type LineageSegment, parseLineage } from "./lineage.ts";
export type { CheckFacts, Decision, Holder, HolderFacts, Refusal } from "./machine.ts";
export type { CancelReason, HandBackReason, MachineReason } from "./machine_reason.ts";
export {
  type Block,
  type Diagnostic,
  type Limits,
  type Manifest,
  MANIFEST_LIMITS,
  type Retry,
  type Task,
} from "./manifest.ts";
export { fileNameOf, LONGEST_FILE_NAME } from "./names.ts";
export { isRetryable, type Outcome, type OutcomeKind, readOutcome } from "./outcome.ts";
export type { FoundProcess, KillReport, ProcessIdentity } from "./process.ts";
export type {
  AttemptRow,
  AttemptState,
  QueuedRun,
  QueuedTask,
  SettledOutput,
  StoreEvent,
  StoreEventKind,
} from "./queue.ts";
export type { Report, RunStatus, TaskCounts, TaskReport, TaskStatus } from "./run.ts";
export type { RunEffect, RunFacts, RunMove, RunState, TaskOrder } from "./run_moves.ts";
export type {
  AttemptEnd,
  AttemptNumber,
  NoFacts,
  SettleFacts,
  StartFacts,
  TaskEffect,
  TaskFacts,
  TaskMove,
  TaskState,
  TryFacts,
} from "./task_moves.ts";
export type { RunCause, RunVerdict, TaskGroup } from "./verdict.ts";
