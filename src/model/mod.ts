/**
 * Types, ids, the lease predicate and the state tables of the queue. Owns what a manifest, a lease, an outcome, a report
 * and a queued run are; refuses to read the time, a file or the machine; holds the pure half of promises G3, G7 to G9
 * and G11.
 *
 * @module
 */
export { EVENT_KINDS, type EventKind, type RunEvent } from "./event.ts";
export {
  messageOf,
  SkeinError,
  type SkeinErrorCode,
  type SkeinErrorDetail,
  StoppedError,
} from "./error.ts";
export { isPositiveInteger, type Lease, leaseValid } from "./lease.ts";
export { formatLineage, LINEAGE_VARIABLE, type LineageSegment, parseLineage } from "./lineage.ts";
export {
  type CheckFacts,
  type Decision,
  type Holder,
  type HolderFacts,
  isHolder,
  jitteredBackoff,
  reasonOfRefusal,
  type Refusal,
  REFUSALS,
} from "./machine.ts";
export {
  type CancelReason,
  type HandBackReason,
  isHandBackReason,
  type MachineReason,
} from "./machine_reason.ts";
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
export { isOutcome, isRetryable, type Outcome, type OutcomeKind } from "./outcome.ts";
export type { FoundProcess, KillReport, ProcessIdentity } from "./process.ts";
export {
  type AttemptRow,
  type AttemptState,
  type QueuedRun,
  type QueuedTask,
  RUN_EVENT_KINDS,
  type SettledOutput,
  STORE_EVENT_KINDS,
  type StoreEvent,
  type StoreEventKind,
  TASK_EVENT_KINDS,
} from "./queue.ts";
export type { Report, RunStatus, TaskCounts, TaskReport, TaskStatus } from "./run.ts";
export { decideRun } from "./run_machine.ts";
export type { RunEffect, RunFacts, RunMove, RunState, TaskOrder } from "./run_moves.ts";
export { decideTask } from "./task_machine.ts";
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
export {
  type RunCause,
  type RunVerdict,
  type TaskGroup,
  verdictAgrees,
  verdictOfRun,
  verdictOfTasks,
} from "./verdict.ts";
