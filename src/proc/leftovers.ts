import { type Clock, systemClock } from "../clock/mod.ts";
import type { LineageSegment } from "../model/mod.ts";
import { killUntilGone } from "./kill.ts";
import type { EndedPass, Finder, Leftovers, Platform, RunMark } from "./platform.ts";

/** How long the search for what a pass or a run has left behind may take, in milliseconds. */
export const LEFTOVERS_MS = 5000;

/** Ends what passes leave behind by searching the whole machine, once for all passes that ended meanwhile. */
export class SearchedLeftovers implements Leftovers {
  readonly #platform: Platform;
  readonly #run: RunMark;
  readonly #clock: Clock;
  readonly #ended = new Set<number>();
  #search: Promise<Counts> | null = null;
  #next: Promise<Counts> | null = null;

  /** Makes the search of a run. */
  constructor(platform: Platform, run: RunMark, clock: Clock = systemClock) {
    this.#platform = platform;
    this.#run = run;
    this.#clock = clock;
  }

  /** Nothing is kept of what runs. */
  began(): void {}

  /** Kills the group, then whatever the marker finds. A search that is under way may have passed by already. */
  async endPass({ leader, sequence }: EndedPass): Promise<number> {
    this.#platform.signalGroup(leader, "SIGKILL");
    this.#ended.add(sequence);
    this.#next ??= (this.#search ?? Promise.resolve()).then(() => {
      this.#search = this.#next;
      this.#next = null;
      return this.#sweep();
    });
    return (await this.#next).get(sequence)?.size ?? 0;
  }

  /** Searches for the whole run. */
  async endRun(): Promise<readonly string[]> {
    const finder = this.#platform.finder((one) => this.#isOurs(one));
    const { survivors, failed } = await this.#kill(finder);
    return [
      ...survivors.map(({ pid, command }) => `process ${pid} (${command}) survives`),
      ...failed,
    ];
  }

  async #sweep(): Promise<Counts> {
    const ended = new Set(this.#ended);
    const finder = this.#platform.finder((one) => {
      return this.#isOurs(one) && ended.has(one.sequence);
    });
    const counts: Map<number, Set<string>> = new Map();
    await this.#kill(counting(finder, counts));
    for (const sequence of ended) this.#ended.delete(sequence);
    return counts;
  }

  #kill(finder: Finder): ReturnType<typeof killUntilGone> {
    return killUntilGone(this.#platform, finder, LEFTOVERS_MS, this.#clock);
  }

  #isOurs({ swarm, run, token }: LineageSegment): boolean {
    return swarm === this.#run.swarm && run === this.#run.runId && token === this.#run.token;
  }
}

/** Who was found, by the sequence of the pass that left it. */
type Counts = ReadonlyMap<number, ReadonlySet<string>>;

/** A search that notes what it finds: one for several passes counts for each its own. */
function counting(finder: Finder, counts: Map<number, Set<string>>): Finder {
  return {
    include: (process) => finder.include(process),
    async sweep() {
      const sweep = await finder.sweep();
      for (const { pid, startTime, segment } of sweep.found) {
        const sequence = segment?.sequence ?? 0;
        const found = counts.get(sequence) ?? new Set();
        counts.set(sequence, found.add(`${pid}/${startTime}`));
      }
      return sweep;
    },
  };
}
