import { absolutePath } from "../disk/path.ts";
import { listRuns, type RunSummary } from "../engine/history.ts";
import { formatDuration } from "../view/progress.ts";
import { columns } from "../view/report.ts";
import type { Command, Invocation } from "./command.ts";
import { EXIT } from "./exit.ts";
import { answer } from "./output.ts";

/** `skein runs`. */
export const command: Command = {
  name: "runs",
  summary: "List the runs of the state directory, the newest first",
  usage: "",
  words: [0, 0],
  description:
    "Lists every run with how it ended. A run whose orchestrator is gone without a report is `interrupted`.",
  flags: { limit: { type: "integer", summary: "At most so many (all)", range: [1, 1_000_000] } },
  examples: [["skein runs --limit 5", "the last five"]],
  exits: [0, 1, 2],
  run: runs,
};

function runs(invocation: Invocation): number {
  const list = listRuns(absolutePath(invocation.stateDir)).slice(0, invocation.integer("limit"));
  answer(invocation, list.map(row), () => {
    return list.length === 0 ? "No runs" : columns(list.map(cells)).join("\n");
  });
  return EXIT.ok;
}

function row({ runId, status, problem, report }: RunSummary): Record<string, unknown> {
  return {
    runId,
    status,
    ...problem === null ? {} : { problem },
    ...report === null ? {} : {
      name: report.name,
      epoch: report.epoch,
      startedAt: report.startedAt,
      durationMs: report.durationMs,
      counts: report.counts,
    },
  };
}

function cells({ runId, status, problem, report }: RunSummary): string[] {
  if (report === null) return [runId, status, "", "", problem ?? ""];
  const { counts, durationMs, epoch, name } = report;
  const tasks = `${counts.succeeded}/${counts.total} tasks`;
  return [runId, status, tasks, formatDuration(durationMs), `epoch ${epoch}`, name];
}
