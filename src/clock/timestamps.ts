import type { Clock } from "./clock.ts";

let lastMs = NaN;
let lastText = "";

/**
 * A moment as ISO 8601 text, UTC. Many that follow one another are of the same millisecond, whose text is made once.
 *
 * @param ms milliseconds since 1970.
 * @throws {RangeError} where that is no moment that a date can be.
 */
export function isoTime(ms: number): string {
  if (ms !== lastMs) {
    lastText = new Date(ms).toISOString();
    lastMs = ms;
  }
  return lastText;
}

/** The wall clock as ISO 8601 text, UTC. */
export class Timestamps {
  readonly #clock: Clock;
  #text = "";
  #readAt = -Infinity;

  /** Binds a clock. */
  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Now. */
  now(): string {
    return isoTime(this.#clock.wall());
  }

  /** Now, where the monotonic clock says `mono`: the wall clock is read once a millisecond. */
  nowAt(mono: number): string {
    if (mono < this.#readAt || mono >= this.#readAt + 1) {
      this.#readAt = mono;
      this.#text = this.now();
    }
    return this.#text;
  }
}
