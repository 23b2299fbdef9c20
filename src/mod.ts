/**
 * Skein as a library: run a manifest behind the fence, stop the swarm, ask what a lease is worth.
 *
 * @module
 */
export type { Clock, Rng } from "./clock/mod.ts";
export {
  type Ending,
  type Execution,
  type Executor,
  functionExecutor,
  type FunctionResult,
  type PassInput,
  type PassOutput,
  type RunContext,
} from "./engine/executor.ts";
export { processExecutor } from "./engine/process_executor.ts";
export type { OrphansEnded, Progress, RunOptions } from "./engine/run.ts";
export type { ResetAnswer, ResetOptions, StopAnswer, StopOptions } from "./engine/stop.ts";
export { currentEpoch } from "./fence/current.ts";
export type { ResetResult } from "./fence/protocol.ts";
export { loadManifest, requestStop, resetStop, run, validateManifest } from "./library.ts";
export type { Decoded } from "./manifest/decode.ts";
export { formatDiagnostic, ManifestError } from "./manifest/error.ts";
export type {
  BlockInput,
  LimitsInput,
  ManifestInput,
  RetryInput,
  TaskInput,
} from "./manifest/input.ts";
export {
  type Block,
  type Diagnostic,
  type FoundProcess,
  type Lease,
  leaseValid,
  type Limits,
  type Manifest,
  type Outcome,
  type OutcomeKind,
  type ProcessIdentity,
  type Report,
  type Retry,
  type RunStatus,
  SkeinError,
  type SkeinErrorCode,
  type SkeinErrorDetail,
  StoppedError,
  type Task,
  type TaskCounts,
  type TaskReport,
  type TaskStatus,
} from "./model/mod.ts";
