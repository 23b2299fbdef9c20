import type { KillReport } from "../../model/mod.ts";
import { killUntilGone, platform } from "../../proc/mod.ts";

/** How long the search for what a lost claim has left behind may take, in milliseconds. */
const SEARCH_MS = 10_000;

/** The trees of claims that are over. */
export interface OlderTrees {
  /** The swarm's id. */
  readonly swarm: string;
  /** The lowest token of each run that may still have processes: all below are over. */
  readonly below: ReadonlyMap<string, number>;
}

/** Ends what lost claims have left behind on this machine. */
export interface OlderProcesses {
  /** Kills every process of the runs that carries a lower token, and nothing else; looks until none is left. */
  end(trees: OlderTrees): Promise<KillReport>;
}

/** What a search could not end, or not look at, for a reader. */
export function survivorsOf({ survivors, failed }: KillReport): string[] {
  return [...survivors.map(({ pid, command }) => `process ${pid} (${command})`), ...failed];
}

const NOTHING: KillReport = { killed: 0, survivors: [], failed: [] };

/**
 * The processes of this machine, found by their markers. A platform that cannot see markers finds none, which its
 * documentation says.
 */
export const machineProcesses: OlderProcesses = {
  async end({ swarm, below }) {
    if (platform.blind === true) return NOTHING;
    const finder = platform.finder((one) => {
      return one.swarm === swarm && one.token > 0 && one.token < (below.get(one.run) ?? 0);
    });
    return await killUntilGone(platform, finder, SEARCH_MS);
  },
};

/** For executors that start no processes. */
export const noProcesses: OlderProcesses = {
  end: () => Promise.resolve(NOTHING),
};
