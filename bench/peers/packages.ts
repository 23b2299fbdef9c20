/**
 * What is used of npm's packages, with its types. They are loaded by a name that only `bench/peers/deno.json` knows, so
 * that no other check or lock of this checkout has to.
 *
 * @module
 */

/** `@langchain/langgraph`. */
export interface LangGraph {
  readonly START: string;
  readonly Annotation: {
    <T>(how: { reducer: (before: T, added: T) => T; default: () => T }): unknown;
    Root(fields: Record<string, unknown>): unknown;
  };
  readonly StateGraph: new (state: unknown) => {
    addNode(name: string, run: () => Promise<{ done: number }>): unknown;
    addEdge(from: string | string[], to: string): unknown;
    compile(): CompiledGraph;
  };
}

/** A compiled graph, whose state is the number of tasks that are done. */
export interface CompiledGraph {
  invoke(
    state: { done: number },
    options: { maxConcurrency: number; recursionLimit: number },
  ): Promise<{ done: number }>;
}

/** `p-graph`. */
export interface PGraphPackage {
  readonly PGraph: new (
    nodes: Map<string, { run: () => Promise<unknown> }>,
    edges: [string, string][],
  ) => { run(options: { concurrency: number }): Promise<void> };
}

/** `p-queue`. */
export interface PQueuePackage {
  readonly default: new (options: { concurrency: number }) => {
    add(run: () => Promise<unknown>): Promise<unknown>;
    onIdle(): Promise<void>;
  };
}

/** `async`. */
export interface AsyncPackage {
  auto(
    tasks: Record<string, (string | (() => Promise<unknown>))[]>,
    concurrency: number,
  ): Promise<unknown>;
}

/** Loads a package. */
export async function load<T>(name: string): Promise<T> {
  return await import(name) as T;
}

/** A compiled LangGraph of tasks, each with the numbers of its needs. */
export async function compileLangGraph(
  needs: readonly (readonly number[])[],
  work: (index: number) => Promise<unknown>,
): Promise<CompiledGraph> {
  const { Annotation, START, StateGraph } = await load<LangGraph>("@langchain/langgraph");
  const done = Annotation<number>({
    reducer: (before, added) => before + added,
    default: () => 0,
  });
  const graph = new StateGraph(Annotation.Root({ done }));
  for (const index of needs.keys()) {
    graph.addNode(`t${index}`, async () => {
      await work(index);
      return { done: 1 };
    });
  }
  for (const [index, list] of needs.entries()) {
    const names = list.map((need) => `t${need}`);
    graph.addEdge(names.length > 1 ? names : names[0] ?? START, `t${index}`);
  }
  return graph.compile();
}
