import type { Moment } from "./held_claims.ts";

/** What disturbs a reaper. */
export interface CalmTerms {
  /** How long it waits after a disturbance, in milliseconds: one ttl. */
  readonly waitMs: number;
  /** How late a tick may be. */
  readonly lateMs: number;
  /** By how much the clocks may disagree about the time between two ticks. */
  readonly jumpMs: number;
}

/**
 * Whether a reaper may trust what it sees. After a late tick, a jump between the clocks or an outage of the store, claims
 * may look expired whose holders are about to renew them or to give them up: it waits for one ttl.
 */
export class Calm {
  readonly #terms: CalmTerms;
  #last: Moment | null = null;
  #until = -Infinity;

  /** Nothing has disturbed it. */
  constructor(terms: CalmTerms) {
    this.#terms = terms;
  }

  /** A tick begins, so long after the last one ended as it was asked to wait. */
  begin(now: Moment, askedMs: number): void {
    if (this.#last === null) return;
    const mono = now.mono - this.#last.mono;
    const wall = now.wall - this.#last.wall;
    const { lateMs, jumpMs } = this.#terms;
    if (mono > askedMs + lateMs || Math.abs(wall - mono) > jumpMs) this.disturb(now);
  }

  /** A tick has ended. */
  end(now: Moment): void {
    this.#last = now;
  }

  /** Something is not as it should be. */
  disturb(now: Moment): void {
    this.#until = now.mono + this.#terms.waitMs;
  }

  /** Whether it may be reaped now. */
  isAt(now: Moment): boolean {
    return now.mono >= this.#until;
  }
}
