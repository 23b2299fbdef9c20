import { shortestCycle } from "../manifest/cycle.ts";
import type { Manifest } from "../model/mod.ts";

/** How a graph is written. */
export type GraphFormat = "mermaid" | "dot" | "json";

/** The formats of {@linkcode renderGraph}. */
export const GRAPH_FORMATS: readonly GraphFormat[] = ["mermaid", "dot", "json"];

interface Node {
  readonly id: string;
  readonly block: string;
  readonly inCycle: boolean;
}

/** From a need to the task that needs it; `source` and `target` number the nodes. */
interface Edge {
  readonly source: number;
  readonly target: number;
  readonly inCycle: boolean;
}

interface Drawing {
  readonly name: string;
  readonly nodes: readonly Node[];
  readonly edges: readonly Edge[];
  readonly cycle: readonly string[] | null;
}

/**
 * The graph of a manifest as text. Edges lead from a task to those that need it. Of a graph with cycles, one
 * shortest cycle is marked; needs that are no task's id are left out, so that a draft can be drawn. In JSON,
 * each id of `cycle` needs the next one, and the last one the first.
 */
export function renderGraph(
  manifest: Pick<Manifest, "name" | "tasks">,
  format: GraphFormat,
): string {
  const drawing = draw(manifest);
  switch (format) {
    case "mermaid":
      return mermaid(drawing);
    case "dot":
      return dot(drawing);
    case "json":
      return json(drawing);
  }
}

function draw({ name, tasks }: Pick<Manifest, "name" | "tasks">): Drawing {
  const cycle = shortestCycle(tasks);
  const follower = new Map(
    cycle?.map((id, index) => [id, cycle[(index + 1) % cycle.length]]) ?? [],
  );
  const indexOf = new Map<string, number>();
  tasks.forEach(({ id }, index) => {
    if (!indexOf.has(id)) indexOf.set(id, index);
  });
  const edges = tasks.flatMap(({ id, needs }, target) =>
    [...new Set(needs)].flatMap((need): Edge[] => {
      const source = indexOf.get(need);
      if (source === undefined) return [];
      return [{ source, target, inCycle: follower.has(id) && follower.get(id) === need }];
    })
  );
  const nodes = tasks.map(({ id, block }) => ({ id, block, inCycle: follower.has(id) }));
  return { name, nodes, edges, cycle };
}

function mermaid({ nodes, edges, cycle }: Drawing): string {
  const lines = ["flowchart LR"];
  nodes.forEach(({ id, block, inCycle }, index) => {
    const mark = inCycle ? ":::cycle" : "";
    lines.push(`  t${index}["${mermaidText(id)}<br/>${mermaidText(block)}"]${mark}`);
  });
  for (const { source, target } of edges) lines.push(`  t${source} --> t${target}`);
  if (cycle !== null) {
    lines.push("  classDef cycle fill:#fdd,stroke:#c00,stroke-width:2px,color:#000");
    const marked = edges.flatMap(({ inCycle }, index) => inCycle ? [index] : []);
    lines.push(`  linkStyle ${marked.join(",")} stroke:#c00,stroke-width:2px`);
  }
  return lines.join("\n") + "\n";
}

/** Everything but letters, digits and a few harmless signs as a character code, which Mermaid writes `#35;`. */
function mermaidText(text: string): string {
  return visible(text).replace(
    /[^\p{L}\p{M}\p{N} _.,:/\\=+-]/gu,
    (sign) => `#${sign.codePointAt(0)};`,
  );
}

function dot({ name, nodes, edges }: Drawing): string {
  const red = 'color="#cc0000", penwidth=2';
  const lines = [`digraph ${dotText(name)} {`, "  rankdir=LR;", "  node [shape=box];"];
  nodes.forEach(({ id, block, inCycle }, index) => {
    const mark = inCycle ? `, ${red}` : "";
    lines.push(`  t${index} [label=${dotText(id, block)}, tooltip=${dotText(id)}${mark}];`);
  });
  for (const { source, target, inCycle } of edges) {
    lines.push(`  t${source} -> t${target}${inCycle ? ` [${red}]` : ""};`);
  }
  return [...lines, "}"].join("\n") + "\n";
}

/** Lines as a quoted text of DOT; a backslash is doubled, since Graphviz replaces `\\N` and its like. */
function dotText(...lines: string[]): string {
  const escaped = lines.map((line) =>
    visible(line).replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("&", "&amp;")
  );
  return `"${escaped.join("\\n")}"`;
}

/** Control characters, line breaks and half surrogate pairs as escapes, so that they cannot act on a reader. */
function visible(text: string): string {
  return text.replace(
    /[\p{Cc}\p{Cs}\u2028\u2029\u202a-\u202e\u2066-\u2069]/gu,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

function json({ nodes, edges, cycle }: Drawing): string {
  const named = edges.map(({ source, target, inCycle }) => ({
    from: nodes[source]?.id,
    to: nodes[target]?.id,
    inCycle,
  }));
  return JSON.stringify({ nodes, edges: named, cycle }, null, 2) + "\n";
}
