import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import {
  compileGraph,
  frozenTasks,
  type GraphNode,
  graphOf,
  parseManifest,
  shortestCycle,
  validateManifest,
} from "../../src/manifest/mod.ts";

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

Deno.test("graphOf() makes the graph of frozen tasks once, and of others each time", () => {
  const node = (id: string, needs: string[]) => ({ id, needs });
  const open = [node("a", []), node("b", ["a"])];
  const before = graphOf(open);
  open[1]?.needs.pop();
  assertEquals([before.indegree[1], graphOf(open).indegree[1]], [1, 0]);
  // Frozen on the outside only: somebody may still change what it needs.
  const half = Object.freeze([node("a", []), node("b", ["a"])]);
  assert(graphOf(half) !== graphOf(half));
  const frozen = Object.freeze(
    half.map(({ id, needs }) => Object.freeze({ id, needs: Object.freeze([...needs]) })),
  );
  assert(graphOf(frozen) === graphOf(frozen));
});

Deno.test("validateManifest() freezes its tasks: what was checked is what runs", () => {
  const decoded = validateManifest({
    version: 1,
    blocks: { b: { argv: ["true"] } },
    tasks: [{ id: "a", block: "b" }, { id: "c", block: "b", needs: ["a"], args: ["x"] }],
  });
  assert(decoded.ok);
  const { tasks } = decoded.manifest;
  assert(graphOf(tasks) === graphOf(tasks));
  assertThrows(() => (tasks[1]?.needs as string[]).push("c"), TypeError);
});

Deno.test("frozenTasks() takes frozen tasks as they are, and of others a copy that nobody can change", () => {
  const open = [{ id: "a", needs: [] as string[] }, { id: "b", needs: ["a"] }];
  const copy = frozenTasks(open);
  open[1]?.needs.pop();
  open.pop();
  assertEquals(copy, [{ id: "a", needs: [] }, { id: "b", needs: ["a"] }]);
  assert(copy.every((task) => Object.isFrozen(task) && Object.isFrozen(task.needs)));
  assert(frozenTasks(copy) === copy);
  assert(graphOf(copy) === graphOf(copy));
});

Deno.test("The graph that a decoder keeps is the one that its tasks compile to", async () => {
  const wish = fc.record({ from: fc.nat(), to: fc.nat() });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 12 }), fc.array(wish), async (count, wishes) => {
      const needs = Array.from({ length: count }, () => new Set<string>());
      for (const { from, to } of wishes) {
        const [first, last] = [from % count, to % count].toSorted((a, b) => a - b);
        // The later task of the document comes first, so that numbers do not already tell the order.
        if (first !== last) needs[first ?? 0]?.add(`t${last}`);
      }
      const document = {
        version: 1,
        blocks: { b: { argv: ["true"] } },
        tasks: needs.map((each, index) => ({ id: `t${index}`, block: "b", needs: [...each] })),
      };
      const text = JSON.stringify(document);
      for (const decoded of [validateManifest(document), await parseManifest(text)]) {
        assert(decoded.ok);
        const { tasks } = decoded.manifest;
        assert(frozenTasks(tasks) === tasks);
        assertEquals(graphOf(tasks), compileGraph(tasks));
      }
    }),
  );
});

Deno.test("Of a draft, whose names are wrong, no graph is kept", () => {
  const decoded = validateManifest({
    version: 1,
    blocks: { b: { argv: ["true"] } },
    tasks: [{ id: "a", block: "b", needs: ["a"] }, { id: "a", block: "b", needs: ["x", "a", "a"] }],
  });
  assert(!decoded.ok && decoded.draft !== null);
  const { tasks } = decoded.draft;
  assertEquals(graphOf(tasks), compileGraph(tasks));
});
