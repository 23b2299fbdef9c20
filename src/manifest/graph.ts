/** As much of a task as its place in the graph asks for. */
export interface GraphNode {
  /** The task's name. */
  readonly id: string;
  /** Tasks that come before it. */
  readonly needs: readonly string[];
}

/** What a graph is made of, in typed arrays: tasks are numbered in the manifest's order. */
export interface Links {
  /** How many tasks there are. */
  readonly size: number;
  /** How many needs each task has. */
  readonly indegree: Int32Array;
  /** Where the dependents of a task begin in `dependents`; `size + 1` entries, so that the next one ends them. */
  readonly dependentsStart: Int32Array;
  /** The tasks that need a task, in the manifest's order. */
  readonly dependents: Int32Array;
  /** The number of each task; of a repeated id the first. */
  readonly indexOf: ReadonlyMap<string, number>;
}

/** The graph of a list of tasks. */
export interface Graph<Node extends GraphNode = GraphNode> extends Links {
  /** The tasks, in a list of its own: V8 reads a frozen one several times as slowly. */
  readonly nodes: readonly Node[];
}

const compiled = new WeakMap<readonly GraphNode[], Graph>();
const frozen = new WeakSet<readonly GraphNode[]>();

/** The graph of tasks, as {@linkcode compileGraph} makes it; of tasks that are frozen it is made once. */
export function graphOf<Node extends GraphNode>(tasks: readonly Node[]): Graph<Node> {
  const known = compiled.get(tasks);
  if (known !== undefined) return known as Graph<Node>;
  const graph = compileGraph(tasks);
  if (isFrozen(tasks)) compiled.set(tasks, graph);
  return graph;
}

/** Keeps a graph that was made of tasks already, so that it is not made again. Tasks and needs are frozen. */
export function keepGraph(tasks: readonly GraphNode[], links: Links): void {
  frozen.add(tasks);
  compiled.set(tasks, graphWith(tasks, links));
}

/** The tasks themselves where nobody can change them, else a copy that nobody can. */
export function frozenTasks<T extends GraphNode>(tasks: readonly T[]): readonly T[] {
  if (isFrozen(tasks)) return tasks;
  return Object.freeze(
    structuredClone(tasks).map((task) => {
      Object.freeze(task.needs);
      return Object.freeze(task);
    }),
  );
}

/** Whether nobody can change what the graph was made of: that stays so, and is looked at once. */
function isFrozen(tasks: readonly GraphNode[]): boolean {
  if (frozen.has(tasks)) return true;
  const isSo = Object.isFrozen(tasks) &&
    tasks.every((task) => Object.isFrozen(task) && Object.isFrozen(task.needs));
  if (isSo) frozen.add(tasks);
  return isSo;
}

/**
 * Compiles tasks to a graph, in time and space linear in tasks and needs. Needs that are no task's id are left
 * out, so that a manifest that is refused for them can still be drawn.
 */
export function compileGraph<Node extends GraphNode>(tasks: readonly Node[]): Graph<Node> {
  const indexOf = new Map<string, number>();
  tasks.forEach(({ id }, index) => {
    if (!indexOf.has(id)) indexOf.set(id, index);
  });
  const indegree = new Int32Array(tasks.length);
  const edges: number[] = [];
  tasks.forEach(({ needs }, index) => {
    for (const name of needs) {
      const need = indexOf.get(name);
      if (need === undefined) continue;
      edges.push(need);
      add(indegree, index, 1);
    }
  });
  return graphWith(tasks, linkGraph(indexOf, indegree, edges));
}

function graphWith<Node extends GraphNode>(tasks: readonly Node[], links: Links): Graph<Node> {
  return { ...links, nodes: [...tasks] };
}

/** Links what is known by number: how many needs each task has, and all needs one after another. */
export function linkGraph(
  indexOf: ReadonlyMap<string, number>,
  indegree: Int32Array,
  needs: readonly number[],
): Links {
  const size = indegree.length;
  const dependentsStart = new Int32Array(size + 1);
  for (const need of needs) add(dependentsStart, need + 1, 1);
  for (let i = 0; i < size; i++) add(dependentsStart, i + 1, at(dependentsStart, i));
  const dependents = new Int32Array(needs.length);
  const next = dependentsStart.slice();
  let edge = 0;
  for (let index = 0; index < size; index++) {
    for (const end = edge + at(indegree, index); edge < end; edge++) {
      const need = needs[edge] ?? 0;
      dependents[at(next, need)] = index;
      add(next, need, 1);
    }
  }
  return { size, indegree, dependentsStart, dependents, indexOf };
}

/** An entry of an array, where the index is known to be inside. */
export function at(array: Int32Array, index: number): number {
  return array[index] ?? 0;
}

function add(array: Int32Array, index: number, amount: number): void {
  array[index] = at(array, index) + amount;
}
