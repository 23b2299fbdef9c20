import type { Clock } from "./clock.ts";

/** The wall clock as ISO 8601 text, UTC. The text of a millisecond is made once. */
export class Timestamps {
  readonly #clock: Clock;
  #at = NaN;
  #text = "";
  #readAt = -Infinity;

  /** Binds a clock. */
  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Now. */
  now(): string {
    const at = this.#clock.wall();
    if (at !== this.#at) {
      this.#at = at;
      this.#text = new Date(at).toISOString();
    }
    return this.#text;
  }

  /** Now, where the monotonic clock says `mono`: the wall clock is read once a millisecond. */
  nowAt(mono: number): string {
    if (mono < this.#readAt || mono >= this.#readAt + 1) {
      this.#readAt = mono;
      this.now();
    }
    return this.#text;
  }
}
