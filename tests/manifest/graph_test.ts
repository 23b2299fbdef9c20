import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { compileGraph, type GraphNode, shortestCycle } from "../../src/manifest/mod.ts";

/** Random graphs of up to 8 tasks, cycles and own needs among them. */
const graphs = fc.array(fc.uniqueArray(fc.nat(7), { maxLength: 3 }), { maxLength: 8 }).map((rows) =>
  rows.map((needs, index): GraphNode => ({
    id: `t${index}`,
    needs: needs.filter((need) => need < rows.length).map((need) => `t${need}`),
  }))
);

Deno.test("compileGraph() knows the needs and the dependents of every task, in the manifest's order", () => {
  fc.assert(fc.property(graphs, (tasks) => {
    const graph = compileGraph(tasks);
    assertEquals(graph.size, tasks.length);
    assertEquals(graph.dependentsStart.length, tasks.length + 1);
    tasks.forEach(({ id, needs }, index) => {
      assertEquals(graph.indexOf.get(id), index);
      assertEquals(graph.indegree[index], needs.length);
      const mine = tasks.flatMap((task, at) => task.needs.includes(id) ? [at] : []);
      const range = graph.dependentsStart.slice(index, index + 2);
      assertEquals([...graph.dependents.slice(range[0], range[1])], mine);
    });
  }));
});

Deno.test("compileGraph() leaves out needs that are no task's id", () => {
  const graph = compileGraph([{ id: "a", needs: ["nobody", "__proto__"] }]);
  assertEquals([...graph.indegree], [0]);
  assertEquals(graph.dependents.length, 0);
});

Deno.test("shortestCycle() finds a cycle exactly where there is one, as short as any", () => {
  fc.assert(
    fc.property(graphs, (tasks) => {
      const cycle = shortestCycle(tasks);
      assertEquals(cycle?.length ?? Infinity, shortestByForce(tasks));
      if (cycle !== null) assert(isCycle(tasks, cycle));
    }),
    { numRuns: 1_000 },
  );
});

Deno.test("shortestCycle() begins with the task that comes first and follows the needs", () => {
  const tasks = [["x", "a"], ["a", "b"], ["b", "c"], ["c", "a"]]
    .map(([id = "", need = ""]) => ({ id, needs: [need] }));
  assertEquals(shortestCycle(tasks), ["a", "b", "c"]);
  assertEquals(shortestCycle([{ id: "a", needs: ["a"] }]), ["a"]);
  assertEquals(shortestCycle([]), null);
});

Deno.test("shortestCycle() goes through a ring and a chain of 100,000 tasks without overflow", () => {
  const size = 100_000;
  const tasks = Array.from({ length: size }, (_, at) => ({ id: `${at}`, needs: [`${at + 1}`] }));
  assertEquals(shortestCycle(tasks), null);
  tasks[size - 1] = { id: `${size - 1}`, needs: ["0"] };
  assertEquals(shortestCycle(tasks)?.length, size);
});

/** Bellman's way: the fewest steps from a task back to itself, by growing walks. */
function shortestByForce(tasks: readonly GraphNode[]): number {
  const needs = new Map(tasks.map((task) => [task.id, task.needs]));
  let least = Infinity;
  for (const { id } of tasks) {
    let reached = new Set([id]);
    for (let steps = 1; steps <= tasks.length; steps++) {
      reached = new Set([...reached].flatMap((at) => needs.get(at) ?? []));
      if (reached.has(id)) least = Math.min(least, steps);
    }
  }
  return least;
}

function isCycle(tasks: readonly GraphNode[], cycle: readonly string[]): boolean {
  const needs = new Map(tasks.map((task) => [task.id, task.needs]));
  return cycle.every((id, at) => needs.get(id)?.includes(cycle[(at + 1) % cycle.length] ?? ""));
}
