/**
 * The scheduler path, beside the floor and the unstructured baseline: `deno task bench`. These figures are bookkeeping
 * in memory, not the cost of a run that starts processes.
 *
 * @module
 */
import { type Candidates, prepare } from "./candidates.ts";
import { SHAPES } from "./graphs.ts";
import { bytesHeld, collectGarbage } from "./in_use.ts";

const COUNTS = [100, 1_000, 10_000, 100_000, 1_000_000];
/** A sample repeats a small graph, so that it is longer than the clock is coarse. */
const INNER = 10;
const SMALL = 10_000;

for (const shape of SHAPES) {
  for (const count of COUNTS) {
    let ready: Candidates | null = null;
    const measured = prepare(shape, count);
    for (const name of ["floor", "skein", "listed", "promises"] as const) {
      const inner = count <= SMALL ? INNER : 1;
      const bytes = Math.round(await bytesHeld(measured[name]) / count);
      Deno.bench({
        name: `${name}, ${count} tasks${
          inner > 1 ? ` × ${inner}` : ""
        }, ${bytes} bytes a task held`,
        group: `${shape} ${count}`,
        baseline: name === "floor",
        n: count >= 100_000 ? 5 : 20,
        warmup: count >= 100_000 ? 1 : 5,
        async fn(b) {
          const candidates = ready ??= prepare(shape, count);
          collectGarbage();
          // With the last object of a kind goes what was compiled for it: no collection in the middle of a run does that.
          for (let round = 0; round < inner; round++) await candidates[name]();
          b.start();
          for (let round = 0; round < inner; round++) await candidates[name]();
          b.end();
        },
      });
    }
  }
}
