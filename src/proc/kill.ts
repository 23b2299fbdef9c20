import { type Clock, systemClock } from "../clock/mod.ts";
import type { FoundProcess, KillReport } from "../model/mod.ts";
import { messageOf } from "../model/mod.ts";
import type { Finder, Platform, TrackedProcess } from "./platform.ts";

const PAUSE_MS = 1;
const MISSED =
  "it was killed before a look was complete, and what it would have been handed may have been missed";
/** How long whom orphans are handed to is spared after the last news while no look can be completed, in milliseconds. */
const SPARED_MS = 1000;

/**
 * Kills what a finder finds until a look over the machine finds nothing, conclusively. All of it is frozen before
 * any of it is killed, so that nothing can start what is not yet found.
 *
 * @param patienceMs when to give up; what is left then is named.
 */
export async function killUntilGone(
  platform: Platform,
  finder: Finder,
  patienceMs: number,
  clock: Clock = systemClock,
): Promise<KillReport> {
  const deadline = clock.mono() + patienceMs;
  let newsAt = clock.mono();
  const dead = new Set<string>();
  const frozen = new Set<string>();
  const missed: string[] = [];
  let failed: string[] = [];
  for (;;) {
    const { found, complete, conclusive, problems } = await finder.sweep();
    if (conclusive) return { killed: dead.size, survivors: [], failed: missed };
    if (clock.mono() > deadline) {
      for (const process of found) dead.delete(keyOf(process));
      return { killed: dead.size, survivors: found, failed: [...missed, ...failed, ...problems] };
    }
    failed = [];
    const news = found.filter((process) => !frozen.has(keyOf(process)));
    for (const process of news) {
      frozen.add(keyOf(process));
      trySignal(platform, process, "SIGSTOP", failed);
    }
    if (news.length > 0) newsAt = clock.mono();
    else {
      const sparing = !complete && clock.mono() - newsAt < SPARED_MS;
      for (const process of firstToDie(found, sparing)) {
        if (process.named === true && !complete) missed.push(`${nameOf(process)}: ${MISSED}`);
        dead.add(keyOf(process));
        trySignal(platform, process, "SIGKILL", failed);
      }
      await clock.sleep(PAUSE_MS);
    }
  }
}

/** Looks, without killing, until a look is conclusive or finds something. */
export async function findAny(
  finder: Finder,
  patienceMs: number,
  clock: Clock = systemClock,
): Promise<KillReport> {
  const deadline = clock.mono() + patienceMs;
  for (;;) {
    const { found, conclusive, problems } = await finder.sweep();
    if (conclusive || found.length > 0) return { killed: 0, survivors: found, failed: [] };
    if (clock.mono() > deadline) return { killed: 0, survivors: [], failed: problems };
    await clock.sleep(PAUSE_MS);
  }
}

/** Whoever orphans are handed to dies last: what has shed every other sign is found through it. */
function firstToDie(found: readonly TrackedProcess[], sparing: boolean): readonly TrackedProcess[] {
  const first = found.filter(({ named }) => named !== true);
  return first.length > 0 || sparing ? first : found;
}

function trySignal(
  platform: Platform,
  process: FoundProcess,
  signal: Deno.Signal,
  failed: string[],
): void {
  try {
    platform.signal(process, signal);
  } catch (error) {
    failed.push(`${nameOf(process)}: ${messageOf(error)}`);
  }
}

function nameOf({ pid, command }: FoundProcess): string {
  return `process ${pid} (${command})`;
}

function keyOf(process: FoundProcess): string {
  return `${process.pid}/${process.startTime}`;
}
