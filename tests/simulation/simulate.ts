/**
 * The simulation: the engine and the store as they are, several engines on one database, and everything else decided by
 * a seed. Virtual are time, processes, the fence, the worker around the engine, and the way of every call to the store:
 * each call, timer and end of an attempt is an entry of one timeline, and what happens next is drawn. Trouble comes at
 * the worst moments. After it there is quiet, in which every run must end. What is promised is checked from outside at
 * every transition, and the store's own checks are made on the way and at the end.
 *
 * @module
 */
import { hasEnded } from "./books.ts";
import { Chaos } from "./chaos.ts";
import { TIMING, TTL_MS } from "./plan.ts";
import type { Variant } from "./variants.ts";
import { World } from "./world.ts";

/** What a seed came to. */
export interface Simulated {
  /** The seed. */
  readonly seed: number;
  /** The promise that was broken first, `null` where none was. */
  readonly broken: string | null;
  /** Turns that were given. */
  readonly steps: number;
  /** Virtual time that has passed, in milliseconds. */
  readonly ms: number;
  /** How often what has happened in the store. */
  readonly counts: ReadonlyMap<string, number>;
  /** What happened, line by line, where that was asked for. */
  readonly lines: readonly string[];
}

/** How a seed is simulated. */
export interface SimulateOptions {
  /** What is broken in the store; nothing by default. */
  readonly variant?: Variant;
  /** Whether it is told what happens. */
  readonly isTold?: boolean;
}

/** How long there is trouble. */
const TROUBLE_MS = 18_000;
/** Turns that no seed needs. */
const MOST_STEPS = 30_000;
/** How often attempts are looked at. */
const PATROL_MS = 300;
/** How often everything is checked while there is. */
const CHECKS = 2;
/** When nobody holds a run any more who was dead before: the last tick may have been disturbed by what was mended. */
const REAPED_MS = TTL_MS + TIMING.clockSkewAllowanceMs + 3 * TIMING.reapIntervalMs;
/** When every run has ended: reaped, due again, and each attempt and pass that its tasks have left. */
const ENDED_MS = 300_000;

/** Simulates a seed: trouble, and then quiet until every run has ended. */
export async function simulate(seed: number, options: SimulateOptions = {}): Promise<Simulated> {
  const { variant = null, isTold = false } = options;
  const lines: string[] = [];
  const folder = Deno.makeTempDirSync({ prefix: "skein-simulation-", ...memory() });
  const onLine = isTold ? (line: string) => void lines.push(line) : null;
  try {
    await using world = await World.make({ seed, folder, variant, onLine });
    using _waits = noRealWaits();
    using _unhandled = unhandledRejections(world);
    await live(world);
    const { broken, timeline: { steps, now: ms }, database: { audit: { counts } } } = world;
    return { seed, broken, steps, ms, counts, lines };
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

async function live(world: World): Promise<void> {
  const { timeline } = world;
  const isBroken = () => {
    if (timeline.steps > MOST_STEPS) world.breach(`It comes to rest within ${MOST_STEPS} turns`);
    return world.broken !== null;
  };
  const chaos = new Chaos(world);
  world.fate = chaos;
  void patrol(world);
  for (let part = 1; part <= CHECKS; part++) {
    await timeline.runUntil(TROUBLE_MS * part / CHECKS, isBroken);
    if (!isBroken()) await world.database.check();
    if (isBroken()) return;
  }
  chaos.end();
  const quietAt = timeline.now;
  const dead = [...world.workers].filter(([_, { isHolding }]) => !isHolding);
  const died = new Set(dead.map(([owner]) => owner));
  world.say("--- quiet");
  const isOver = () => isBroken() || allEnded(world);
  await timeline.runUntil(quietAt + REAPED_MS, isOver);
  if (!isOver()) checkHolders(world, died);
  await timeline.runUntil(quietAt + ENDED_MS, isOver);
  if (isBroken()) return;
  if (!allEnded(world)) world.breach(`Every run ends (G8): ${openRuns(world)}`);
  await world.database.check();
}

async function patrol(world: World): Promise<void> {
  for (;;) {
    await world.timeline.wait(PATROL_MS, null);
    world.patrol();
  }
}

function allEnded({ database }: World): boolean {
  return [...database.audit.books.values()].every(hasEnded);
}

function openRuns({ database }: World): string {
  const open = [...database.audit.books].filter(([_, book]) => !hasEnded(book));
  return open.map(([runId, { state }]) => `${runId} is ${state}`).join(", ");
}

function checkHolders(world: World, died: ReadonlySet<string>): void {
  for (const [runId, owner] of world.database.audit.holders()) {
    if (!died.has(owner)) continue;
    world.breach(`A run whose executor died is reaped in time (G8): ${runId} of ${owner}`);
  }
}

/** The database is quicker where files are kept in memory. */
function memory(): { readonly dir?: string } {
  try {
    return Deno.statSync("/dev/shm").isDirectory ? { dir: "/dev/shm" } : {};
  } catch {
    return {};
  }
}

/** Time is the timeline's here: what waits for real time is found out. */
function noRealWaits(): Disposable {
  const { timeout } = AbortSignal;
  AbortSignal.timeout = (ms) => {
    throw new Error(`Nothing here may wait for ${ms} ms of real time`);
  };
  return { [Symbol.dispose]: () => void (AbortSignal.timeout = timeout) };
}

/** An error that nobody handles would end the process of an engine. */
function unhandledRejections(world: World): Disposable {
  const onRejection = (event: PromiseRejectionEvent) => {
    event.preventDefault();
    world.breach(`No error goes unhandled: ${event.reason}`);
  };
  globalThis.addEventListener("unhandledrejection", onRejection);
  return {
    [Symbol.dispose]: () => globalThis.removeEventListener("unhandledrejection", onRejection),
  };
}
