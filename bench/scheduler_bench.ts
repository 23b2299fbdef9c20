/**
 * The scheduler path, beside the floor and the unstructured baseline: `deno task bench`. These figures are bookkeeping
 * in memory, not the cost of a run that starts processes.
 *
 * @module
 */
import { type Candidates, prepare } from "./candidates.ts";
import { SHAPES } from "./graphs.ts";
import { bytesHeld } from "./in_use.ts";
import { collectAndWarm } from "./warm.ts";

const COUNTS = [100, 1_000, 10_000, 100_000, 1_000_000];
/** A sample repeats a small graph, so that it is longer than the clock is coarse. */
const INNER = 10;
const SMALL = 10_000;
/** Below, what is held is lost in what the engine itself holds and lets go. */
const WEIGHED = 100_000;
/** Above, the promise graph takes ten seconds a run. */
const MOST_PROMISES = 100_000;

/** Bytes a task of a run that is not the first: that one also makes what is kept of the graph. */
async function weigh(run: () => Promise<unknown>, count: number): Promise<number> {
  // A result that is awaited here would be held while the next run is weighed.
  await run().then(() => {});
  return Math.round(await bytesHeld(run) / count);
}

for (const shape of SHAPES) {
  for (const count of COUNTS) {
    let ready: Candidates | null = null;
    const measured = count >= WEIGHED ? prepare(shape, count) : null;
    for (const name of ["floor", "skein", "listed", "promises"] as const) {
      if (name === "promises" && count > MOST_PROMISES) continue;
      const inner = count <= SMALL ? INNER : 1;
      const repeated = inner > 1 ? ` × ${inner}` : "";
      const held = measured === null
        ? ""
        : `, ${await weigh(measured[name], count)} bytes a task held`;
      Deno.bench({
        name: `${name}, ${count} tasks${repeated}${held}`,
        group: `${shape} ${count}`,
        baseline: name === "floor",
        n: count >= 1_000_000 ? 3 : count >= 100_000 ? 5 : 15,
        warmup: 1,
        async fn(b) {
          const candidates = ready ??= prepare(shape, count);
          await collectAndWarm(candidates[name], count);
          b.start();
          for (let round = 0; round < inner; round++) await candidates[name]();
          b.end();
        },
      });
    }
  }
}
