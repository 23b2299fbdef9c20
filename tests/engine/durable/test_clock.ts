import type { Clock } from "../../../src/clock/mod.ts";

/** A sleep that has not ended. */
interface Sleeper {
  readonly at: number;
  readonly wake: () => void;
}

/** How long a chain of promises may be that goes on without any time. */
const CHAIN = 200;
/** How many turns of the event loop whatever was woken is given. */
const TURNS = 3;

/** A clock that stands still until a test turns it. */
export class TestClock implements Clock {
  #mono = 1_000;
  #wall = 1_800_000_000_000;
  #sleepers: Sleeper[] = [];

  wall(): number {
    return this.#wall;
  }

  mono(): number {
    return this.#mono;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    if (ms <= 0) return new Promise((resolve) => setTimeout(resolve));
    return new Promise((resolve) => {
      const wake = () => {
        this.#sleepers = this.#sleepers.filter((one) => one !== sleeper);
        signal?.removeEventListener("abort", wake);
        resolve();
      };
      const sleeper = { at: this.#mono + ms, wake };
      this.#sleepers.push(sleeper);
      signal?.addEventListener("abort", wake);
    });
  }

  /** Sleeps that have not ended. */
  get sleeping(): number {
    return this.#sleepers.length;
  }

  /** Lets everything go on that waits for no time. */
  async settle(): Promise<void> {
    for (let turn = 0; turn < TURNS; turn++) await new Promise((resolve) => setTimeout(resolve));
  }

  /** Turns both clocks on, waking whoever slept so long, in order. */
  async advance(ms: number): Promise<void> {
    const end = this.#mono + ms;
    for (;;) {
      for (let link = 0; link < CHAIN; link++) await null;
      if (this.#next(end) === undefined) await this.settle();
      const next = this.#next(end);
      if (next === undefined) break;
      this.#turn(Math.max(0, next.at - this.#mono));
      next.wake();
    }
    this.#turn(end - this.#mono);
    await this.settle();
  }

  /** The machine slept, or the process was stopped: time has passed, and nobody was woken on the way. */
  suspend(ms: number): void {
    this.#turn(ms);
  }

  /** Sets the wall clock, on or back. */
  jump(ms: number): void {
    this.#wall += ms;
  }

  #next(end: number): Sleeper | undefined {
    return this.#sleepers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
  }

  #turn(ms: number): void {
    this.#mono += ms;
    this.#wall += ms;
  }
}
