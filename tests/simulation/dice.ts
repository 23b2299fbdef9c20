import { type Rng, seededRng } from "../../src/clock/mod.ts";

/** Chance, all of it from one seed. */
export class Dice implements Rng {
  readonly #rng: Rng;

  /** The same seed throws the same numbers. */
  constructor(seed: number) {
    this.#rng = seededRng(seed);
  }

  /** Uniform in [0, 1). */
  next(): number {
    return this.#rng.next();
  }

  /** A whole number from 0, below `end`. */
  below(end: number): number {
    return Math.floor(this.#rng.next() * end);
  }

  /** A whole number of a range, both ends included. */
  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  /** `true`, so often out of one. */
  chance(share: number): boolean {
    return this.#rng.next() < share;
  }

  /** One of a list, `undefined` of an empty one. */
  pick<T>(list: readonly T[]): T | undefined {
    return list[this.below(list.length)];
  }

  /** Those of a list that a coin chooses. */
  some<T>(list: readonly T[], share: number): T[] {
    return list.filter(() => this.chance(share));
  }

  /** Chance of its own for somebody, which what others throw does not change. */
  fork(): Dice {
    return new Dice(this.below(2 ** 32));
  }
}
