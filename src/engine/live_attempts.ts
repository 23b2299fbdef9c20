import { type Clock, systemClock } from "../clock/mod.ts";
import type { Attempt } from "./attempt.ts";
import type { Ending } from "./executor.ts";
import { OVER } from "./over.ts";

/** What runs now, each in a slot, with one timer for all deadlines. */
export class LiveAttempts {
  readonly #clock: Clock;
  readonly #graceMs: number;
  readonly #alarm: Pick<Clock, "sleep">;
  readonly #slots: (Attempt | null)[] = [];
  /** When what runs in each slot is to be ended, on the monotonic clock. */
  readonly #deadlines: number[] = [];
  readonly #free: number[] = [];
  #timer: AbortController | null = null;
  #armedFor = Infinity;
  #runEndsAt = Infinity;
  #onRunEnd: () => void = () => {};

  /**
   * Makes an empty set.
   *
   * @param alarm what wakes at a deadline; the machine's clock by default, whatever tells the time.
   */
  constructor(clock: Clock, graceMs: number, alarm: Pick<Clock, "sleep"> = systemClock) {
    this.#clock = clock;
    this.#graceMs = graceMs;
    this.#alarm = alarm;
  }

  /** Sets the deadline of the whole run. */
  limitRun(ms: number, onEnd: () => void): void {
    this.#runEndsAt = this.#clock.mono() + ms;
    this.#onRunEnd = onEnd;
    this.#arm(this.#runEndsAt);
  }

  /** Takes a slot, to run attempts in one after another. */
  takeSlot(): number {
    const free = this.#free.pop();
    if (free !== undefined) return free;
    this.#deadlines.push(Infinity);
    return this.#slots.push(null) - 1;
  }

  /** Gives a slot back. */
  freeSlot(slot: number): void {
    this.#free.push(slot);
  }

  /** An attempt begins in a slot, to be ended at a moment of the monotonic clock. */
  begin(slot: number, attempt: Attempt, deadlineAt: number): void {
    this.#slots[slot] = attempt;
    this.#deadlines[slot] = deadlineAt;
    // Turned round, so that what is no number comes to light.
    if (!(deadlineAt >= this.#armedFor)) this.#arm(deadlineAt);
  }

  /** The attempt in a slot has ended. */
  finish(slot: number): void {
    this.#slots[slot] = null;
  }

  /** Ends everything that runs; what goes on after the grace is abandoned, where that can be. */
  endAll(ending: Ending): void {
    const abandonAt = this.#clock.mono() + ending.graceMs;
    this.#slots.forEach((attempt, slot) => {
      if (attempt === null) return;
      attempt.end(ending);
      this.#deadlines[slot] = Math.min(this.#deadlineOf(slot), abandonAt);
    });
    this.#arm(abandonAt);
  }

  /** Abandons everything that is ending. */
  abandonAll(): void {
    for (const attempt of this.#slots) if (attempt?.isEnding) attempt.abandon();
  }

  /** Ends the timer. */
  close(): void {
    this.#timer?.abort(OVER);
    this.#armedFor = -Infinity;
  }

  #arm(at: number): void {
    if (at >= this.#armedFor) return;
    this.#timer?.abort(OVER);
    this.#armedFor = at;
    const ms = Math.max(0, Math.ceil(at - this.#clock.mono()));
    if (Number.isNaN(ms)) throw new RangeError("Cannot wait until a moment that is no number");
    const { signal } = this.#timer = new AbortController();
    void this.#alarm.sleep(ms, signal).then(() => {
      if (!signal.aborted) this.#fire();
    });
  }

  #fire(): void {
    this.#armedFor = Infinity;
    const now = this.#clock.mono();
    if (this.#runEndsAt <= now) {
      this.#runEndsAt = Infinity;
      this.#onRunEnd();
    }
    let next = this.#runEndsAt;
    this.#slots.forEach((attempt, slot) => {
      if (attempt === null) return;
      if (this.#deadlineOf(slot) <= now) this.#expire(attempt, slot, now);
      next = Math.min(next, this.#deadlineOf(slot));
    });
    if (next < Infinity) this.#arm(next);
  }

  /** The first time is over: it is asked to end. The second: it is abandoned. */
  #expire(attempt: Attempt, slot: number, now: number): void {
    if (attempt.isEnding) {
      this.#deadlines[slot] = Infinity;
      attempt.abandon();
      return;
    }
    this.#deadlines[slot] = now + this.#graceMs;
    attempt.end({ cause: "timeout", graceMs: this.#graceMs });
  }

  #deadlineOf(slot: number): number {
    return this.#deadlines[slot] ?? Infinity;
  }
}
