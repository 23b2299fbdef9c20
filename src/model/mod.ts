/**
 * Types, ids and the lease predicate. Owns what a manifest, a lease, an outcome and a report are; refuses to
 * read the time, a file or the machine; holds the pure half of promise G3.
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
export type { Report, RunStatus, TaskCounts, TaskReport, TaskStatus } from "./run.ts";
