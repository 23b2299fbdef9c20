import { absolutePath, isAbsent } from "../disk/mod.ts";
import { type Clock, roundedMs, systemClock } from "../clock/mod.ts";
import {
  buryHolders,
  isClear,
  isLatched,
  isUsed,
  latchStop,
  prepareForStop,
  type ProcessControl,
  proveStop,
  readFence,
  readHolders,
  readSwarmId,
  resetLatch,
  type ResetResult,
  type StopAuthor,
  type Stopped,
} from "../fence/mod.ts";
import {
  type FoundProcess,
  type KillReport,
  LINEAGE_VARIABLE,
  messageOf,
  parseLineage,
  type ProcessIdentity,
} from "../model/mod.ts";
import { findAny, killUntilGone, platform } from "../proc/mod.ts";
import type { QueueEpochs } from "./durable/queue_epochs.ts";
import { queuePath } from "./durable/queue_path.ts";
import { toolsProblem } from "./tools.ts";

/** What a stop answers. */
export interface StopAnswer {
  /** Whether the latch is set. */
  readonly stopped: boolean;
  /** The epoch after the stop, 0 where it is not known. */
  readonly epoch: number;
  /** Whether every process is gone, looked for and not assumed. */
  readonly proven: boolean;
  /** The runs that were going on. */
  readonly runs: readonly string[];
  /** Processes that were killed. */
  readonly killed: number;
  /** Processes that are still there. */
  readonly survivors: number;
  /** Who they are. */
  readonly survivorList: readonly FoundProcess[];
  /** What kept it from being proven, or latched; empty where nothing did. */
  readonly problems: readonly string[];
  /** From the start of the stop to this answer, in milliseconds. */
  readonly elapsedMs: number;
}

/** How a stop or a reset goes about it. */
export interface StopOptions {
  /** Why. */
  readonly reason?: string;
  /** How long the holders of LOCK have to let go by themselves, in milliseconds; 5000 by default. */
  readonly waitMs?: number;
  /** Time; the machine's by default. */
  readonly clock?: Clock;
}

/** How long a search for processes may take, in milliseconds. */
const SEARCH_MS = 10_000;
/** How long the holders of LOCK have by default. */
export const DEFAULT_WAIT_MS = 5000;

/**
 * Sets the latch and nothing more: it promises that nothing starts, not that everything is dead, and so always
 * answers `proven: false`.
 *
 * @throws {SkeinError} `state-unusable` where the latch cannot be set.
 */
export async function requestStop(
  stateDir: string,
  options: StopOptions = {},
): Promise<StopAnswer> {
  const { reason = "", clock = systemClock } = options;
  const started = clock.mono();
  const folder = absolutePath(stateDir);
  prepareForStop(folder);
  const stopped = await latchStop(folder, { reason, by: author(), clock });
  return answer(stopped, new Killer(folder, clock), elapsed(clock, started));
}

/**
 * The emergency stop: sets the latch, kills every process of the swarm and proves that it is gone. From inside a
 * process of the swarm it only latches.
 */
export async function emergencyStop(
  stateDir: string,
  options: StopOptions = {},
): Promise<StopAnswer> {
  const { reason = "", waitMs = DEFAULT_WAIT_MS, clock = systemClock } = options;
  const started = clock.mono();
  const folder = absolutePath(stateDir);
  prepareForStop(folder);
  const killer = new Killer(folder, clock);
  const draft = { reason, by: author(), clock };
  if (isInside(folder)) {
    const stopped = await latchStop(folder, draft);
    killer.notes.push("Called from inside a process of the swarm: it only latched");
    return answer(stopped, killer, elapsed(clock, started));
  }
  try {
    const stopped = await proveStop(folder, draft, waitMs, killer);
    if (stopped.proven) killer.bury();
    if (stopped.overtaken) {
      killer.notes.push("A reset has overtaken this stop: what runs by now was started after it");
    }
    return answer(stopped, killer, elapsed(clock, started));
  } catch (error) {
    // The latch could not be set, or the proof not be led: what runs is killed all the same.
    killer.notes.push(toolsProblem() ?? messageOf(error));
    await killer.tryAll(Number.MAX_SAFE_INTEGER);
    const { epoch } = readFence(folder);
    const stopped = isLatched(folder);
    return { ...answer(null, killer, elapsed(clock, started)), stopped, epoch };
  }
}

/** How {@linkcode resetStop} goes about it. */
export interface ResetOptions extends StopOptions {
  /** The epoch to set after a corrupt EPOCH or STOP. */
  readonly epoch?: number;
  /** Kills what is left first. */
  readonly force?: boolean;
  /** Told once of a long wait for the queue, which somebody else writes to: so far, in milliseconds. */
  readonly onQueueWait?: (waitedMs: number) => void;
}

/** What a reset answers. */
export interface ResetAnswer {
  /** What it came to. */
  readonly result: ResetResult;
  /** Who is in the way, for a reader. */
  readonly inTheWay: readonly string[];
  /** Runs of the queue that the stop had invalidated, and that were closed as stopped. */
  readonly closedRuns: number;
}

/**
 * Clears the latch, at an epoch that was never used, while nothing runs. Refused from inside a process of the swarm.
 * Where there is a queue, its highest epoch counts too; it is raised, and what was queued before is closed as stopped,
 * before the latch goes.
 *
 * @throws {SkeinError} `state-unusable` or `state-corrupt` where the queue cannot be used: the swarm stays stopped.
 */
export async function resetStop(
  stateDir: string,
  options: ResetOptions = {},
): Promise<ResetAnswer> {
  const { epoch = null, force = false, waitMs = 0, clock = systemClock } = options;
  const folder = absolutePath(stateDir);
  if (isInside(folder)) {
    return {
      result: {
        kind: "refused",
        problem: "This is a process of the swarm itself",
        next: "Reset from outside of the run",
      },
      inTheWay: [],
      closedRuns: 0,
    };
  }
  const killer = new Killer(folder, clock);
  if (force && isClear(folder) && killer.inTheWay().length > 0) {
    // Without a latch what is killed would be started again by whoever waits for it: that is a stop's business.
    const result = { kind: "busy", what: "open" } as const;
    return { result, inTheWay: killer.inTheWay(), closedRuns: 0 };
  }
  const wait = force ? Math.max(waitMs, 1000) : waitMs;
  const queue = await queueOf(folder, options);
  try {
    const request = { wanted: epoch, force };
    const result = await resetLatch(folder, request, wait, killer, queue ?? undefined);
    if (result.kind === "reset") killer.bury();
    const inTheWay = result.kind === "busy" ? killer.inTheWay() : [];
    return { result, inTheWay, closedRuns: queue?.closedRuns ?? 0 };
  } finally {
    await queue?.close();
  }
}

/** The queue, loaded only where there is one. */
async function queueOf(
  stateDir: string,
  { onQueueWait }: ResetOptions,
): Promise<QueueEpochs | null> {
  if (isAbsent(queuePath(stateDir))) return null;
  const { QueueEpochs } = await import("./durable/queue_epochs.ts");
  return new QueueEpochs(stateDir, ({ waitedMs }) => onQueueWait?.(waitedMs));
}

/** Whether this process was started by a run of the state directory, or by something that such a run started. */
export function isInside(stateDir: string): boolean {
  const segments = parseLineage(Deno.env.get(LINEAGE_VARIABLE) ?? "");
  if (segments.length === 0) return false;
  try {
    const swarm = readSwarmId(stateDir);
    return segments.some((segment) => segment.swarm === swarm);
  } catch {
    // A swarm whose id cannot be read may be this one.
    return true;
  }
}

const KILL = true;
/** Longer than a look at a file takes, in milliseconds. */
const KEEP_MS = 10;
/** No process has this in its marker. */
const NO_SWARM = "-";

/** Does to processes what a stop or a reset asks for, and keeps what it saw. */
class Killer implements ProcessControl {
  readonly #stateDir: string;
  readonly #clock: Clock;
  readonly runs: readonly string[];
  /** What went wrong beside the search. */
  readonly notes: string[] = [];
  /** What the last search could not do or look at. */
  #unsearched: readonly string[] = [];
  killed = 0;
  survivors: readonly FoundProcess[] = [];

  constructor(stateDir: string, clock: Clock) {
    this.#stateDir = stateDir;
    this.#clock = clock;
    const { live } = readHolders(stateDir);
    this.runs = live.map(({ record }) => record?.runId ?? "").filter((run) => run !== "");
  }

  /**
   * Kills those whose file is still locked (a recorded pid may be somebody else's by then otherwise), with everything
   * that descends from them, and a child of theirs that holds the lock because it has not executed its program yet.
   */
  async killHolders(below: number): Promise<void> {
    const swarm = this.#swarm();
    const finder = platform.finder((one) => one.swarm === swarm && one.epoch < below);
    const { live, problems } = readHolders(this.#stateDir);
    this.notes.push(...problems);
    for (const { id, record } of live) {
      if (record === null) this.notes.push(`Holder "${id}" left no record that can be read`);
      if (record !== null && record.epoch >= below) continue;
      if (record !== null) finder.include(record.process);
      for (const keeper of await this.#keepers(id)) finder.include(keeper);
    }
    this.#add(await killUntilGone(platform, finder, SEARCH_MS, this.#clock));
  }

  /** Who keeps a holder's file open: a look at the holders opens it too, but not for long. */
  async #keepers(id: string): Promise<ProcessIdentity[]> {
    const path = `${this.#stateDir}/holders/${id}`;
    const before = platform.openers(path);
    await this.#clock.sleep(KEEP_MS);
    const after = new Set(platform.openers(path).map(({ pid }) => pid));
    return before.filter(({ pid }) => after.has(pid));
  }

  async sweep(below: number, kill: boolean, patienceMs = SEARCH_MS): Promise<boolean> {
    const swarm = this.#swarm();
    if (swarm === null) return false;
    const finder = platform.finder((one) => one.swarm === swarm && one.epoch < below);
    const report = kill
      ? await killUntilGone(platform, finder, patienceMs, this.#clock)
      : await findAny(finder, patienceMs, this.#clock);
    // Whoever holds LOCK alone has outlived every run; one that is alive all the same has lost its lock.
    const holding = readHolders(this.#stateDir).live
      .filter(({ record }) => record === null || (record.epoch > 0 && record.epoch < below))
      .map(({ id, record }) => `process ${record?.process.pid ?? "?"}, holder "${id}", is alive`);
    this.#add({ ...report, failed: [...report.failed, ...holding] });
    return report.survivors.length === 0 && report.failed.length === 0 && holding.length === 0;
  }

  /** Kills whatever it can, after something has gone wrong; what goes wrong again is no news. */
  async tryAll(below: number): Promise<void> {
    for (const kill of [() => this.killHolders(below), () => this.sweep(below, KILL)]) {
      try {
        await kill();
      } catch (error) {
        const problem = messageOf(error);
        if (!this.notes.includes(problem)) this.notes.push(problem);
      }
    }
  }

  /** Takes away the entries of the dead. What cannot be taken away takes nothing from what was proven. */
  bury(): void {
    try {
      buryHolders(this.#stateDir, readHolders(this.#stateDir).dead);
    } catch (error) {
      this.notes.push(messageOf(error));
    }
  }

  get problems(): string[] {
    return [...this.notes, ...this.#unsearched];
  }

  #add(report: KillReport): void {
    this.killed += report.killed;
    this.survivors = report.survivors;
    this.#unsearched = report.failed;
  }

  inTheWay(): string[] {
    const holders = readHolders(this.#stateDir).live.map(({ id, record }) =>
      record === null
        ? `holder "${id}"`
        : `process ${record.process.pid}${record.runId === "" ? "" : ` of run "${record.runId}"`}`
    );
    const left = this.survivors.map(({ pid, command }) => `process ${pid} (${command})`);
    return [...holders, ...left, ...this.problems];
  }

  /** The swarm's id. A folder without one has never had a process, unless it has runs. */
  #swarm(): string | null {
    try {
      const id = readSwarmId(this.#stateDir);
      if (id !== null) return id;
      if (!isUsed(this.#stateDir)) return NO_SWARM;
      this.notes.push(
        `"${this.#stateDir}/ID" is missing: the processes of its runs cannot be told`,
      );
      return null;
    } catch (error) {
      this.notes.push(messageOf(error));
      return null;
    }
  }
}

function answer(stopped: Stopped | null, killer: Killer, elapsedMs: number): StopAnswer {
  return {
    stopped: stopped !== null && !stopped.overtaken,
    epoch: stopped?.epoch ?? 0,
    proven: stopped?.proven ?? false,
    runs: killer.runs,
    killed: killer.killed,
    survivors: killer.survivors.length,
    survivorList: killer.survivors,
    problems: killer.problems,
    elapsedMs,
  };
}

function elapsed(clock: Clock, started: number): number {
  return roundedMs(clock.mono() - started);
}

function author(): StopAuthor {
  return {
    host: quietly(() => Deno.hostname()),
    pid: Deno.pid,
    user: quietly(() => String(Deno.uid() ?? "")),
  };
}

/** What may not be read is left empty. */
function quietly(read: () => string): string {
  try {
    return read();
  } catch {
    return "";
  }
}
