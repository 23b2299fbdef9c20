import type { Clock } from "../../src/clock/mod.ts";
import type { Player, Timeline } from "./timeline.ts";

/** What every wall clock shows at the start. */
const START = 1_800_000_000_000;

/** A process with clocks of its own, which can be held up, set wrong and killed; the database's clock is one too. */
export class Machine implements Player, Clock {
  /** The name of its executor. */
  readonly name: string;
  /** Where it is: a process ends what its predecessors left on the same host only. */
  readonly host: string;
  /** How much longer than usual its calls are on their way to the store, in milliseconds. */
  lagMs: number = 0;
  /** Whether its renewals get lost on their way to the store. */
  losesRenewals: boolean = false;
  readonly #timeline: Timeline;
  readonly #monoOffset: number;
  #stoodStillMs = 0;
  #wrongByMs = 0;
  #isGone = false;
  #heldUntil = -Infinity;
  #asleepSince: number | null = null;

  /** Its clocks begin to run; the monotonic one anywhere. */
  constructor(name: string, host: string, timeline: Timeline, monoOffset: number) {
    this.name = name;
    this.host = host;
    this.#timeline = timeline;
    this.#monoOffset = monoOffset;
  }

  /** Whether it has ended. */
  get isGone(): boolean {
    return this.#isGone;
  }

  /** When it may go on. */
  get heldUntil(): number {
    return this.#heldUntil;
  }

  /** By how much its wall clock is wrong, in milliseconds. */
  get wrongByMs(): number {
    return this.#wrongByMs;
  }

  /** Its wall clock. */
  wall(): number {
    return START + Math.floor(this.#timeline.now) + this.#wrongByMs;
  }

  /** Its monotonic clock. */
  mono(): number {
    this.#wake();
    return this.#timeline.now + this.#monoOffset - this.#stoodStillMs;
  }

  /** Waits, on the timeline. */
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (signal?.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const done = () => {
        cancel();
        signal?.removeEventListener("abort", done);
        resolve();
      };
      const cancel = this.#timeline.after(ms, this, done);
      signal?.addEventListener("abort", done);
    });
  }

  /** Sets its wall clock wrong by so much; 0 sets it right. */
  setWrongBy(ms: number): void {
    this.#wrongByMs = ms;
  }

  /** It gets no turn for a while. */
  suspend(ms: number): void {
    this.#wake();
    this.#heldUntil = this.#timeline.now + ms;
  }

  /** It gets no turn for a while, and its monotonic clock stands still meanwhile. */
  sleepFor(ms: number): void {
    this.suspend(ms);
    this.#asleepSince = this.#timeline.now;
  }

  /** It goes on now. */
  letGo(): void {
    this.#heldUntil = Math.min(this.#heldUntil, this.#timeline.now);
  }

  /** It has ended: nothing that it waits for comes any more. */
  end(): void {
    this.#isGone = true;
  }

  /** Whoever reads a clock is awake: it stood still for as long as it was held up. */
  #wake(): void {
    if (this.#asleepSince === null) return;
    this.#stoodStillMs += Math.min(this.#timeline.now, this.#heldUntil) - this.#asleepSince;
    this.#asleepSince = null;
  }
}
