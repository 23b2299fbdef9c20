import { at, compileGraph, type GraphNode, type Links } from "./graph.ts";

/** Edges that the search looks at before it settles for the shortest cycle so far: well below a second. */
const MOST_STEPS = 25_000_000;

/**
 * A shortest cycle of the tasks, or `null`: each of the ids needs the next one, and the last one the first. It
 * begins with the task that comes first in the manifest. A task that needs itself is a cycle of one.
 */
export function shortestCycle(tasks: readonly GraphNode[]): string[] | null {
  const cycle = cycleOf(compileGraph(tasks));
  return cycle && cycle.map((index) => tasks[index]?.id ?? "");
}

/**
 * The numbers of {@linkcode shortestCycle}.
 *
 * Tarjan's strongly connected components tell which tasks can be on a cycle at all. From each of these in turn a
 * breadth-first search, no deeper than the shortest cycle so far, looks for the way back; then the task is taken
 * out, with every task that this leaves without needs. Nothing recurses. Only in a graph made to resist (tens of
 * thousands of tasks woven into long cycles) the search ends early: then the cycle may not be a shortest one.
 */
export function cycleOf(graph: Links): number[] | null {
  return new CycleSearch(graph).shortest();
}

class CycleSearch {
  readonly #graph: Links;
  readonly #component: Int32Array;
  /** Needs of each task that could be on a cycle with it; 0: it is on none. */
  readonly #inside: Int32Array;
  readonly #queue: Int32Array;
  readonly #parent: Int32Array;
  /** The search that saw a task last. */
  readonly #seen: Int32Array;
  #steps = 0;

  constructor(graph: Links) {
    this.#graph = graph;
    this.#component = componentsOf(graph);
    this.#inside = insideDegrees(graph, this.#component);
    this.#queue = new Int32Array(graph.size);
    this.#parent = new Int32Array(graph.size);
    this.#seen = new Int32Array(graph.size).fill(-1);
  }

  shortest(): number[] | null {
    let best: number[] | null = null;
    for (let start = 0; start < this.#graph.size; start++) {
      if (at(this.#inside, start) === 0) continue;
      const most: number = best === null ? Infinity : best.length;
      best = this.#through(start, most) ?? best;
      if (best !== null && (best.length === 1 || this.#steps > MOST_STEPS)) break;
      this.#takeOut(start);
    }
    return best;
  }

  /** The shortest cycle through a task, if it is shorter than `most`. */
  #through(start: number, most: number): number[] | null {
    const { dependentsStart, dependents } = this.#graph;
    let tail = 0;
    let level = 0;
    this.#queue[tail++] = start;
    this.#seen[start] = start;
    for (let head = 0, levelEnd = 1; head < tail; head++) {
      if (head === levelEnd) {
        level++;
        levelEnd = tail;
      }
      if (level + 1 >= most) return null;
      const task = at(this.#queue, head);
      const end = at(dependentsStart, task + 1);
      for (let edge = at(dependentsStart, task); edge < end; edge++) {
        this.#steps++;
        const next = at(dependents, edge);
        if (next === start) return this.#back(start, task);
        if (this.#seen[next] === start || !this.#connected(start, next)) continue;
        this.#seen[next] = start;
        this.#parent[next] = task;
        this.#queue[tail++] = next;
      }
    }
    return null;
  }

  #connected(start: number, next: number): boolean {
    return at(this.#inside, next) > 0 && this.#component[next] === this.#component[start];
  }

  /** The way from a task back to the start, from dependent to need: the cycle as the needs tell it. */
  #back(start: number, last: number): number[] {
    const cycle = [start];
    for (let task = last; task !== start; task = at(this.#parent, task)) cycle.push(task);
    return cycle;
  }

  /** Takes a task out, and each dependent that has no needs left. */
  #takeOut(task: number): void {
    const { dependentsStart, dependents } = this.#graph;
    const out = [task];
    this.#inside[task] = 0;
    for (let index = out.pop(); index !== undefined; index = out.pop()) {
      const end = at(dependentsStart, index + 1);
      for (let edge = at(dependentsStart, index); edge < end; edge++) {
        const next = at(dependents, edge);
        if (!this.#connected(index, next)) continue;
        const left = at(this.#inside, next) - 1;
        this.#inside[next] = left;
        if (left === 0) out.push(next);
      }
    }
  }
}

function insideDegrees(graph: Links, component: Int32Array): Int32Array {
  const inside = new Int32Array(graph.size);
  for (let task = 0; task < graph.size; task++) {
    const end = at(graph.dependentsStart, task + 1);
    for (let edge = at(graph.dependentsStart, task); edge < end; edge++) {
      const next = at(graph.dependents, edge);
      if (component[next] === component[task]) inside[next] = at(inside, next) + 1;
    }
  }
  return inside;
}

/** The strongly connected component of each task (Tarjan 1972, with its own stack instead of recursion). */
function componentsOf({ size, dependentsStart, dependents }: Links): Int32Array {
  const component = new Int32Array(size).fill(-1);
  const order = new Int32Array(size);
  const low = new Int32Array(size);
  const nextEdge = dependentsStart.slice(0, size);
  const path: number[] = [];
  const open: number[] = [];
  let visited = 0;
  let components = 0;
  const enter = (task: number) => {
    order[task] = low[task] = ++visited;
    path.push(task);
    open.push(task);
  };
  const leave = (task: number) => {
    path.pop();
    const parent = path.at(-1);
    if (parent !== undefined) low[parent] = Math.min(at(low, parent), at(low, task));
    if (low[task] !== order[task]) return;
    for (let member = open.pop(); member !== undefined; member = open.pop()) {
      component[member] = components;
      if (member === task) break;
    }
    components++;
  };
  for (let root = 0; root < size; root++) {
    if (at(order, root) === 0) enter(root);
    for (let task = path.at(-1); task !== undefined; task = path.at(-1)) {
      const edge = at(nextEdge, task);
      if (edge === at(dependentsStart, task + 1)) {
        leave(task);
        continue;
      }
      nextEdge[task] = edge + 1;
      const next = at(dependents, edge);
      if (at(order, next) === 0) enter(next);
      else if (at(component, next) < 0) low[task] = Math.min(at(low, task), at(order, next));
    }
  }
  return component;
}
