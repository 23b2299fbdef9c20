/** Draws random numbers. */
export interface Rng {
  /** Uniform in [0, 1). */
  next(): number;
}

/** Chance from the system's entropy, which is asked for many numbers at a time. */
class SystemRng implements Rng {
  readonly #words = new Uint32Array(64);
  #next = this.#words.length;

  next(): number {
    if (this.#next === this.#words.length) {
      crypto.getRandomValues(this.#words);
      this.#next = 0;
    }
    const high = this.#words[this.#next++] ?? 0;
    const low = this.#words[this.#next++] ?? 0;
    return (high * 2 ** 21 + (low >>> 11)) / 2 ** 53;
  }
}

/** Chance from the system's entropy. */
export const systemRng: Rng = new SystemRng();

/** Chance that replays: the same seed gives the same numbers. The generator is mulberry32. */
export function seededRng(seed: number): Rng {
  let state = seed >>> 0;
  return {
    next() {
      state = (state + 0x6d2b79f5) >>> 0;
      let mixed = Math.imul(state ^ (state >>> 15), state | 1);
      mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
      return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
    },
  };
}
