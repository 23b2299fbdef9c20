/**
 * What is timed in memory, each as a function that runs one graph once.
 *
 * @module
 */
import { type Executor, functionExecutor } from "../src/engine/mod.ts";
import { run } from "../src/engine/run.ts";
import { graphOf } from "../src/manifest/graph.ts";
import type { Manifest, Outcome } from "../src/model/mod.ts";
import { runFloor } from "./floor.ts";
import { manifestOf, needsOf, type Shape } from "./graphs.ts";
import { runPromises } from "./promise_graph.ts";

/** One graph, ready to be run by each candidate. */
export interface Candidates {
  /** The scheduler path: leases checked, results, a report. */
  readonly skein: () => Promise<unknown>;
  /** The same, and then the report's list of tasks is read, which makes an object of each. */
  readonly listed: () => Promise<unknown>;
  /** The scheduler path of a manifest that was not run before, so that its graph is compiled in the run. */
  readonly made: () => Promise<unknown>;
  /** The scheduler path with functions that return a text, which is each task's output. */
  readonly texts: () => Promise<unknown>;
  /** The floor. */
  readonly floor: () => Promise<unknown>;
  /** The unstructured baseline. */
  readonly promises: () => Promise<unknown>;
}

const SUCCEEDED: Outcome = { kind: "succeeded" };
const bare: Executor = { execute: () => Promise.resolve(SUCCEEDED) };
const texts = functionExecutor(() => "x");
const TRUE = true;

/** Prepares a graph: what is timed begins with the decoded manifest. */
export function prepare(shape: Shape, count: number): Candidates {
  const manifest = manifestOf(shape, count);
  const ids = manifest.tasks.map(({ id }) => id);
  const needs = manifest.tasks.map((_, index) => needsOf(shape, index, count));
  const runOnce = async (of: Manifest, executor: Executor) => {
    const report = await run(of, { inMemory: true, executor });
    if (report.counts.succeeded !== count) throw new Error("Not every task succeeded");
    return report;
  };
  const skein = () => runOnce(manifest, bare);
  return {
    skein,
    listed: async () => {
      const report = await skein();
      if (report.tasks.length !== count) throw new Error("Not every task is in the report");
      return report;
    },
    // What is known of a graph is known by the array of its tasks.
    made: () => runOnce({ ...manifest, tasks: Object.freeze([...manifest.tasks]) }, bare),
    texts: () => runOnce(manifest, texts),
    floor: async () => {
      const results = await runFloor(
        graphOf(manifest.tasks),
        ids,
        () => Promise.resolve(TRUE),
      );
      if (!results.every(({ ok }) => ok)) throw new Error("Not every task succeeded");
      return results;
    },
    promises: async () => {
      let ran = 0;
      await runPromises(needs, () => {
        ran++;
        return Promise.resolve(TRUE);
      });
      if (ran !== count) throw new Error(`${ran} of ${count} tasks ran`);
    },
  };
}
