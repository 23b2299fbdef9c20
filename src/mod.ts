/**
 * Skein as a library: run a manifest behind the fence, stop the swarm, ask what a lease is worth.
 *
 * @module
 */
export {
  type Ending,
  type Execution,
  type Executor,
  functionExecutor,
  type FunctionResult,
  type OrphansEnded,
  type PassInput,
  type PassOutput,
  processExecutor,
  type Progress,
  requestStop,
  type ResetAnswer,
  type ResetOptions,
  resetStop,
  run,
  type RunContext,
  type RunOptions,
  type StopAnswer,
  type StopOptions,
} from "./engine/mod.ts";
export type { Clock, Rng } from "./clock/mod.ts";
export { currentEpoch, type ResetResult } from "./fence/mod.ts";
export {
  type BlockInput,
  type Decoded,
  formatDiagnostic,
  type LimitsInput,
  loadManifest,
  ManifestError,
  type ManifestInput,
  type RetryInput,
  type TaskInput,
  validateManifest,
} from "./manifest/mod.ts";
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
