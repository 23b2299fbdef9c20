import { readHolders, readSwarmId } from "../fence/mod.ts";
import type { KillReport, LineageSegment } from "../model/mod.ts";
import { killUntilGone, platform, type TrackedProcess } from "../proc/mod.ts";

/** How long a search for processes may take, in milliseconds. */
const SEARCH_MS = 10_000;

/** What a worker's holder names as its run. */
const WORKER = "";

/** A living process of a run. */
export interface RunProcess extends TrackedProcess {
  /** The run. */
  readonly runId: string;
  /** Whether the run's orchestrator is gone. */
  readonly orphan: boolean;
}

/** Every living process of the swarm, by run. */
export async function listProcesses(stateDir: string): Promise<RunProcess[]> {
  const swarm = readSwarmId(stateDir);
  if (swarm === null) return [];
  const { found } = await platform.finder((one) => one.swarm === swarm).sweep();
  // After the search: a run whose processes were found has been there before them.
  const isLed = orchestrators(stateDir);
  return found
    .map((process) => ({ ...process, runId: process.segment?.run ?? "" }))
    .map((process) => ({ ...process, orphan: !isLed(process.segment ?? { run: "", token: 0 }) }))
    .sort((a, b) => a.runId.localeCompare(b.runId) || a.pid - b.pid);
}

/** Kills every process of one run, and nothing of another. */
export async function killRun(stateDir: string, runId: string): Promise<KillReport> {
  const swarm = readSwarmId(stateDir);
  const finder = platform.finder((one) => one.swarm === swarm && one.run === runId);
  return await killUntilGone(platform, finder, SEARCH_MS);
}

/** Kills every process whose run has no orchestrator any more, and names the runs. */
export async function killOrphans(stateDir: string): Promise<KillReport & { runs: string[] }> {
  const swarm = readSwarmId(stateDir);
  let isLed = orchestrators(stateDir);
  const runs = new Set<string>();
  const finder = platform.finder((one) => {
    if (one.swarm !== swarm || isLed(one)) return false;
    // A run that has entered since the last look is no orphan's: a process is there only after its holder.
    isLed = orchestrators(stateDir);
    if (isLed(one)) return false;
    runs.add(one.run);
    return true;
  });
  return { ...await killUntilGone(platform, finder, SEARCH_MS), runs: [...runs] };
}

/**
 * Tells the processes whose orchestrator lives. Which worker holds a queued run is known to the store alone, and whoever
 * claims it next ends what is left of it: while any worker lives, none of them is an orphan.
 */
function orchestrators(stateDir: string): (one: Pick<LineageSegment, "run" | "token">) => boolean {
  const live = new Set(readHolders(stateDir).live.map(({ record }) => record?.runId ?? WORKER));
  return ({ run, token }) => live.has(token > 0 ? WORKER : run);
}
