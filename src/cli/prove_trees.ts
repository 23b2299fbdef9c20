import { every, roundedMs, systemClock } from "../clock/mod.ts";
import type { ProcessIdentity } from "../model/mod.ts";
import { platform } from "../proc/mod.ts";
import { BEAT_MS } from "./tree.ts";

/** Beats that a heart must miss before it counts as frozen. */
const FROZEN_PERIODS = 10;
const START_MS = 60_000;

/** The trees of one round, by the files that they write. */
export class Ledger {
  /** Where they write. */
  readonly folder: string;
  readonly #names: readonly string[];
  #processes: ProcessIdentity[] = [];

  /** Makes a ledger for trees of the given names. */
  constructor(folder: string, names: readonly string[]) {
    this.folder = folder;
    this.#names = names;
    Deno.mkdirSync(folder, { recursive: true });
  }

  /** Every process of every tree. */
  get processes(): readonly ProcessIdentity[] {
    return this.#processes;
  }

  /** Waits until every heart beats, and notes who lives. */
  async waitUntilAlive(): Promise<void> {
    const deadline = systemClock.mono() + START_MS;
    const beaten = new Map<string, bigint>();
    while (!this.#names.every((name) => this.#beat(name) > (beaten.get(name) ?? 0n))) {
      for (const name of this.#names) {
        if (!beaten.has(name) && this.#beat(name) > 0n) beaten.set(name, this.#beat(name));
      }
      if (systemClock.mono() > deadline) throw new Error("Cannot start the trees within a minute");
      await systemClock.sleep(BEAT_MS / 4);
    }
    this.#processes = this.#names.flatMap((name) =>
      ["parent", "child"].map((role) => this.#identify(name, role))
    );
  }

  /** Adds a process that belongs to no tree. */
  plant(process: ProcessIdentity): void {
    this.#processes.push(process);
  }

  /** Those that still are there. */
  alive(): ProcessIdentity[] {
    return this.#processes.filter((process) => platform.isAlive(process));
  }

  /** Trees of which nothing is left. */
  terminated(): number {
    const alive = new Set(this.alive().map(({ pid }) => pid));
    return this.#names.filter((name) =>
      ["parent", "child"].every((role) => !alive.has(this.#pid(name, role)))
    ).length;
  }

  /** Hearts that do not beat any more. */
  async frozen(): Promise<number> {
    const before = this.#names.map((name) => this.#beat(name));
    await systemClock.sleep(BEAT_MS * FROZEN_PERIODS);
    return this.#names.filter((name, index) => this.#beat(name) === before[index]).length;
  }

  #identify(name: string, role: string): ProcessIdentity {
    return platform.identify(this.#pid(name, role));
  }

  #pid(name: string, role: string): number {
    return Number(Deno.readTextFileSync(`${this.folder}/${name}.${role}.pid`));
  }

  #beat(name: string): bigint {
    try {
      const bytes = Deno.readFileSync(`${this.folder}/${name}.beat`);
      return bytes.length < 8 ? 0n : new DataView(bytes.buffer).getBigUint64(0);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return 0n;
      throw error;
    }
  }
}

/** Looks every millisecond whether all are gone, and says when they were. */
export class DeathWatch implements Disposable {
  readonly #ledger: Pick<Ledger, "alive">;
  readonly #started: number;
  readonly #timer: Disposable;
  #goneAt: number | null = null;

  /** Starts the clock. */
  constructor(ledger: Pick<Ledger, "alive">) {
    this.#ledger = ledger;
    this.#started = systemClock.mono();
    this.#timer = every(1, () => this.#look());
  }

  /** Milliseconds from the start until all were gone, to the microsecond; `null` where some are not. */
  elapsed(): number | null {
    this.#look();
    return this.#goneAt === null ? null : roundedMs(this.#goneAt - this.#started);
  }

  /** Stops to look. */
  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
  }

  #look(): void {
    if (this.#goneAt === null && this.#ledger.alive().length === 0) {
      this.#goneAt = systemClock.mono();
    }
  }
}
