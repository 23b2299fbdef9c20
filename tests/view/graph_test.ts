import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Manifest, Task } from "../../src/model/mod.ts";
import { renderGraph } from "../../src/view/graph.ts";

function manifestOf(
  needs: Readonly<Record<string, readonly string[]>>,
): Pick<Manifest, "name" | "tasks"> {
  const tasks = Object.entries(needs).map(([id, each]): Task => ({
    id,
    block: "b",
    args: [],
    needs: each,
    env: [],
  }));
  return { name: "g", tasks };
}

Deno.test("renderGraph() writes Mermaid with one node a task and one edge a need", () => {
  assertEquals(
    renderGraph(manifestOf({ a: [], c: ["a"] }), "mermaid"),
    'flowchart LR\n  t0["a<br/>b"]\n  t1["c<br/>b"]\n  t0 --> t1\n',
  );
});

Deno.test("renderGraph() writes DOT with one node a task and one edge a need", () => {
  assertEquals(
    renderGraph(manifestOf({ a: [], c: ["a"] }), "dot"),
    'digraph "g" {\n  rankdir=LR;\n  node [shape=box];\n' +
      '  t0 [label="a\\nb", tooltip="a"];\n  t1 [label="c\\nb", tooltip="c"];\n  t0 -> t1;\n}\n',
  );
});

Deno.test("renderGraph() writes JSON with nodes, edges and no cycle", () => {
  assertEquals(JSON.parse(renderGraph(manifestOf({ a: [], c: ["a"] }), "json")), {
    nodes: [{ id: "a", block: "b", inCycle: false }, { id: "c", block: "b", inCycle: false }],
    edges: [{ from: "a", to: "c", inCycle: false }],
    cycle: null,
  });
});

Deno.test("renderGraph() marks the nodes and edges of a cycle, and no others", () => {
  const manifest = manifestOf({ x: [], a: ["x", "c"], c: ["a"], y: ["c"] });
  const drawing = JSON.parse(renderGraph(manifest, "json"));
  assertEquals(drawing.cycle, ["a", "c"]);
  const marked = drawing.nodes.filter(({ inCycle }: { inCycle: boolean }) => inCycle);
  assertEquals(marked.map(({ id }: { id: string }) => id), ["a", "c"]);
  assertEquals(
    drawing.edges.map(({ from, to, inCycle }: Record<string, unknown>) => [from, to, inCycle]),
    [["x", "a", false], ["c", "a", true], ["a", "c", true], ["c", "y", false]],
  );
  const mermaid = renderGraph(manifest, "mermaid");
  assertStringIncludes(mermaid, '  t1["a<br/>b"]:::cycle\n');
  assertStringIncludes(mermaid, "  linkStyle 1,2 stroke:#c00");
  const dot = renderGraph(manifest, "dot");
  assertStringIncludes(dot, 't1 [label="a\\nb", tooltip="a", color="#cc0000", penwidth=2];');
  assertStringIncludes(dot, 't2 -> t1 [color="#cc0000", penwidth=2];');
});

Deno.test("renderGraph() draws a draft with a task that needs itself, unknown and repeated needs", () => {
  const drawing = JSON.parse(
    renderGraph(manifestOf({ a: ["a", "nobody"], c: ["a", "a"] }), "json"),
  );
  assertEquals(drawing.cycle, ["a"]);
  assertEquals(drawing.edges, [
    { from: "a", to: "a", inCycle: true },
    { from: "a", to: "c", inCycle: false },
  ]);
});

Deno.test("renderGraph() escapes ids so that they stay text in every format", () => {
  const id = 'a"]; b --> c\\N\n<script>`%%{x}%%` & #35; \u202e';
  const manifest = manifestOf({ [id]: [] });
  const mermaid = renderGraph(manifest, "mermaid");
  assertEquals(mermaid.split("\n").length, 3);
  const label = /\["(.*)<br\/>b"\]$/m.exec(mermaid)?.[1] ?? "";
  assert(/^(?:[^"<>\[\]`%&#{}]|#\d+;)+$/.test(label), label);
  const dot = renderGraph(manifest, "dot");
  assertEquals(dot.split("\n").length, 6);
  assertStringIncludes(
    dot,
    'label="a\\"]; b --> c\\\\N\\\\u000a<script>`%%{x}%%` &amp; #35; \\\\u202e\\nb"',
  );
  assertEquals(JSON.parse(renderGraph(manifest, "json")).nodes[0].id, id);
});

Deno.test("renderGraph() keeps tasks named like members of a prototype apart", () => {
  const manifest = manifestOf({ ["__proto__"]: ["constructor"], constructor: [] });
  const { edges } = JSON.parse(renderGraph(manifest, "json"));
  assertEquals(edges, [{ from: "constructor", to: "__proto__", inCycle: false }]);
});
