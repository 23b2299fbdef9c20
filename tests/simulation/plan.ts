import type { EngineTiming } from "../../src/engine/durable/mod.ts";
import type { Manifest, Task } from "../../src/model/mod.ts";
import type { Dice } from "./dice.ts";
import type { Weather } from "./store_link.ts";

/** What can go wrong, beside the ways to the store. A seed has some of it. */
export const TROUBLES = [
  "crash",
  "suspend",
  "sleep",
  "wall-clock",
  "store-clock",
  "lag",
  "lost-renewals",
  "outage",
  "stop",
] as const;

/** A kind of trouble. */
export type Trouble = typeof TROUBLES[number];

/** How the world of a seed is. */
export interface Plan {
  /** Workers at the same time, if none has just died. */
  readonly workers: number;
  /** Runs that a worker holds at the same time. */
  readonly concurrency: number;
  /** Hosts that they are on. */
  readonly hosts: number;
  /** What goes wrong. */
  readonly troubles: readonly Trouble[];
  /** How often the operator or trouble comes, at most so many milliseconds apart. */
  readonly everyMs: number;
  /** How often trouble strikes a call that it likes. */
  readonly strikes: number;
  /** How calls of the store fare. */
  readonly weather: Weather;
  /** The line of the quarantine. */
  readonly maxCrashCount: number;
  /** Ended runs that are kept; `null`: all. */
  readonly keepRuns: number | null;
}

/** How long a claim holds. */
export const TTL_MS = 6_000;
/** The timing of every engine. */
export const TIMING = {
  leaseTtlMs: TTL_MS,
  reapIntervalMs: 1_200,
  pollIntervalMs: 900,
  clockSkewAllowanceMs: 500,
  requeueBackoff: { baseMs: 300, maxMs: 2_000 },
  timeoutDefaultMs: 8_000,
  graceMs: 400,
} as const satisfies EngineTiming;
/** The most that a manifest gives. */
export const MOST = { tasks: 5, passes: 2, attempts: 4, backoffMs: 1_000 } as const;

/** No trouble on the way to the store. */
export const FAIR: Weather = { usualMs: 3, late: 0, latestMs: 0, lost: 0, unanswered: 0 };
/** No way to the store. */
export const OUT: Weather = { ...FAIR, lost: 1 };

/** Draws how the world of a seed is. */
export function drawPlan(dice: Dice): Plan {
  const share = (most: number) => dice.chance(0.5) ? dice.next() * most : 0;
  return {
    workers: dice.between(2, 4),
    concurrency: dice.between(1, 3),
    hosts: dice.chance(0.3) ? 1 : dice.between(2, 4),
    troubles: dice.some(TROUBLES, 0.5),
    everyMs: dice.between(600, 2_400),
    strikes: dice.pick([0.05, 0.2, 0.7]) ?? 0,
    weather: {
      usualMs: dice.pick([3, 3, 300, 1_500]) ?? 0,
      late: share(0.15),
      latestMs: dice.chance(0.5) ? 2.5 * TTL_MS : 500,
      lost: share(0.2),
      unanswered: share(0.2),
    },
    maxCrashCount: dice.between(2, 3),
    keepRuns: dice.chance(0.2) ? dice.between(0, 3) : null,
  };
}

/** The name of runs whose attempts may kill the worker that runs them. */
export const POISON = "poison";
const POISONED = 0.1;

/** Draws a small graph of tasks. */
export function drawManifest(dice: Dice): Manifest {
  const name = dice.chance(POISONED) ? POISON : "work";
  const blocks: Record<string, Manifest["blocks"][string]> = {};
  const ids = ["a", "b", "c", "d", "e"].slice(0, dice.between(1, MOST.tasks));
  const tasks = ids.map((id, index): Task => {
    const maxAttempts = dice.between(name === POISON ? MOST.attempts : 1, MOST.attempts);
    const retry = { maxAttempts, backoffMs: 200, maxBackoffMs: MOST.backoffMs };
    const passes = dice.chance(0.7) ? 1 : MOST.passes;
    blocks[id] = {
      argv: ["work"],
      passes,
      timeoutMs: TIMING.timeoutDefaultMs,
      env: [],
      cwd: "/",
      retry,
    };
    return { id, block: id, args: [], needs: dice.some(ids.slice(0, index), 0.4), env: [] };
  });
  const runTimeoutMs = dice.chance(0.1) ? 10_000 : 86_400_000;
  const limits = { maxPasses: 10, maxOutputBytes: 1_000, runTimeoutMs };
  const workers = dice.between(1, 2);
  return { version: 1, name, workers, limits, env: [], inheritEnv: [], blocks, tasks };
}
