/**
 * Skein as a library: run a manifest behind the fence, stop the swarm, ask what a lease is worth, guard what it
 * writes to.
 *
 * @example
 * ```ts
 * import { functionExecutor, run, validateManifest } from "@skein/cli/lib";
 *
 * const decoded = await validateManifest({
 *   version: 1,
 *   blocks: { greet: { argv: ["greet"] } },
 *   tasks: [{ id: "a", block: "greet" }],
 * });
 * if (!decoded.ok) throw new Error("The manifest is not valid");
 * // In memory: no files and no processes. Without `inMemory` it runs behind the fence of `stateDir`.
 * const report = await run(decoded.manifest, {
 *   inMemory: true,
 *   executor: functionExecutor(({ task }) => `hello from ${task.id}`),
 * });
 * if (report.status !== "succeeded") throw new Error(report.status);
 * ```
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
export { requestStop, resetStop, run } from "./library.ts";
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
} from "./manifest.ts";
export { type CarriedLease, carriedLease, type CarriedLeaseRead } from "./model/carried_lease.ts";
export {
  SkeinError,
  type SkeinErrorCode,
  type SkeinErrorDetail,
  StoppedError,
} from "./model/error.ts";
export {
  type GateAnswer,
  type GateLease,
  type GateMark,
  type GateRefusal,
  passGate,
} from "./model/gate.ts";
export { type Lease, leaseValid } from "./model/lease.ts";
export type {
  Block,
  Diagnostic,
  FoundProcess,
  Limits,
  Manifest,
  Outcome,
  OutcomeKind,
  ProcessIdentity,
  Report,
  Retry,
  RunStatus,
  Task,
  TaskCounts,
  TaskReport,
  TaskStatus,
} from "./model/mod.ts";
