import type {
  AttemptRow,
  QueuedRun,
  QueuedTask,
  RunState,
  StoreEvent,
  TaskState,
} from "../model/mod.ts";
import { isReasonCode, REASONS } from "../reason/mod.ts";
import { formatBytes, formatDuration, plural } from "./progress.ts";
import { columns } from "./report.ts";

/** A task of a run of the queue, as a reader is told it; as in a report, as far as it goes. */
export interface QueuedTaskReport {
  /** The task. */
  readonly id: string;
  /** Where it is. */
  readonly status: TaskState;
  /** The code from the catalogue of reasons: why it ended, or why it waits. */
  readonly reason: string | null;
  /** The reason's particulars. */
  readonly message: string | null;
  /** Passes that succeeded. */
  readonly passes: number;
  /** Attempts that were started, over all passes and rounds. */
  readonly attempts: number;
  /** The exit code of the last process, `null` without one. */
  readonly exitCode: number | null;
  /** The signal that ended the last process, `null` without one. */
  readonly signal: string | null;
  /** From when on its next attempt may start, ISO 8601; `null` where it does not wait. */
  readonly availableAt: string | null;
  /** From the start of its first attempt in its last round to the end of the last one, or to now, in milliseconds. */
  readonly durationMs: number;
  /** The published output, relative to the folder that holds `runs`. */
  readonly output: string | null;
  /** Bytes of the published output. */
  readonly outputBytes: number | null;
}

/** A run of the queue, as a reader is told it. Times are ISO 8601, UTC. */
export interface QueuedRunReport {
  /** The run. */
  readonly runId: string;
  /** The manifest's name. */
  readonly name: string;
  /** Where it is. */
  readonly status: RunState;
  /** The code from the catalogue of reasons: why it ended, or why it waits. */
  readonly reason: string | null;
  /** The reason's particulars. */
  readonly message: string | null;
  /** The epoch that it was queued in. */
  readonly epoch: number;
  /** From 1; each `retry` opens the next. */
  readonly round: number;
  /** The key that it was submitted under. */
  readonly key: string | null;
  /** Minutes of waiting that it was given. */
  readonly priority: number;
  /** The executor that holds it, or held it last. */
  readonly executor: string | null;
  /** The fencing token. */
  readonly token: number;
  /** When its claim ends. */
  readonly leaseExpiresAt: string | null;
  /** From when on it may be claimed; `null` where it does not wait. */
  readonly availableAt: string | null;
  /** Verified deaths of its executors in this round. */
  readonly crashCount: number;
  /** When its cancellation was requested. */
  readonly cancelRequestedAt: string | null;
  /** Who requested its cancellation. */
  readonly cancelRequestedBy: string | null;
  /** When it was submitted. */
  readonly submittedAt: string;
  /** When it was first claimed in its round. */
  readonly startedAt: string | null;
  /** When it ended. */
  readonly finishedAt: string | null;
  /** From the first claim to the end, or to now, in milliseconds. */
  readonly durationMs: number;
}

/** The facts of a run of the queue, without its tasks. */
export function reportOfQueued(run: QueuedRun, now: number): QueuedRunReport {
  const { state, startedAt, finishedAt, availableAt } = run;
  return {
    runId: run.id,
    name: run.name,
    status: state,
    reason: run.reason,
    message: run.message,
    epoch: run.epoch,
    round: run.round,
    key: run.key,
    priority: run.priority,
    executor: run.owner,
    token: run.token,
    leaseExpiresAt: isoOf(run.leaseExpiresAt),
    availableAt: state === "queued" && availableAt > 0 ? isoOf(availableAt) : null,
    crashCount: run.crashCount,
    cancelRequestedAt: isoOf(run.cancelRequestedAt),
    cancelRequestedBy: run.cancelRequestedBy,
    submittedAt: isoOf(run.submittedAt) ?? "",
    startedAt: isoOf(startedAt),
    finishedAt: isoOf(finishedAt),
    durationMs: startedAt === null ? 0 : Math.max(0, (finishedAt ?? now) - startedAt),
  };
}

/** The tasks of a run of the queue, in the manifest's order. */
export function reportsOfTasks(
  tasks: readonly QueuedTask[],
  attempts: readonly AttemptRow[],
  now: number,
): QueuedTaskReport[] {
  const byTask = Map.groupBy(attempts, ({ taskId }) => taskId);
  return tasks.map((task) => {
    const own = byTask.get(task.id) ?? [];
    const last = own.at(-1);
    const first = own.find(({ round }) => round === last?.round);
    const { state, pass, availableAt, output } = task;
    return {
      id: task.id,
      status: state,
      reason: task.reason,
      message: task.message,
      passes: state === "succeeded" ? pass : pass - 1,
      attempts: own.length,
      exitCode: last?.exitCode ?? null,
      signal: last?.signal ?? null,
      availableAt: state === "pending" && availableAt > now ? isoOf(availableAt) : null,
      durationMs: Math.max(0, (last?.endedAt ?? now) - (first?.startedAt ?? now)),
      output: output?.path ?? null,
      outputBytes: output?.bytes ?? null,
    };
  });
}

/** How many tasks there are, and in which state. */
export function countTasks(tasks: readonly { readonly status: TaskState }[]): TaskStateCounts {
  const counts = {
    total: tasks.length,
    pending: 0,
    running: 0,
    succeeded: 0,
    failed: 0,
    skipped: 0,
    stopped: 0,
    cancelled: 0,
  };
  for (const { status } of tasks) counts[status]++;
  return counts;
}

/** Tasks by where they are. */
export type TaskStateCounts = Readonly<Record<TaskState | "total", number>>;

/** A run of the queue and its tasks, as a person reads them. */
export function renderQueued(
  run: QueuedRunReport,
  tasks: readonly QueuedTaskReport[],
  now: number,
): string {
  const { total, ...counts } = countTasks(tasks);
  const parts = Object.entries(counts).filter(([, count]) => count > 0)
    .map(([state, count]) => `${count} ${state}`);
  const { name, status, runId, epoch, round, token, key, priority } = run;
  const took = run.startedAt === null
    ? ""
    : ` ${run.finishedAt === null ? "for" : "in"} ${formatDuration(run.durationMs)}`;
  return [
    `${name === "" ? "Run" : name} ${status}${shortOf(run.reason)}${took}`,
    `  run       ${runId}, epoch ${epoch}, round ${round}, token ${token}`,
    `  tasks     ${total}: ${parts.join(", ")}`,
    ...key === null ? [] : [`  key       ${key}`],
    ...priority === 0 ? [] : [`  priority  ${priority}`],
    ...run.executor === null ? [] : [`  executor  ${run.executor}`],
    ...dueLine("due       ", run.availableAt, now),
    ...dueLine("lease     ", run.leaseExpiresAt, now),
    ...run.crashCount === 0 ? [] : [`  crashes   ${run.crashCount}`],
    ...run.cancelRequestedAt === null
      ? []
      : [`  cancel    requested by ${run.cancelRequestedBy ?? "somebody"}`],
    "",
    ...columns(tasks.map((task) => cellsOf(task, now))),
  ].join("\n");
}

/** The audit of a run, one line an event. */
export function renderEvents(events: readonly StoreEvent[]): string {
  return columns(events.map((event) => [
    isoOf(event.at) ?? "",
    event.kind,
    event.taskId ?? "",
    event.attempt === 0 ? "" : `${event.pass}.${event.attempt}`,
    event.from === null && event.to === null ? "" : `${event.from ?? ""} → ${event.to ?? ""}`,
    `token ${event.token}`,
    [event.reason, event.message].filter((part) => part !== null).join(": "),
  ])).join("\n");
}

/** The short text of a reason in brackets. */
export function shortOf(reason: string | null): string {
  return reason !== null && isReasonCode(reason) ? ` (${REASONS[reason].short})` : "";
}

/** A time of the store as ISO 8601, UTC. */
export function isoOf(at: number | null): string | null {
  return at === null ? null : new Date(at).toISOString();
}

/** How far off a time is. */
export function distanceOf(at: number, now: number): string {
  return at > now ? `in ${formatDuration(at - now)}` : `${formatDuration(now - at)} ago`;
}

function dueLine(label: string, at: string | null, now: number): string[] {
  return at === null ? [] : [`  ${label}${at}, ${distanceOf(Date.parse(at), now)}`];
}

function cellsOf(task: QueuedTaskReport, now: number): string[] {
  const { id, status, passes, attempts, durationMs, outputBytes, reason, message } = task;
  const due = task.availableAt === null
    ? null
    : `due ${distanceOf(Date.parse(task.availableAt), now)}`;
  return [
    id,
    status,
    plural(passes, "pass", "passes"),
    plural(attempts, "attempt"),
    attempts === 0 ? "" : formatDuration(durationMs),
    outputBytes === null ? "" : formatBytes(outputBytes),
    [reason, message, due].filter((part) => part !== null).join(": "),
  ];
}
