import { formatDiagnostic, ManifestError } from "../manifest/error.ts";
import { renderGraph } from "../view/graph.ts";
import type { Command, Invocation } from "./command.ts";
import { EXIT } from "./exit.ts";
import { decodeManifest } from "./manifest_source.ts";
import { print, say } from "./output.ts";
import { UsageError } from "./usage_error.ts";

const FORMATS = ["mermaid", "dot", "json"] as const;
type Format = typeof FORMATS[number];

/** `skein graph`. */
export const command: Command = {
  name: "graph",
  summary: "Draw the graph of a manifest",
  usage: "<manifest>",
  words: [1, 1],
  description: [
    "Prints the tasks and their needs as Mermaid, Graphviz or JSON. Works on a manifest whose tasks need each other in",
    "a circle, or need tasks that are not there: a circle is marked, and the problems go to standard error.",
  ].join("\n"),
  flags: {
    format: { type: "text", choices: FORMATS, summary: "How it is drawn (mermaid)" },
  },
  examples: [
    ["skein graph swarm.json", "Mermaid, for a README"],
    ["skein graph --format dot swarm.json | dot -Tsvg > swarm.svg", "a picture"],
  ],
  exits: [0, 1, 2],
  run: graph,
};

async function graph(invocation: Invocation): Promise<number> {
  const [file = ""] = invocation.words;
  const format = formatOf(invocation);
  const decoded = await decodeManifest(file);
  const manifest = decoded.ok ? decoded.manifest : decoded.draft;
  if (manifest === null) throw new ManifestError(file, decoded.ok ? [] : decoded.diagnostics);
  print(renderGraph(manifest, format));
  if (decoded.ok) return EXIT.ok;
  for (const diagnostic of decoded.diagnostics) say(formatDiagnostic(file, diagnostic));
  return EXIT.ok;
}

function formatOf(invocation: Invocation): Format {
  const name = invocation.text("format");
  const format = FORMATS.find((each) => each === name);
  if (format === undefined) return invocation.has("json") ? "json" : "mermaid";
  const refused = format === "json" ? "text" : "json";
  if (!invocation.has(refused)) return format;
  throw new UsageError(
    `Flags "--format ${format}" and "--${refused}" exclude each other`,
    "See `skein help graph`",
  );
}
