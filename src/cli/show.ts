import { absolutePath } from "../disk/path.ts";
import { findRun, listStreams, readRunManifest, type RunSummary } from "../engine/history.ts";
import { SkeinError } from "../model/mod.ts";
import { renderReport } from "../view/report.ts";
import type { Command, Invocation } from "./command.ts";
import { EXIT } from "./exit.ts";
import { answer } from "./output.ts";

/** `skein show`. */
export const command: Command = {
  name: "show",
  summary: "Show a run: its report and its tasks",
  usage: "<run>",
  words: [1, 1],
  description: [
    "Shows the report of a run with every task. A run is named by its id, an unambiguous beginning of it, or `latest`.",
    "Of a run without a report it shows which tasks have written something.",
  ].join("\n"),
  flags: {},
  examples: [["skein show latest", "what became of the last run"]],
  exits: [0, 1, 2],
  run: show,
};

function show(invocation: Invocation): number {
  const [name = ""] = invocation.words;
  const run = findRun(absolutePath(invocation.stateDir), name);
  if (run.report !== null) {
    const { report } = run;
    answer(invocation, report, () => renderReport(report, ALL));
  } else if (run.problem === null) {
    const unfinished = describeUnfinished(run);
    answer(invocation, unfinished, () => textOf(unfinished));
  } else {
    throw new SkeinError("state-corrupt", `Cannot show run "${run.runId}": ${run.problem}`, {
      where: run.folder,
      next: "The run's folder is damaged; its other files may still be read by hand",
    });
  }
  return EXIT.ok;
}

const ALL = true;

interface Unfinished {
  readonly runId: string;
  readonly status: RunSummary["status"];
  readonly name: string;
  readonly folder: string;
  readonly total: number;
  readonly started: readonly string[];
}

function describeUnfinished(run: RunSummary): Unfinished {
  const manifest = readRunManifest(run);
  const started = new Set(listStreams(run, manifest).map(({ taskId }) => taskId));
  const { runId, status, folder } = run;
  return {
    runId,
    status,
    name: manifest.name,
    folder,
    total: manifest.tasks.length,
    started: [...started],
  };
}

function textOf({ runId, status, name, folder, total, started }: Unfinished): string {
  return [
    `${name === "" ? "Run" : name} ${status}`,
    `  run     ${runId}`,
    `  tasks   ${total}: ${started.length} have written something`,
    `  folder  ${folder}`,
    ...started.map((id) => `  ${id}`),
  ].join("\n");
}
