import { at, compileGraph, type Graph, type GraphNode } from "./graph.ts";

/** Edges that the search may look at before it settles for the shortest cycle so far: below a second. */
const MOST_STEPS = 100_000_000;

/**
 * A shortest cycle of the tasks, or `null`: each of the ids needs the next one, and the last one the first. It
 * begins with the task that comes first in the manifest. A task that needs itself is a cycle of one.
 *
 * Tarjan's strongly connected components tell which tasks can be on a cycle at all. From each of these in turn a
 * breadth-first search, no deeper than the shortest cycle so far, looks for the way back; then the task is taken
 * out, with every task that this leaves off all cycles. Nothing recurses. Only in a graph made to resist (many
 * thousand tasks on many long cycles) the search ends early: then the cycle is one, but maybe not a shortest.
 */
export function shortestCycle(tasks: readonly GraphNode[]): string[] | null {
  const graph = compileGraph(tasks);
  const cycle = new CycleSearch(graph).shortest();
  if (cycle === null) return null;
  // The graph's edges lead from a need to its dependents; the ids are wanted the other way round.
  cycle.reverse();
  const first = cycle.indexOf(Math.min(...cycle.slice(0, 1), ...lowest(cycle)));
  return [...cycle.slice(first), ...cycle.slice(0, first)].map((index) => tasks[index]?.id ?? "");
}

function lowest(cycle: readonly number[]): [number] {
  return [cycle.reduce((least, index) => index < least ? index : least, Infinity)];
}
