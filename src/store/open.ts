import type { Clock, Rng } from "../clock/mod.ts";
import type { QueueWrite } from "../faults/mod.ts";
import type { Latch, Store } from "./store.ts";

/** What a crash of the machine may take: `normal` the last commits before a power failure, `full` nothing. */
export type Durability = "normal" | "full";

/** What a transaction writes: a transition of the queue, or what is no run's own. */
export type StoreWrite = QueueWrite | "upkeep";

/** A wait for the lock that has become long. Told once a wait. */
export interface StoreWait {
  /** The database. */
  readonly path: string;
  /** What the first that waits wants to write; `read`: to read, while somebody mends the log. */
  readonly what: StoreWrite | "read";
  /** How long it has lasted so far, in milliseconds. */
  readonly waitedMs: number;
}

/** How a store is opened. */
export interface StoreOptions {
  /** The database's file; it is made where there is none. */
  readonly path: string;
  /** Time: its wall clock stamps and judges everything. */
  readonly clock: Clock;
  /** Chance: for backoffs and for the waits between tries. */
  readonly rng: Rng;
  /** The fence, as the store asks it inside its transactions. */
  readonly latch: Latch;
  /** Told once of each wait for the write lock that lasts a second. */
  readonly onWait?: (wait: StoreWait) => void;
  /** What a power failure may take; `normal` by default. */
  readonly durability?: Durability;
}

/**
 * Opens the queue's database, and brings it to this version's schema.
 *
 * @throws {SkeinError} `state-unusable` where it cannot be opened or a newer version made it; `state-corrupt` where it
 * is no database of Skein's.
 */
export async function openStore(options: StoreOptions): Promise<Store> {
  // Late: what never opens the queue does not load SQLite.
  const { SqliteStore } = await import("./sqlite/store.ts");
  return await SqliteStore.open(options);
}
