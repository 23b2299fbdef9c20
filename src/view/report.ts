import { isReasonCode, REASONS } from "../reason/mod.ts";
import type { Report, TaskReport } from "../model/mod.ts";
import { formatBytes, formatDuration, plural } from "./progress.ts";

const MOST_FAILURES = 20;

/** A report as a person reads it: how it ended, the tasks that did not succeed, or all of them. */
export function renderReport(report: Report, includeTasks: boolean): string {
  const { runId, name, status, epoch, durationMs, counts, folder, reason, eventsError } = report;
  const parts = (["succeeded", "failed", "skipped", "stopped", "cancelled"] as const)
    .filter((each) => counts[each] > 0)
    .map((each) => `${counts[each]} ${each}`);
  const bad = report.tasks.filter((task) => task.status === "failed");
  const tasks = includeTasks ? report.tasks : bad.slice(0, MOST_FAILURES);
  const hidden = includeTasks ? 0 : bad.length - tasks.length;
  return [
    `${name === "" ? "Run" : name} ${status}${why(status, reason)} in ${
      formatDuration(durationMs)
    }`,
    `  run     ${runId}, epoch ${epoch}`,
    `  tasks   ${counts.total}: ${parts.join(", ")}`,
    ...folder === null ? [] : [`  folder  ${folder}`],
    ...eventsError === null ? [] : [`  events  incomplete: ${eventsError}`],
    ...tasks.length === 0 ? [] : ["", ...taskTable(tasks)],
    ...hidden === 0 ? [] : [`  and ${hidden} more that failed`],
  ].join("\n");
}

/** The reason in brackets, where it says more than the status. */
function why(status: string, reason: string | null): string {
  if (reason === null || !isReasonCode(reason)) return "";
  const { short } = REASONS[reason];
  return short === status ? "" : ` (${short})`;
}

/** Tasks in columns. */
export function taskTable(tasks: readonly TaskReport[]): string[] {
  const rows = tasks.map((task) => [
    task.id,
    task.status,
    plural(task.passes, "pass", "passes"),
    plural(task.attempts, "attempt"),
    formatDuration(task.durationMs),
    task.outputBytes === null ? "" : formatBytes(task.outputBytes),
    [task.reason === null ? "" : task.reason, task.message ?? ""].filter((part) => part !== "")
      .join(": "),
  ]);
  return columns(rows);
}

/** Rows of texts, padded to columns. */
export function columns(rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    row.forEach((cell, index) => widths[index] = Math.max(widths[index] ?? 0, cell.length));
  }
  return rows.map((row) => {
    return `  ${row.map((cell, index) => cell.padEnd(widths[index] ?? 0)).join("  ")}`.trimEnd();
  });
}
