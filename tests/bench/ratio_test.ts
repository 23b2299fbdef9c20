import { assert } from "@std/assert";
import { prepare } from "../../bench/candidates.ts";
import { SHAPES } from "../../bench/graphs.ts";

const MOST = 4;
const ROUNDS = 5;
const REPEATS = 20;
const TASKS = 1000;

/** Milliseconds of several runs in a row. */
async function time(runs: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  for (let repeat = 0; repeat < REPEATS; repeat++) await runs();
  return performance.now() - started;
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? NaN;
}

for (const shape of SHAPES) {
  Deno.test(`the scheduler path costs at most ${MOST} times the floor, ${shape}`, async () => {
    const { skein, floor } = prepare(shape, TASKS);
    await time(skein);
    await time(floor);
    const ratios: number[] = [];
    for (let round = 0; round < ROUNDS; round++) ratios.push(await time(skein) / await time(floor));
    assert(median(ratios) <= MOST, `${median(ratios).toFixed(2)} times the floor`);
  });
}
