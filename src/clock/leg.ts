/** No leg is longer: one that nobody walks any more is left behind, and keeps nothing alive. */
const LONGEST_MS = 1000;

/** Takes who waits out of a leg. */
type Leave = (next: () => void) => void;

/**
 * Waits for a time, or for a part of it where it is long, and calls back. Of all timers of the runtime this is the one
 * that comes without a part of Node: the first `setTimeout` of a process takes as long as a fifth of an empty one. It
 * lives for as long as somebody listens.
 */
export function walk(ms: number, next: () => void): Leave {
  if (ms > LONGEST_MS) return shared.join(next);
  const leg = AbortSignal.timeout(Math.max(0, Math.ceil(ms)));
  leg.addEventListener("abort", next);
  return (next) => leg.removeEventListener("abort", next);
}

/** One leg for all who have a long way: a run that ends soon has set a limit of hours, and made no timer for it. */
class SharedLeg {
  readonly #walkers = new Set<() => void>();
  readonly #arrive = () => {
    const walkers = [...this.#walkers];
    this.#walkers.clear();
    for (const next of walkers) next();
  };
  readonly #leave: Leave = (next) => {
    this.#walkers.delete(next);
    if (this.#walkers.size === 0) this.#signal?.removeEventListener("abort", this.#arrive);
  };
  #signal: AbortSignal | null = null;

  /** Walks along; whoever joins late arrives early, and has to go on. */
  join(next: () => void): Leave {
    if (this.#signal === null || this.#signal.aborted) {
      this.#signal = AbortSignal.timeout(LONGEST_MS);
    }
    if (this.#walkers.size === 0) this.#signal.addEventListener("abort", this.#arrive);
    this.#walkers.add(next);
    return this.#leave;
  }
}

const shared = new SharedLeg();
