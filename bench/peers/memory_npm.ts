/**
 * A package from npm as a process that is asked for samples.
 *
 * @module
 */
import { type Run, serveGraphs } from "./memory_graphs.ts";
import {
  type AsyncPackage,
  compileLangGraph,
  load,
  type PGraphPackage,
  type PQueuePackage,
} from "./packages.ts";

type Needs = readonly (readonly number[])[];
type Prepare = (needs: Needs, workers: number, work: () => Promise<unknown>) => Promise<Run>;

const PREPARE: Record<string, Prepare> = {
  "LangGraph.js": async (needs, workers, work) => {
    const graph = await compileLangGraph(needs, work);
    const options = { maxConcurrency: workers, recursionLimit: needs.length + 1 };
    return () => graph.invoke({ done: 0 }, options);
  },
  "p-graph": async (needs, workers, work) => {
    const { PGraph } = await load<PGraphPackage>("p-graph");
    const nodes = new Map(needs.map((_, index) => [`t${index}`, { run: work }]));
    const edges = needs.flatMap((list, index) =>
      list.map((need): [string, string] => [`t${need}`, `t${index}`])
    );
    const graph = new PGraph(nodes, edges);
    return () => graph.run({ concurrency: workers });
  },
  "p-queue": async (needs, workers, work) => {
    const { default: PQueue } = await load<PQueuePackage>("p-queue");
    const counts = needs.map(({ length }) => length);
    const dependents = needs.map((): number[] => []);
    for (const [index, list] of needs.entries()) {
      for (const need of list) dependents[need]?.push(index);
    }
    return async () => {
      const missing = counts.slice();
      const queue = new PQueue({ concurrency: workers });
      const add = (index: number) =>
        void queue.add(async () => {
          await work();
          for (const dependent of dependents[index] ?? []) {
            const left = (missing[dependent] ?? 0) - 1;
            missing[dependent] = left;
            if (left === 0) add(dependent);
          }
        });
      for (const [index, count] of counts.entries()) {
        if (count === 0) add(index);
      }
      await queue.onIdle();
    };
  },
  "async.auto": async (needs, workers, work) => {
    const { auto } = await load<AsyncPackage>("async");
    const tasks = Object.fromEntries(
      // The package tells a function that returns a promise by its being an `async` one.
      needs.map((list, index) => [
        `t${index}`,
        [...list.map((need) => `t${need}`), async () => await work()],
      ]),
    );
    return () => auto(tasks, workers);
  },
};

const [name = ""] = Deno.args;
const DONE = true;

await serveGraphs(async (graph) => {
  const needs = graph.needs as Needs;
  let ran = 0;
  const work = () => {
    ran++;
    return Promise.resolve(DONE);
  };
  const run = await PREPARE[name]?.(needs, Number(graph.workers), work);
  return async () => {
    ran = 0;
    await run?.();
    if (ran !== needs.length) {
      throw new Error(`${ran} of ${needs.length} tasks ran`);
    }
  };
});
