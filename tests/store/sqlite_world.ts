/**
 * SQLite as the conformance suite makes it: a file in a folder of its own, a clock and chance that the test sets.
 *
 * @module
 */
import { type Clock, seededRng } from "../../src/clock/mod.ts";
import { openStore, type Store, type StoreOptions } from "../../src/store/mod.ts";
import { type StoreFactory, type StoreWorld, TestLatch } from "../conformance/world.ts";

/** A clock that a test turns. A wait passes without it. */
export class TestClock implements Clock {
  #now = 1_800_000_000_000;

  /** Its time. */
  wall(): number {
    return this.#now;
  }

  /** Its time. */
  mono(): number {
    return this.#now;
  }

  /** A turn of the event loop. */
  sleep(): Promise<void> {
    return new Promise((resolve) => setTimeout(resolve, 0));
  }

  /** Turns it on, or back. */
  advance(ms: number): void {
    this.#now += ms;
  }
}

/** A database in a folder of its own. */
export class SqliteWorld implements StoreWorld {
  /** The folder. */
  readonly folder: string = Deno.makeTempDirSync({ prefix: "skein-store-" });
  /** The file. */
  readonly path: string = `${this.folder}/queue.db`;
  /** The fence. */
  readonly latch: TestLatch = new TestLatch();
  /** The clock. */
  readonly clock: TestClock = new TestClock();
  readonly #stores: Store[] = [];
  #draw: number | null = null;

  /** Makes one. */
  static async make(): Promise<SqliteWorld> {
    const world = new SqliteWorld();
    await world.connect();
    return world;
  }

  /** The first connection. */
  get store(): Store {
    const [store] = this.#stores;
    if (store === undefined) throw new Error("The world is not made");
    return store;
  }

  /** How a connection is opened. */
  get options(): StoreOptions {
    const chance = seededRng(1);
    const rng = { next: () => this.#draw ?? chance.next() };
    return { path: this.path, clock: this.clock, rng, latch: this.latch };
  }

  /** Another connection. */
  async connect(): Promise<Store> {
    const store = await openStore(this.options);
    this.#stores.push(store);
    return store;
  }

  /** Turns the clock. */
  advance(ms: number): void {
    this.clock.advance(ms);
  }

  /** Sets what every draw gives. */
  draw(value: number): void {
    this.#draw = value;
  }

  /** Closes every connection, and removes the folder. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const store of this.#stores) await store.close();
    Deno.removeSync(this.folder, { recursive: true });
  }
}

/** Makes worlds in files of SQLite. */
export const sqlite: StoreFactory = { name: "sqlite", make: () => SqliteWorld.make() };
