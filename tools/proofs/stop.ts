/**
 * The stop proof: `skein prove` through whatever starts Skein. Its figures are added up again and held against each
 * other, against the exit code and against the time that they must take; and it must fail where something survives.
 *
 * @module
 */
import { demand, demandCode, demandJson, type Start } from "./start.ts";

const FAILED = 1;
/** A round waits this long to see whether a heart is frozen: ten beats of 20 ms. */
const LEAST_ROUND_MS = 200;
/** How long a round may take on a machine that is busy. */
const MOST_ROUND_MS = 60_000;
const TREES = 8;

/** How much is proved. */
export interface StopProofSize {
  /** Rounds. */
  readonly rounds: number;
  /** Trees a round. */
  readonly trees?: number;
}

/** Proves it; `say` is told of each part. Throws a {@linkcode Refutation} at the first that does not hold. */
export async function proveStop(
  start: Start,
  { rounds, trees = TREES }: StopProofSize,
  say: (what: string) => void,
): Promise<void> {
  const began = performance.now();
  const answer = await start.run(words(rounds, trees), (rounds + 1) * MOST_ROUND_MS);
  const elapsedMs = performance.now() - began;
  demandCode("skein prove", answer, 0);
  const proof = demandJson("skein prove", answer);
  const problems = problemsIn(proof, { rounds, trees, elapsedMs });
  demand(problems.length === 0, problems.join("; "));
  say(`${rounds * trees} trees are stopped, their processes gone and their hearts frozen`);

  const planted = await start.run([...words(1, 1), "--plant-survivor"]);
  demandCode("skein prove with a planted survivor", planted, FAILED);
  const failed = demandJson("skein prove with a planted survivor", planted);
  demand(failed.ok === false && failed.survivors === 1, "The planted survivor is not counted");
  demand(/survivor in round 1: pid \d+/.test(planted.stderr), "The planted survivor is not named");
  say("a survivor that is planted is found and named");
}

/** What was asked for, and how long it took. */
export interface Expected {
  /** Rounds. */
  readonly rounds: number;
  /** Trees a round. */
  readonly trees: number;
  /** From the start of the command to its end, in milliseconds. */
  readonly elapsedMs: number;
}

/** What is wrong with the figures of a proof; nothing where all trees of all rounds are gone. */
export function problemsIn(proof: Record<string, unknown>, expected: Expected): string[] {
  const { rounds, trees, elapsedMs } = expected;
  const problems: string[] = [];
  const demandSame = (what: string, value: unknown, right: unknown) => {
    if (value === right) return;
    problems.push(`${what} is ${JSON.stringify(value)} where ${JSON.stringify(right)} is right`);
  };
  const demandThat = (what: string, holds: boolean) => {
    if (!holds) problems.push(`it is not so that ${what}`);
  };
  const all = trees * rounds;
  demandThat("all is well", proof.ok === true);
  for (const name of ["trees", "terminated", "frozen"]) demandSame(name, proof[name], all);
  demandSame("survivors", proof.survivors, 0);
  const each: Record<string, unknown>[] = Array.isArray(proof.rounds) ? proof.rounds : [];
  demandSame("the number of rounds", each.length, rounds);
  for (const [index, round] of each.entries()) {
    const of = `of round ${index + 1}`;
    demandSame(`the number ${of}`, round.round, index + 1);
    for (const name of ["trees", "terminated", "frozen"]) {
      demandSame(`${name} ${of}`, round[name], trees);
    }
    demandThat(`the stop ${of} is proven`, round.proven === true);
    demandSame(`survivors ${of}`, JSON.stringify(round.survivors), "[]");
    demandThat(`the stop ${of} has a time`, isTime(round.goneMs));
  }
  const times = each.map(({ goneMs }) => goneMs).filter(isTime);
  demandSame("worstMs", proof.worstMs, Math.max(...times));
  demandThat("the median is one of the times", isWithin(proof.medianMs, times));
  demandThat("the floor was measured", isTime(proof.floorMs));
  const least = rounds * LEAST_ROUND_MS;
  demandThat(`its rounds have waited ${least} ms: it took less`, elapsedMs >= least);
  return problems;
}

function words(rounds: number, trees: number): string[] {
  return ["prove", "--rounds", String(rounds), "--trees", String(trees), "--json"];
}

function isTime(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value) && value > 0;
}

function isWithin(value: unknown, times: readonly number[]): boolean {
  return isTime(value) && value >= Math.min(...times) && value <= Math.max(...times);
}
