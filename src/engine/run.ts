import { absolutePath } from "../disk/mod.ts";
import {
  type Clock,
  CoarseClock,
  isoTime,
  mintRunId,
  type Rng,
  roundedMs,
  systemClock,
  systemRng,
} from "../clock/mod.ts";
import { buryHolders, Fence, readHolders } from "../fence/mod.ts";
import { point } from "../faults/mod.ts";
import { frozenTasks, type Graph, graphOf } from "../manifest/graph.ts";
import {
  type Manifest,
  messageOf,
  type Report,
  SkeinError,
  type TaskCounts,
} from "../model/mod.ts";
import { verdictOfRun } from "../model/machines.ts";
import { platform } from "../proc/mod.ts";
import { EventFile, type EventLog } from "./events.ts";
import { checkExecutor, type Executor, type RunContext } from "./executor.ts";
import { RunLoop } from "./loop.ts";
import type { Ground, Plan } from "./plan.ts";
import { processExecutor } from "./process_executor.ts";
import { checkInputs, RunFolder } from "./run_folder.ts";
import { FolderStage, MemoryStage } from "./stage.ts";
import { StopNotice } from "./stop_notice.ts";
import { checkPermissions } from "./tools.ts";
import { withTasks } from "./lazy_tasks.ts";
import { killOrphans } from "./tracked.ts";

/** How far a run is. */
export interface Progress {
  /** The run. */
  readonly runId: string;
  /** Tasks that run now. */
  readonly running: number;
  /** Tasks by how they ended. */
  readonly counts: TaskCounts;
}

/** How {@linkcode run} runs. */
export interface RunOptions {
  /** The state directory; `.skein` by default. */
  readonly stateDir?: string;
  /** Tasks at the same time; the manifest's by default. */
  readonly workers?: number;
  /** What runs an attempt; {@linkcode processExecutor} by default. */
  readonly executor?: Executor;
  /** Stops admitting tasks once one has failed. */
  readonly failFast?: boolean;
  /** Whether events are written; they are by default. */
  readonly events?: boolean;
  /** Flushes and syncs each event, and each output before it is published. */
  readonly sync?: boolean;
  /**
   * Skips artifacts, lease files, locks and the look at STOP; leases are made and checked all the same. Durations of
   * tasks are exact to a millisecond.
   */
  readonly inMemory?: boolean;
  /** Cancels the run: processes are asked to end, and killed after the grace. */
  readonly signal?: AbortSignal;
  /** Ends the grace; where nothing has been cancelled, cancels without one. */
  readonly kill?: AbortSignal;
  /** Milliseconds between the asking and the killing of a process; 5000 by default. */
  readonly graceMs?: number;
  /** Called whenever a task has started or ended. */
  readonly onProgress?: (progress: Progress) => void;
  /**
   * Promises that this process has no children but the run's. It then may adopt their orphans, which makes the search
   * for what a pass leaves behind cheaper, and complete on Linux. For a program that does nothing else.
   */
  readonly ownsProcess?: boolean;
  /** Leaves the processes of runs whose orchestrator is gone alone. They are ended before the run starts otherwise. */
  readonly keepOrphans?: boolean;
  /** Called with what was found of such runs, before anything starts. */
  readonly onOrphans?: (orphans: OrphansEnded) => void;
  /** Time; the machine's by default. */
  readonly clock?: Clock;
  /** Chance; the machine's by default. */
  readonly rng?: Rng;
}

/** What runs whose orchestrator is gone had left alive. */
export interface OrphansEnded {
  /** Processes that were killed. */
  readonly killed: number;
  /** The runs, as far as they are known. */
  readonly runs: readonly string[];
}

/** How long an ending process has by default. */
export const DEFAULT_GRACE_MS = 5000;

/**
 * Runs a manifest to its end and returns its report.
 *
 * @throws {StoppedError} when the swarm is stopped: nothing was started. A run that is stopped on the way returns a
 * report with status `stopped`.
 * @throws {SkeinError} when an input is missing, or the state directory is corrupt or cannot be written.
 *
 * @example
 * ```ts ignore
 * import { loadManifest, run } from "@skein/cli";
 *
 * const report = await run(await loadManifest("swarm.json"), { stateDir: ".skein" });
 * if (report.status !== "succeeded") throw new Error(`${report.counts.failed} tasks failed`);
 * ```
 */
export async function run(manifest: Manifest, options: RunOptions = {}): Promise<Report> {
  const plan = planOf(manifest, options);
  if (options.executor !== undefined) checkExecutor(options.executor);
  return options.inMemory === true
    ? await runInMemory(plan, options)
    : await runBehindFence(plan, options);
}

function planOf(manifest: Manifest, options: RunOptions): Plan {
  const { workers = manifest.workers, failFast = false, graceMs = DEFAULT_GRACE_MS } = options;
  if (!Number.isSafeInteger(workers) || workers < 0 || workers > 65_536) {
    throw new SkeinError("usage", `Cannot run with ${workers} workers: it must be 0 to 65536`);
  }
  if (!Number.isFinite(graceMs) || graceMs < 0) {
    throw new SkeinError("usage", `Cannot run with a grace of ${graceMs} ms: it must be 0 or more`);
  }
  // The run's own: what changes in the caller's manifest on the way changes neither the run nor its report.
  const tasks = frozenTasks(manifest.tasks);
  const graph = graphOf(tasks);
  if (tasks !== manifest.tasks) checkTasks(tasks, graph);
  return {
    manifest: tasks === manifest.tasks ? manifest : { ...manifest, tasks },
    graph,
    workers: workers > 0 ? workers : Math.max(1, navigator.hardwareConcurrency),
    failFast,
    graceMs,
  };
}

/** What no decoder has seen may name a task that is not there, or one name twice. */
function checkTasks(tasks: Manifest["tasks"], { indexOf }: Graph): void {
  tasks.forEach(({ id, needs }, index) => {
    const missing = needs.find((need) => !indexOf.has(need));
    const problem = indexOf.get(id) !== index
      ? `another task has the name "${id}"`
      : missing === undefined
      ? null
      : `task "${id}" needs "${missing}", which is no task`;
    if (problem === null) return;
    throw new SkeinError("manifest-invalid", `Cannot run this manifest: ${problem}`, {
      next: "Decode it first: `validateManifest` says all that is wrong with it",
    });
  });
}

async function runInMemory(plan: Plan, options: RunOptions): Promise<Report> {
  const { clock = systemClock, rng = systemRng, executor } = options;
  if (executor === undefined || executor === processExecutor) {
    throw new SkeinError("usage", "Cannot run processes in memory: they write files", {
      next: "Pass another executor, such as `functionExecutor`",
    });
  }
  const context = {
    runId: mintRunId(clock, rng),
    epoch: 1,
    swarm: "",
    stateDir: "",
    ownsProcess: false,
    manifest: plan.manifest,
  };
  const stage = new MemoryStage(context.epoch, plan.manifest);
  return await execute(plan, options, { stage, executor, context, events: null, folder: null });
}

async function runBehindFence(plan: Plan, options: RunOptions): Promise<Report> {
  const { clock = systemClock, rng = systemRng, executor = processExecutor } = options;
  const { ownsProcess = false } = options;
  const { manifest } = plan;
  const stateDir = absolutePath(options.stateDir ?? ".skein");
  const runId = mintRunId(clock, rng);
  checkInputs(manifest);
  if (executor === processExecutor) checkPermissions(manifest);
  const fence = await Fence.enter(stateDir, { process: platform.self(), runId, clock, rng });
  try {
    if (options.keepOrphans !== true) await endOrphans(stateDir, options.onOrphans);
    const folder = RunFolder.create(stateDir, runId, manifest);
    folder.copyInputs(manifest);
    const context = {
      runId,
      epoch: fence.epoch,
      swarm: fence.swarm,
      stateDir,
      ownsProcess,
      manifest,
    };
    const sync = options.sync ?? false;
    const events = options.events === false
      ? null
      : new EventFile(`${folder.path}/events.jsonl`, context, clock, sync);
    const stage = new FolderStage(fence, folder, events, sync);
    return await execute(plan, options, { stage, executor, context, events, folder, fence });
  } finally {
    fence.close();
  }
}

/** A run that ended well has taken its entry away: only the entries of the dead make a search worth its time. */
async function endOrphans(stateDir: string, onOrphans: RunOptions["onOrphans"]): Promise<void> {
  const { dead } = readHolders(stateDir);
  if (dead.length === 0) return;
  const { killed, survivors, failed, runs } = await killOrphans(stateDir);
  if (survivors.length > 0 || failed.length > 0) {
    const left = [...survivors.map(({ pid, command }) => `process ${pid} (${command})`), ...failed];
    throw new SkeinError(
      "state-unusable",
      `Cannot end what an earlier run has left: ${left.join(", ")}`,
      {
        where: stateDir,
        next: "Look at `skein ps`, end it, or pass `--keep-orphans`",
      },
    );
  }
  buryHolders(stateDir, dead);
  if (killed > 0) onOrphans?.({ killed, runs });
}

/** Everything but the plan that an execution stands on. */
interface Site extends Pick<Ground, "stage" | "executor" | "context"> {
  readonly events: EventLog | null;
  readonly folder: RunFolder | null;
  readonly fence?: Fence;
}

async function execute(plan: Plan, options: RunOptions, site: Site): Promise<Report> {
  const { clock = systemClock, rng = systemRng, onProgress } = options;
  const { context, events, fence } = site;
  const started = { wall: clock.wall(), mono: clock.mono() };
  const report = () =>
    onProgress?.({ runId: context.runId, running: loop.running, counts: loop.tally.counts });
  const loop = new RunLoop(plan, {
    ...site,
    clock,
    // Another clock need not have a wall clock that goes on.
    stopwatch: options.inMemory === true && clock === systemClock ? new CoarseClock(clock) : clock,
    rng,
    onProgress: onProgress === undefined ? null : report,
  });
  events?.emit("run-started", "", 0, 0, "", plan.manifest.name);
  let error: unknown = null;
  {
    using _signals = listen(loop, options, events);
    using _notice = fence === undefined ? null : new StopNotice(fence, () => {
      events?.emit("stop-noticed");
      loop.end("stop", 0);
    });
    try {
      await loop.execute();
    } catch (thrown) {
      error = thrown;
    }
  }
  try {
    await finish(site.executor, context);
  } catch (thrown) {
    error ??= thrown;
  }
  const result = makeReport(plan, loop, site, started, clock);
  site.folder?.writeReport(result);
  point("run.reported");
  if (error !== null) throw error;
  return result;
}

/** Binds the caller's signals to a loop. */
function listen(loop: RunLoop, options: RunOptions, events: EventLog | null): Disposable {
  const { signal, kill, graceMs = DEFAULT_GRACE_MS } = options;
  const onSignal = () => {
    events?.emit("cancel-requested");
    loop.end("cancel", graceMs);
  };
  const onKill = () => loop.cause === null ? loop.end("cancel", 0) : loop.killNow();
  if (signal?.aborted) onSignal();
  if (kill?.aborted) onKill();
  signal?.addEventListener("abort", onSignal);
  kill?.addEventListener("abort", onKill);
  return {
    [Symbol.dispose]() {
      signal?.removeEventListener("abort", onSignal);
      kill?.removeEventListener("abort", onKill);
    },
  };
}

/** What is not said to have ended has not. */
async function finish(executor: Executor, context: RunContext): Promise<void> {
  if (executor.finish === undefined) return;
  let left: readonly string[];
  try {
    left = await executor.finish(context);
  } catch (error) {
    throw error instanceof SkeinError ? error : notEnded(context, messageOf(error), error);
  }
  if (!Array.isArray(left)) throw notEnded(context, "its executor's `finish` returned no list");
  if (left.length > 0) throw notEnded(context, left.join("; "));
}

function notEnded({ runId, stateDir }: RunContext, why: string, cause?: unknown): SkeinError {
  return new SkeinError("internal", `Cannot end everything that run "${runId}" started: ${why}`, {
    where: stateDir,
    next: "Stop the swarm: `skein stop`",
    cause,
  });
}

function makeReport(
  plan: Plan,
  loop: RunLoop,
  { context, events, folder }: Site,
  started: { readonly wall: number; readonly mono: number },
  clock: Clock,
): Report {
  const { tally } = loop;
  const { counts } = tally;
  const { status, reason } = verdictOfRun(counts, loop.cause);
  events?.emit("run-finished", "", 0, 0, status, reason ?? "");
  return withTasks({
    version: 1,
    runId: context.runId,
    name: plan.manifest.name,
    status,
    reason,
    epoch: context.epoch,
    folder: folder?.path ?? null,
    workers: plan.workers,
    startedAt: isoTime(started.wall),
    finishedAt: isoTime(clock.wall()),
    durationMs: roundedMs(clock.mono() - started.mono),
    counts,
    eventsError: events?.close() ?? null,
  }, tally);
}
