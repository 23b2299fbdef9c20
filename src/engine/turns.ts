import type { Clock } from "../clock/mod.ts";

/** How long work may follow work before signals, timers and file watches get their turn, in milliseconds. */
const TURN_MS = 10;

/** Lets the event loop see signals, timers and file watches, however long a run of ready tasks is. */
export class Turns {
  readonly #clock: Clock;
  readonly #turnMs: number;
  #endsAt: number;
  #taken: Promise<void> | null = null;

  /** The first turn begins. */
  constructor(clock: Clock, turnMs: number = TURN_MS) {
    this.#clock = clock;
    this.#turnMs = turnMs;
    this.#endsAt = clock.mono() + turnMs;
  }

  /** Whether the turn is over, so that {@linkcode Turns.take} is to be awaited. */
  get isOver(): boolean {
    return this.#clock.mono() > this.#endsAt;
  }

  /** Begins the next turn, one for all who ask meanwhile. */
  take(): Promise<void> {
    return this.#taken ??= this.#next();
  }

  async #next(): Promise<void> {
    await this.#clock.sleep(0);
    this.#endsAt = this.#clock.mono() + this.#turnMs;
    this.#taken = null;
  }
}
