import type { Clock } from "../../clock/mod.ts";
import type { LeaseRef } from "../../store/mod.ts";
import { OVER } from "../over.ts";

/** A moment on both clocks. */
export interface Moment {
  /** On the clock that never jumps, which may stand still while the machine sleeps. */
  readonly mono: number;
  /** On the wall clock, which may jump. */
  readonly wall: number;
}

/** Of the ttl, what is kept for killing the trees of a claim that could not be renewed. */
const MARGIN = 1 / 6;
/** How often it is looked whether the wall clock has jumped, as a share of the ttl and at most. */
const LOOK = 1 / 20;
const LONGEST_LOOK_MS = 1_000;

/** A claim that this process believes it holds. */
export class HeldClaim {
  /** The claim. */
  readonly ref: LeaseRef;
  readonly #clock: Clock;
  readonly #believedMs: number;
  readonly #onLost: () => void;
  #sent: Moment;
  #state: "held" | "lost" | "released" = "held";

  /** Believes in a claim that was asked for at a moment. */
  constructor(
    ref: LeaseRef,
    sent: Moment,
    clock: Clock,
    believedMs: number,
    onLost: () => void,
  ) {
    this.ref = ref;
    this.#clock = clock;
    this.#believedMs = believedMs;
    this.#sent = sent;
    this.#onLost = onLost;
  }

  /** Whether it may still be acted on: it was not lost, and by neither clock is it as good as over. */
  get isTrusted(): boolean {
    return this.#state !== "lost" && this.msLeft() > 0;
  }

  /** How long it is believed in without another renewal, by whichever clock is ahead; not above 0 where it is over. */
  msLeft(): number {
    const { mono, wall } = this.#sent;
    const passed = Math.max(this.#clock.mono() - mono, this.#clock.wall() - wall);
    return this.#believedMs - passed;
  }

  /** It was renewed by what was sent at a moment. */
  renewed(sent: Moment): void {
    if (sent.mono > this.#sent.mono) this.#sent = sent;
  }

  /** It is given up: whoever acts on it ends that at once. */
  lose(): void {
    if (this.#state !== "held") return;
    this.#state = "lost";
    this.#onLost();
  }

  /** Nobody acts on it any more. */
  release(): void {
    if (this.#state === "held") this.#state = "released";
  }
}

/**
 * The claims that this process believes it holds. Each is given up, and its trees with it, before its ttl ends on the
 * monotonic or the wall clock, whichever is first, counted from before the last good renewal was sent: by the time
 * anybody else may take the run, nothing of it is left here.
 */
export class HeldClaims {
  readonly #clock: Clock;
  readonly #ttlMs: number;
  readonly #claims = new Map<string, HeldClaim>();
  #watch: AbortController | null = null;

  /** Holds none. */
  constructor(clock: Clock, ttlMs: number) {
    this.#clock = clock;
    this.#ttlMs = ttlMs;
  }

  /** Now, to be asked before a claim or a renewal is sent. */
  now(): Moment {
    return { mono: this.#clock.mono(), wall: this.#clock.wall() };
  }

  /**
   * Believes in a claim.
   *
   * @param sent from before it was asked for.
   * @param onLost called once, when it is given up.
   */
  hold(ref: LeaseRef, sent: Moment, onLost: () => void): HeldClaim {
    const { ref: before } = this.#claims.get(ref.runId) ?? {};
    // It was lost, or nobody could have claimed the run again.
    if (before !== undefined) this.lose(before);
    const claim = new HeldClaim(ref, sent, this.#clock, this.#ttlMs * (1 - MARGIN), onLost);
    this.#claims.set(ref.runId, claim);
    if (this.#watch === null) void this.#watchOver(this.#watch = new AbortController());
    return claim;
  }

  /** Every claim that is held. */
  refs(): LeaseRef[] {
    return Array.from(this.#claims.values(), ({ ref }) => ref);
  }

  /** The claim that is held on a run, `null` without one. */
  leaseOf(runId: string): LeaseRef | null {
    return this.#claims.get(runId)?.ref ?? null;
  }

  /** A claim was renewed by what was sent at a moment. */
  renewed(ref: LeaseRef, sent: Moment): void {
    this.#claimOf(ref)?.renewed(sent);
  }

  /** A claim is lost. */
  lose(ref: LeaseRef): void {
    const claim = this.#claimOf(ref);
    if (claim !== null) this.#drop(claim);
    claim?.lose();
  }

  /** This process answers for a claim no longer. */
  release(ref: LeaseRef): void {
    const claim = this.#claimOf(ref);
    if (claim !== null) this.#drop(claim);
    claim?.release();
  }

  /** The very claim: a later one on the same run is another. */
  #claimOf({ runId, token }: LeaseRef): HeldClaim | null {
    const claim = this.#claims.get(runId);
    return claim?.ref.token === token ? claim : null;
  }

  #drop({ ref }: HeldClaim): void {
    this.#claims.delete(ref.runId);
    if (this.#claims.size > 0) return;
    this.#watch?.abort(OVER);
    this.#watch = null;
  }

  async #watchOver({ signal }: AbortController): Promise<void> {
    const look = Math.min(LONGEST_LOOK_MS, this.#ttlMs * LOOK);
    while (!signal.aborted) {
      const left = Array.from(this.#claims.values(), (claim) => claim.msLeft());
      await this.#clock.sleep(Math.max(0, Math.min(look, ...left)), signal);
      for (const claim of [...this.#claims.values()]) {
        if (claim.msLeft() <= 0) this.lose(claim.ref);
      }
    }
  }
}
