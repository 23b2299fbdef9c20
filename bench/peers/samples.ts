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
  /** Its samples, without the first, which warms up. */
  readonly samples: readonly Sample[];
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

/** One sample of each in turn; each round begins with another one. A contender that fails once is asked no more. */
export async function interleave(
  id: string,
  base: string,
  contenders: readonly Contender[],
  rounds: number,
): Promise<Group> {
  const size = contenders.length;
  const samples = contenders.map((): Sample[] => []);
  const failures = contenders.map((): string | null => null);
  for (let round = 0; round <= rounds; round++) {
    for (let turn = 0; turn < size; turn++) {
      const index = (round + turn) % size;
      if (failures[index] !== null) continue;
      try {
        const sample = await contenders[index]?.sample();
        if (round > 0 && sample !== undefined) samples[index]?.push(sample);
      } catch (error) {
        failures[index] = messageOf(error);
      }
    }
  }
  const series = contenders.map(({ name }, index) => ({
    name,
    samples: samples[index] ?? [],
    failure: failures[index] ?? null,
  }));
  return { id, base, series };
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
