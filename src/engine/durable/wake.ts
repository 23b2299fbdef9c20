import type { Clock } from "../../clock/mod.ts";
import { OVER } from "../over.ts";

/** A sleep that can be ended by others. Wake-ups coalesce: one that comes before the sleep ends the next one. */
export class Wake {
  readonly #clock: Clock;
  #rung = new AbortController();

  /** Nothing has rung. */
  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Ends the sleep, or the next one. */
  ring(): void {
    this.#rung.abort(OVER);
  }

  /** Sleeps, at most until it rings. */
  async sleep(ms: number): Promise<void> {
    await this.#clock.sleep(ms, this.#rung.signal);
    if (this.#rung.signal.aborted) this.#rung = new AbortController();
  }
}
