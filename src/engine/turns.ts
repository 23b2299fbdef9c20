import { type Clock, eventTurn } from "../clock/mod.ts";

/** How long work may follow work before signals, timers and file watches get their turn, in milliseconds. */
const TURN_MS = 10;

/** Lets the event loop see signals, timers and file watches, however long a run of ready tasks is. */
export class Turns {
  readonly #clock: Clock;
  readonly #rest: () => Promise<void>;
  readonly #turnMs: number;
  #endsAt: number;
  #taken: Promise<void> | null = null;

  /**
   * The first turn begins.
   *
   * @param rest what lets the others have theirs: a clock that a test turns may not wait at all.
   */
  constructor(clock: Clock, turnMs = TURN_MS, rest: () => Promise<void> = eventTurn) {
    this.#clock = clock;
    this.#rest = rest;
    this.#turnMs = turnMs;
    this.#endsAt = clock.mono() + turnMs;
  }

  /** Whether the turn is over, so that {@linkcode Turns.take} is to be awaited, and then asked again. */
  isOver(now: number): boolean {
    return now > this.#endsAt;
  }

  /** Begins the next turn, one for all who ask meanwhile; the first of them may use it up. */
  take(): Promise<void> {
    return this.#taken ??= this.#next();
  }

  async #next(): Promise<void> {
    await this.#rest();
    this.#endsAt = this.#clock.mono() + this.#turnMs;
    this.#taken = null;
  }
}
