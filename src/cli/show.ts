import { systemClock } from "../clock/mod.ts";
import { listStreams, readRunManifest, type RunSummary } from "../engine/history.ts";
import { SkeinError } from "../model/mod.ts";
import {
  countTasks,
  isoOf,
  renderEvents,
  renderQueued,
  reportOfQueued,
  reportsOfTasks,
} from "../view/queued_run.ts";
import { renderReport } from "../view/report.ts";
import type { Command, Invocation } from "./command.ts";
import { EXIT } from "./exit.ts";
import { answer } from "./output.ts";
import { withQueue } from "./queue.ts";
import { type FoundRun, lookUpRun } from "./run_lookup.ts";

/** `skein show`. */
export const command: Command = {
  name: "show",
  summary: "Show a run: its report and its tasks",
  usage: "<run>",
  words: [1, 1],
  description: [
    "Shows the report of a run with every task. A run is named by its id, an unambiguous beginning of it, or `latest`.",
    "Of a local run without a report it shows which tasks have written something. Of a run of the queue it shows how it",
    "stands, whether or not it has ended, and its audit.",
  ].join("\n"),
  flags: {
    events: { type: "boolean", summary: "The audit of a run of the queue: one event a transition" },
  },
  examples: [
    ["skein show latest", "what became of the last run"],
    ["skein show latest --events", "everything that happened to it in the queue, in order"],
  ],
  exits: [0, 1, 2],
  run: show,
};

function show(invocation: Invocation): Promise<number> {
  const [name = ""] = invocation.words;
  return withQueue(invocation.stateDir, async (store, stateDir) => {
    const found = await lookUpRun(store, stateDir, name);
    if (found.kind === "local") showLocal(invocation, found.run);
    else if (invocation.has("events")) await showEvents(invocation, found);
    else await showQueued(invocation, found, stateDir);
    return EXIT.ok;
  });
}

type QueuedFound = Extract<FoundRun, { kind: "queued" }>;

async function showQueued(
  invocation: Invocation,
  { store, run }: QueuedFound,
  stateDir: string,
): Promise<void> {
  const now = systemClock.wall();
  const report = reportOfQueued(run, now);
  const tasks = reportsOfTasks(await store.tasks(run.id), await store.attempts(run.id), now);
  const value = {
    ...report,
    folder: `${stateDir}/runs/${run.id}`,
    counts: countTasks(tasks),
    tasks,
  };
  answer(invocation, value, () => renderQueued(report, tasks, now));
}

async function showEvents(invocation: Invocation, { store, run }: QueuedFound): Promise<void> {
  const events = await store.events(run.id, 0);
  const value = events.map(({ at, ...event }) => ({ at: isoOf(at), ...event }));
  answer(invocation, value, () => renderEvents(events));
}

function showLocal(invocation: Invocation, run: RunSummary): void {
  if (invocation.has("events")) {
    throw new SkeinError(
      "run-refused",
      `Run "${run.runId}" is a local run: its events are a file`,
      {
        where: run.folder,
        next: `Read ${run.folder}/events.jsonl`,
      },
    );
  }
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
