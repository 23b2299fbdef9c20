import { type Clock, type Rng, systemClock, systemRng } from "../../clock/mod.ts";
import { currentEpoch, isClear, readFence, readSwarmId } from "../../fence/mod.ts";
import type { Lease } from "../../model/mod.ts";
import {
  type Durability,
  type Latch,
  openStore,
  type Store,
  type StoreWait,
} from "../../store/mod.ts";
import { queuePath } from "./queue_path.ts";

export { queuePath } from "./queue_path.ts";

/** What an engine asks of the fence; `Fence` is one. */
export interface EngineFence {
  /** The state directory. */
  readonly stateDir: string;
  /** The swarm's id. */
  readonly swarm: string;
  /** The epoch that it was entered with. */
  readonly epoch: number;
  /** The check. */
  check(lease: Lease): boolean;
  /** The check at the files themselves. */
  recheck(lease: Lease): boolean;
  /** Whether nothing is at STOP. */
  isClear(): boolean;
}

/**
 * The fence from outside, for an engine that executes nothing: a recovery, a look for what is broken. No lease is worth
 * anything behind it, and LOCK is not held.
 *
 * @throws {SkeinError} `state-corrupt` where the epoch or the swarm's id cannot be read.
 */
export function outsideFence(stateDir: string): EngineFence {
  return {
    stateDir,
    swarm: readSwarmId(stateDir) ?? "",
    epoch: currentEpoch(stateDir),
    check: () => false,
    recheck: () => false,
    isClear: () => isClear(stateDir),
  };
}

/** The fence as the store asks it, read from the files each time. */
export function latchOfState(stateDir: string): Latch {
  return {
    isClear: () => isClear(stateDir),
    epoch: () => readFence(stateDir).epoch,
  };
}

/**
 * The fence as the store asks it on behalf of who has entered: while the bell is quiet, what the files said holds for
 * some milliseconds, as it does for every other check of a run.
 */
export function latchOfFence(fence: EngineFence): Latch {
  const files = latchOfState(fence.stateDir);
  const { epoch } = fence;
  const probe = { runId: "-", taskId: "-", pass: 1, attempt: 1, epoch, sequence: 1, issuedAt: "" };
  return {
    isClear: () => fence.check(probe),
    epoch: () => fence.check(probe) ? epoch : files.epoch(),
  };
}

/** How {@linkcode openQueue} opens the queue. */
export interface QueueOptions {
  /** The fence as the store asks it; the files of the state directory by default. */
  readonly latch?: Latch;
  /** What a power failure may take; `normal` by default. */
  readonly durability?: Durability;
  /** Told once of each long wait for the write lock. */
  readonly onWait?: (wait: StoreWait) => void;
  /** Time; the machine's by default. */
  readonly clock?: Clock;
  /** Chance; the machine's by default. */
  readonly rng?: Rng;
}

/**
 * Opens the queue of a state directory, which must be there; the database is made where there is none.
 *
 * @throws {SkeinError} `state-unusable` or `state-corrupt`.
 */
export async function openQueue(stateDir: string, options: QueueOptions = {}): Promise<Store> {
  const { latch = latchOfState(stateDir), clock = systemClock, rng = systemRng } = options;
  const { durability, onWait } = options;
  return await openStore({
    path: queuePath(stateDir),
    latch,
    clock,
    rng,
    ...durability === undefined ? {} : { durability },
    ...onWait === undefined ? {} : { onWait },
  });
}
