/**
 * The engine: which task is next, the local run, stop and reset. Owns the scheduler, the loop of passes and attempts
 * and the run's folder; refuses to run a lease that the fence does not hold for valid; holds promises G3, G5 and G12.
 *
 * @module
 */
export type {
  Ending,
  Execution,
  Executor,
  FunctionResult,
  PassInput,
  PassOutput,
  RunContext,
} from "./executor.ts";
export { functionExecutor } from "./executor.ts";
export {
  findRun,
  listRuns,
  listStreams,
  readRunManifest,
  type RunSummary,
  type StreamFileName,
} from "./history.ts";
export { processExecutor } from "./process_executor.ts";
export { DEFAULT_GRACE_MS, type OrphansEnded, type Progress, run, type RunOptions } from "./run.ts";
export {
  DEFAULT_WAIT_MS,
  emergencyStop,
  isInside,
  requestStop,
  type ResetAnswer,
  type ResetOptions,
  resetStop,
  type StopAnswer,
  type StopOptions,
} from "./stop.ts";
