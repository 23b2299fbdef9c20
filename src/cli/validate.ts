import { formatDiagnostic } from "../manifest/error.ts";
import type { Diagnostic, Manifest } from "../model/mod.ts";
import { plural } from "../view/progress.ts";
import type { Command, Invocation } from "./command.ts";
import { EXIT } from "./exit.ts";
import { decodeManifest } from "./manifest_source.ts";
import { answer, say } from "./output.ts";

/** `skein validate`. */
export const command: Command = {
  name: "validate",
  summary: "Check a manifest and name every problem",
  usage: "<manifest>",
  words: [1, 1],
  description:
    "Decodes a manifest (`-` reads it from standard input) as `run` does, and starts nothing.",
  flags: {},
  examples: [["skein validate swarm.json", "a summary, or every problem with line and column"]],
  exits: [0, 1, 2],
  run: validate,
};

async function validate(invocation: Invocation): Promise<number> {
  const [file = ""] = invocation.words;
  const decoded = await decodeManifest(file);
  if (decoded.ok) {
    const summary = summarise(decoded.manifest);
    answer(invocation, { valid: true, ...summary }, () => {
      return `Valid: ${plural(summary.tasks, "task")}, ${plural(summary.blocks, "block")}, ${
        plural(summary.needs, "need")
      }`;
    });
    return EXIT.ok;
  }
  const { diagnostics } = decoded;
  for (const diagnostic of diagnostics) say(formatDiagnostic(file, diagnostic));
  answer(invocation, { valid: false, diagnostics }, () => countOf(diagnostics));
  return EXIT.error;
}

function summarise({ name, workers, tasks, blocks }: Manifest): {
  name: string;
  workers: number;
  tasks: number;
  blocks: number;
  needs: number;
} {
  const needs = tasks.reduce((sum, task) => sum + task.needs.length, 0);
  return { name, workers, tasks: tasks.length, blocks: Object.keys(blocks).length, needs };
}

function countOf(diagnostics: readonly Diagnostic[]): string {
  return `Not valid: ${plural(diagnostics.length, "problem")}`;
}
