import type { Clock } from "./clock.ts";

/**
 * The monotonic clock, read again once the wall clock shows another millisecond: half the cost of a reading, for
 * what is counted in millions. It is late by up to a millisecond, and as little as the clock itself does it jump.
 */
export class CoarseClock {
  readonly #clock: Clock;
  #tick = NaN;
  #mono = 0;

  /** Binds a clock. */
  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Milliseconds since some moment, as of the last tick. */
  mono(): number {
    const tick = this.#clock.wall();
    if (tick !== this.#tick) {
      this.#tick = tick;
      this.#mono = this.#clock.mono();
    }
    return this.#mono;
  }
}
