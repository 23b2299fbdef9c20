import { type Clock, systemClock } from "../clock/mod.ts";
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
  #search: Promise<number> | null = null;
  #next: Promise<number> | null = null;

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
    this.#next ??= (this.#search ?? Promise.resolve(0)).then(() => {
      this.#search = this.#next;
      this.#next = null;
      return this.#sweep();
    });
    return await this.#next;
  }

  /** Searches for the whole run. */
  async endRun(): Promise<readonly string[]> {
    const finder = this.#platform.finder((one) => this.#isOurs(one.swarm, one.run));
    const { survivors, failed } = await this.#kill(finder);
    return [
      ...survivors.map(({ pid, command }) => `process ${pid} (${command}) survives`),
      ...failed,
    ];
  }

  async #sweep(): Promise<number> {
    const ended = new Set(this.#ended);
    const finder = this.#platform.finder((one) => {
      return this.#isOurs(one.swarm, one.run) && ended.has(one.sequence);
    });
    const { killed } = await this.#kill(finder);
    for (const sequence of ended) this.#ended.delete(sequence);
    return killed;
  }

  #kill(finder: Finder): ReturnType<typeof killUntilGone> {
    return killUntilGone(this.#platform, finder, LEFTOVERS_MS, this.#clock);
  }

  #isOurs(swarm: string, run: string): boolean {
    return swarm === this.#run.swarm && run === this.#run.runId;
  }
}
