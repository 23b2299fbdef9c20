import { type Progress, run, type RunOptions } from "../engine/run.ts";
import type { Report } from "../model/mod.ts";
import { renderReport } from "../view/report.ts";
import type { Command, Invocation } from "./command.ts";
import { EXIT } from "./exit.ts";
import { becomeInit } from "./init.ts";
import { readManifest } from "./manifest_source.ts";
import { answer, say, talkInBackground, talkWritten } from "./output.ts";
import { ProgressDisplay } from "./progress_display.ts";
import { Signals } from "./signals.ts";

/** `skein run`. */
export const command: Command = {
  name: "run",
  summary: "Run a manifest to its end",
  usage: "<manifest>",
  words: [1, 1],
  description: [
    "Runs the tasks of a manifest (`-` reads it from standard input) as they become ready, and prints the report.",
    "Ctrl-C, TERM or HUP cancels: processes are asked to end and killed after the grace; a second one kills at once.",
    "Nothing starts while the swarm is stopped.",
  ].join("\n"),
  flags: {
    workers: {
      type: "integer",
      summary: "Tasks at the same time, 0: one a processor (the manifest's)",
      range: [0, 65_536],
    },
    "fail-fast": { type: "boolean", summary: "Admit nothing more once a task has failed" },
    "include-tasks": {
      type: "boolean",
      summary: "Print every task (without it the text has those that failed, JSON none)",
    },
    "no-events": { type: "boolean", summary: "Write no events" },
    sync: { type: "boolean", summary: "Sync each event, and each output before it is published" },
    grace: {
      type: "integer",
      value: "MS",
      summary: "How long an ending process has (5000)",
      range: [0, 2_147_483_647],
    },
    "keep-orphans": {
      type: "boolean",
      summary: "Leave alone what a run without an orchestrator has left alive",
    },
    quiet: { type: "boolean", summary: "No progress on standard error" },
  },
  examples: [
    ["skein run swarm.json", "run it with the manifest's workers"],
    [
      "skein run --workers 8 --include-tasks swarm.jsonc",
      "eight at a time, every task in the report",
    ],
    ["generate | skein run -", "a manifest from standard input"],
  ],
  exits: [0, 1, 2, 3, 4, 129, 130, 143],
  run: runCommand,
};

async function runCommand(invocation: Invocation): Promise<number> {
  const [name = ""] = invocation.words;
  using signals = new Signals();
  using _reaper = becomeInit();
  const options = optionsOf(invocation);
  const manifest = await Promise.race([readManifest(name), aborted(signals.cancel)]);
  if (manifest === null) return signals.code ?? EXIT.error;
  talkInBackground();
  using display = new ProgressDisplay(manifest.tasks.length, invocation.has("quiet"));
  const report = await run(manifest, {
    ...options,
    signal: signals.cancel,
    kill: signals.kill,
    onOrphans: ({ killed, runs }) => {
      say(
        `skein: ended ${killed} ${killed === 1 ? "process" : "processes"} that run ${
          runs.join(", ")
        } had left`,
      );
    },
    onProgress: (progress: Progress) => display.show(progress),
  });
  display[Symbol.dispose]();
  // On a terminal the live line is cleared before the answer stands in its place.
  await talkWritten();
  const all = invocation.has("include-tasks");
  const { tasks, ...rest } = report;
  answer(invocation, all ? { ...rest, tasks } : rest, () => renderReport(report, all));
  if (report.eventsError !== null) say(`skein: the event log is incomplete: ${report.eventsError}`);
  return exitOf(report, signals.code);
}

/** A manifest may come from a pipe that nobody closes: a signal ends the wait. */
function aborted(signal: AbortSignal): Promise<null> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(null)));
}

function optionsOf(invocation: Invocation): RunOptions {
  const workers = invocation.integer("workers");
  const graceMs = invocation.integer("grace");
  return {
    stateDir: invocation.stateDir,
    ownsProcess: true,
    failFast: invocation.has("fail-fast"),
    keepOrphans: invocation.has("keep-orphans"),
    events: !invocation.has("no-events"),
    sync: invocation.has("sync"),
    ...workers === undefined ? {} : { workers },
    ...graceMs === undefined ? {} : { graceMs },
  };
}

/** Stopped beats a signal beats a failed task. */
function exitOf(report: Report, signalCode: number | null): number {
  switch (report.status) {
    case "stopped":
      return EXIT.stopped;
    case "cancelled":
      return signalCode ?? EXIT.failed;
    case "failed":
      return signalCode ?? EXIT.failed;
    case "succeeded":
      return report.eventsError === null ? EXIT.ok : EXIT.error;
  }
}
