import { readHolders, readSwarmId } from "../fence/mod.ts";
import type { KillReport } from "../model/mod.ts";
import { killUntilGone, platform, type TrackedProcess } from "../proc/mod.ts";

/** How long a search for processes may take, in milliseconds. */
const SEARCH_MS = 10_000;

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
  const live = liveRuns(stateDir);
  return found
    .map((process) => ({ ...process, runId: process.segment?.run ?? "" }))
    .map((process) => ({ ...process, orphan: !live.has(process.runId) }))
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
  let live = liveRuns(stateDir);
  const runs = new Set<string>();
  const finder = platform.finder((one) => {
    if (one.swarm !== swarm || live.has(one.run)) return false;
    // A run that has entered since the last look is no orphan's: a process is there only after its holder.
    live = liveRuns(stateDir);
    if (live.has(one.run)) return false;
    runs.add(one.run);
    return true;
  });
  return { ...await killUntilGone(platform, finder, SEARCH_MS), runs: [...runs] };
}

function liveRuns(stateDir: string): Set<string> {
  return new Set(readHolders(stateDir).live.map(({ record }) => record?.runId ?? ""));
}
