/**
 * The durable engine: executes queued runs under claims, renews them, takes those of executors that died, and drains.
 * Owns the order of claim, start, process, settle and finish, and the belief in what is held; refuses to run a process
 * inside a transaction, or under a claim that may be somebody else's; holds promises G3, G7, G8, G9 and G11 together
 * with the store.
 *
 * @module
 */
export {
  type ArtifactOwner,
  type ArtifactPaths,
  artifactPaths,
  queuedRunFolder,
  removeRunFolders,
} from "./artifacts.ts";
export { type Begun, type ClaimOptions, Engine, type OngoingRun } from "./engine.ts";
export type { Executed, Unclaimed } from "./executed.ts";
export {
  machineProcesses,
  noProcesses,
  type OlderProcesses,
  type OlderTrees,
} from "./older_processes.ts";
export {
  DEFAULT_LEASE_TTL_MS,
  DEFAULT_MAX_CRASH_COUNT,
  DEFAULT_POLL_INTERVAL_MS,
  DEFAULT_REAP_INTERVAL_MS,
  DEFAULT_REQUEUE_BACKOFF,
  type EngineNotice,
  type EngineOptions,
  type EngineSettings,
  type EngineTiming,
} from "./options.ts";
export {
  type EngineFence,
  latchOfFence,
  latchOfState,
  openQueue,
  outsideFence,
  type QueueOptions,
  queuePath,
} from "./site.ts";
export { Worker } from "./worker.ts";
export {
  DEFAULT_DRAIN_GRACE_MS,
  DEFAULT_KEEP_RUNS,
  type WorkerEnd,
  type WorkerNotice,
  type WorkerOptions,
  type WorkerUntil,
} from "./worker_options.ts";
