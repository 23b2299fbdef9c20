import { type Clock, systemClock } from "../clock/mod.ts";
import { isRegistered } from "./children.ts";
import { LEFTOVERS_MS, SearchedLeftovers } from "./leftovers.ts";
import { type Adopter, becomeAdopter, childrenOf } from "./linux_adopter.ts";
import { readEnvironment } from "./linux_eyes.ts";
import { readProc } from "./linux_files.ts";
import { isDead, lineageIn, parseStat, type Stat } from "./linux_proc.ts";
import type { EndedPass, Leftovers, Platform, RunMark } from "./platform.ts";
import { signalPid } from "./signals.ts";

const PAUSE_MS = 1;
let adopter: Adopter | null | undefined;

/** The cheapest way that this process has to end what the passes of a run leave behind. */
export function linuxLeftovers(platform: Platform, run: RunMark, mayAdopt: boolean): Leftovers {
  const search = new SearchedLeftovers(platform, run);
  if (!run.adopt || !mayAdopt) return search;
  adopter ??= becomeAdopter();
  return adopter === null ? search : new AdoptedLeftovers(adopter, platform, run, search);
}

/**
 * Ends what passes leave behind by looking at this process's own children: what a dead pass has left has become one
 * of them, or descends from one. Where there is none but the passes themselves, nothing is left; that look costs some
 * microseconds.
 */
class AdoptedLeftovers implements Leftovers {
  readonly #adopter: Adopter;
  readonly #platform: Platform;
  readonly #run: RunMark;
  readonly #search: Leftovers;
  readonly #clock: Clock;
  /** Passes whose main process runs. */
  readonly #live = new Set<number>();

  constructor(
    adopter: Adopter,
    platform: Platform,
    run: RunMark,
    search: Leftovers,
    clock: Clock = systemClock,
  ) {
    this.#adopter = adopter;
    this.#platform = platform;
    this.#run = run;
    this.#search = search;
    this.#clock = clock;
  }

  began({ sequence }: EndedPass): void {
    this.#live.add(sequence);
  }

  async endPass(pass: EndedPass): Promise<number> {
    this.#live.delete(pass.sequence);
    return await this.#end((orphan) => this.#belongs(orphan, pass));
  }

  async endRun(): Promise<readonly string[]> {
    await this.#end(() => "yes");
    return await this.#search.endRun();
  }

  /** Kills orphans and their trees until none is left: what a dead one had becomes an orphan in turn. */
  async #end(belongs: (orphan: Stat) => Belonging): Promise<number> {
    const killed = new Set<string>();
    const deadline = this.#clock.mono() + LEFTOVERS_MS;
    for (;;) {
      const { orphans, settled } = this.#look();
      const { yes = [], unclear = [] } = Object.groupBy(orphans, belongs);
      for (const { pid, startTime } of yes.flatMap(freezeTree)) {
        killed.add(`${pid}/${startTime}`);
        this.#platform.signalTree(pid, "SIGKILL");
      }
      const over = settled && yes.length === 0 && unclear.length === 0;
      if (over || this.#clock.mono() > deadline) return killed.size;
      await this.#clock.sleep(PAUSE_MS);
    }
  }

  /**
   * Children that nobody here has started. The dead among them are taken off the process table; then the look has
   * settled nothing, since one that died during it may have left a child that the look was too early for.
   */
  #look(): { orphans: readonly Stat[]; settled: boolean } {
    const orphans: Stat[] = [];
    let settled = true;
    for (const pid of this.#adopter.children()) {
      if (isRegistered(pid)) continue;
      const stat = statOf(pid);
      if (stat !== null && !isDead(stat.state)) orphans.push(stat);
      else settled = false;
      if (stat !== null && isDead(stat.state)) this.#adopter.reap(pid);
    }
    return { orphans, settled };
  }

  /**
   * An orphan belongs to the pass that its session, its group or its marker names. One that has rid itself of all
   * three belongs to a pass that has ended as soon as none is left that it could belong to instead.
   */
  #belongs(orphan: Stat, { leader, sequence }: EndedPass): Belonging {
    if (orphan.session === leader || orphan.group === leader) return "yes";
    const { swarm, runId, token } = this.#run;
    const { environ, passing } = readEnvironment(orphan.pid);
    const own = lineageIn(environ ?? "").find((segment) =>
      segment.swarm === swarm && segment.run === runId && segment.token === token
    );
    if (own !== undefined) return own.sequence === sequence ? "yes" : "no";
    if (passing) return "unclear";
    return this.#live.size === 0 ? "yes" : "no";
  }
}

/** Whether an orphan belongs to a pass; `unclear` while it executes its program or dies. */
type Belonging = "yes" | "no" | "unclear";

/** Takes every dead child that nobody here has started off the process table, whenever one dies. */
export function reapInherited(): Disposable | null {
  const adopting = adopter ??= becomeAdopter();
  if (adopting === null) return null;
  const reap = () => {
    for (const pid of adopting.children()) {
      if (!isRegistered(pid) && isDead(statOf(pid)?.state ?? "")) adopting.reap(pid);
    }
  };
  Deno.addSignalListener("SIGCHLD", reap);
  reap();
  return { [Symbol.dispose]: () => Deno.removeSignalListener("SIGCHLD", reap) };
}

/** A tree from its root down, frozen so that it cannot grow while it is looked at. */
function freezeTree(root: Stat): Stat[] {
  const tree = [root];
  for (const { pid } of tree) {
    try {
      signalPid(pid, "SIGSTOP");
    } catch {
      // It has become somebody else's.
    }
    // An array iterates what is added to it meanwhile: this walks the whole tree.
    for (const child of childrenOf(pid)) {
      const stat = statOf(child);
      if (stat !== null && !isDead(stat.state)) tree.push(stat);
    }
  }
  return tree;
}

function statOf(pid: number): Stat | null {
  const text = readProc(`/proc/${pid}/stat`);
  return text === null ? null : parseStat(text);
}
