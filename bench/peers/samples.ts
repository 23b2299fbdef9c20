/**
 * Samples taken in turn, and what is said of them.
 *
 * @module
 */
import { messageOf } from "../../src/model/error.ts";

/** One sample. */
export interface Sample {
  /** Milliseconds. */
  readonly ms: number;
  /** What is held at the end of a run, in bytes a task; `null` where that is not asked. */
  readonly bytes?: number | null;
  /** Whether a neighbour shared the core; where nothing is said of it, none did. */
  readonly isShared?: boolean;
}

/** Something that is timed. */
export interface Contender {
  /** What it is called in the tables. */
  readonly name: string;
  /** Does it once. */
  sample(): Promise<Sample>;
}

/** The samples of one contender. */
export interface Series {
  /** The contender. */
  readonly name: string;
  /** Its samples, without the first, which warms up; those of a shared core only where there are not enough others. */
  readonly samples: readonly Sample[];
  /** How many more were taken, which do not count because the core was shared. */
  readonly leftOut: number;
  /** Why there are no more of them. */
  readonly failure: string | null;
}

/** Contenders that were timed together. */
export interface Group {
  /** What the goals know it by. */
  readonly id: string;
  /** The one that the others are compared with. */
  readonly base: string;
  /** One series each. */
  readonly series: readonly Series[];
}

/** So many times the rounds are made at most, where samples do not count. */
const MOST_ROUNDS = 2;

/**
 * One sample of each in turn; each round begins with another one. A contender that fails once is asked no more, one that
 * has its samples neither. There are further rounds for those whose core was shared.
 */
export async function interleave(
  id: string,
  base: string,
  contenders: readonly Contender[],
  rounds: number,
): Promise<Group> {
  const size = contenders.length;
  const takers = contenders.map((contender) => new Taker(contender, rounds));
  for (let round = 0; round <= MOST_ROUNDS * rounds; round++) {
    for (let turn = 0; turn < size; turn++) {
      const taker = takers[(round + turn) % size];
      if (taker?.hasEnough === false) await taker.take(round > 0);
    }
  }
  return { id, base, series: takers.map((taker) => taker.series()) };
}

/** Takes the samples of one contender. */
class Taker {
  readonly #contender: Contender;
  readonly #wanted: number;
  readonly #alone: Sample[] = [];
  readonly #shared: Sample[] = [];
  #failure: string | null = null;

  constructor(contender: Contender, wanted: number) {
    this.#contender = contender;
    this.#wanted = wanted;
  }

  get hasEnough(): boolean {
    return this.#failure !== null || this.#alone.length >= this.#wanted;
  }

  async take(counts: boolean): Promise<void> {
    try {
      const sample = await this.#contender.sample();
      if (counts) (sample.isShared === true ? this.#shared : this.#alone).push(sample);
    } catch (error) {
      this.#failure = messageOf(error);
    }
  }

  series(): Series {
    const all = [...this.#alone, ...this.#shared];
    const samples = all.slice(0, this.#wanted);
    const { name } = this.#contender;
    return { name, samples, leftOut: all.length - samples.length, failure: this.#failure };
  }
}

/** The median of some numbers, `null` of none. */
export function median(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  return upper === undefined || lower === undefined ? null : (upper + lower) / 2;
}

/** The 95th percentile by nearest rank: the worst of up to 20 samples. */
export function percentile95(values: readonly number[]): number | null {
  return values.toSorted((a, b) => a - b)[Math.ceil(values.length * 0.95) - 1] ?? null;
}

/** The median time of a contender of a group; `null` where it has none, or failed on the way. */
export function medianMs(group: Group | undefined, name: string): number | null {
  const series = group?.series.find((each) => each.name === name);
  if (series === undefined || series.failure !== null) return null;
  return median(series.samples.map(({ ms }) => ms));
}
