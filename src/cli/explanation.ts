import type { RunSummary } from "../engine/history.ts";
import type { QueuedRun } from "../model/mod.ts";
import { isReasonCode, REASONS } from "../reason/mod.ts";
import { plural } from "../view/progress.ts";
import { distanceOf, type QueuedTaskReport } from "../view/queued_run.ts";
import type { ExecutorStatus } from "./queue_status.ts";

/** Why a run is as it is, and what to do about it. */
export interface Explanation {
  /** The run. */
  readonly runId: string;
  /** The manifest's name, empty where it is not known. */
  readonly name: string;
  /** Where it is. */
  readonly status: string;
  /** The code from the catalogue of reasons, `null` without one. */
  readonly reason: string | null;
  /** Why, in sentences. */
  readonly why: readonly string[];
  /** What can be done, in sentences. */
  readonly next: readonly string[];
  /** The tasks that did not succeed, run, or wait for a time of their own. */
  readonly tasks: readonly TaskNote[];
}

/** A task that is worth a line. */
export interface TaskNote {
  /** The task. */
  readonly id: string;
  /** Where it is. */
  readonly status: string;
  /** The code from the catalogue of reasons, `null` without one. */
  readonly reason: string | null;
  /** Its particulars. */
  readonly message: string | null;
}

/** What stands around a run of the queue. */
export interface QueueFacts {
  /** Now, on the store's clock. */
  readonly now: number;
  /** Whether the swarm is stopped. */
  readonly stopped: boolean;
  /** The current epoch, 0 where it is not known. */
  readonly epoch: number;
  /** The workers that have not ended. */
  readonly executors: readonly ExecutorStatus[];
  /** How many runs run. */
  readonly running: number;
  /** The tasks of the run. */
  readonly tasks: readonly QueuedTaskReport[];
}

interface Grounds {
  readonly why: readonly string[];
  readonly next: readonly string[];
}

/** What comes first while the swarm is stopped. */
const RESET = "Inspect with `skein status`, then `skein reset`";

/** Explains a run of the queue. */
export function explainQueued(run: QueuedRun, facts: QueueFacts): Explanation {
  const { id: runId, name, state: status, reason } = run;
  const tasks = facts.tasks.filter((task) => isWorthTelling(task, status)).map(noteOf);
  return { runId, name, status, reason, ...groundsOf(run, facts), tasks };
}

/**
 * Explains a local run.
 *
 * @param stopped whether the swarm is stopped.
 */
export function explainLocal(
  { runId, status, problem, report }: RunSummary,
  stopped: boolean,
): Explanation {
  const tasks = (report?.tasks ?? []).filter((task) => task.status !== "succeeded")
    .map(({ id, status, reason, message }) => ({ id, status, reason, message }));
  const reason = report?.reason ?? null;
  const base = { runId, name: report?.name ?? "", status, reason, tasks };
  switch (status) {
    case "running":
      return {
        ...base,
        why: ["Its orchestrator lives."],
        next: [`Follow it: \`skein logs ${runId} --follow\``],
      };
    case "interrupted":
      return {
        ...base,
        why: ["Its orchestrator is gone without a report. A local run is not resumed."],
        next: ["Run it again; what it has left alive is ended then, or by `skein ps --kill`"],
      };
    case "unreadable":
      return {
        ...base,
        why: [`Its folder is damaged: ${problem ?? "its report cannot be read"}.`],
        next: ["Read what is left of it by hand"],
      };
    case "stopped":
      return {
        ...base,
        why: catalogued(reason, 0).why,
        next: [stopped ? `${RESET}, then run it again` : "The stop was reset: run it again"],
      };
    default:
      return { ...base, ...catalogued(reason, report?.counts.total ?? 0) };
  }
}

function groundsOf(run: QueuedRun, facts: QueueFacts): Grounds {
  switch (run.state) {
    case "queued":
      return whyQueued(run, facts);
    case "running":
      return whyRunning(run, facts);
    case "stopped":
      return {
        why: catalogued(run.reason, 0, run.message).why,
        next: facts.stopped
          ? [`${RESET}, then \`skein retry ${run.id}\``]
          : [`The stop was reset: \`skein retry ${run.id}\` queues it again`],
      };
    default:
      return catalogued(run.reason, facts.tasks.length, run.message);
  }
}

/** The first of these is what it waits for. */
function whyQueued(run: QueuedRun, facts: QueueFacts): Grounds {
  const { now, stopped, epoch, executors, running } = facts;
  const before = catalogued(run.reason, 0, run.message);
  if (epoch > run.epoch) {
    return {
      why: [`It was queued in epoch ${run.epoch}, and a stop has raised that to ${epoch}.`],
      next: stopped
        ? [
          `${RESET}: it closes the run, and \`skein retry\` reopens it`,
        ]
        : [`A worker closes it as stopped; then \`skein retry ${run.id}\``],
    };
  }
  if (stopped) {
    return { why: ["The swarm is stopped."], next: [RESET] };
  }
  const due = run.availableAt > now ? `It is due ${distanceOf(run.availableAt, now)}` : "It is due";
  const able = executors.filter(({ alive, draining }) => alive && !draining);
  if (able.length === 0) {
    const nobody = executors.some(({ alive }) => alive)
      ? "every worker that is running drains"
      : "no worker is running";
    const goOn = run.startedAt === null ? "starts" : "continues";
    return {
      why: [...before.why, `${due}, but ${nobody}.`],
      next: [`\`skein work\` ${goOn} it`],
    };
  }
  if (run.availableAt > now) return { why: [...before.why, `${due}.`], next: before.next };
  const room = able.reduce((sum, { holds, concurrency }) => sum + concurrency - holds, 0);
  const free = room > 0 ? "one of them takes it within its `--poll`" : "none of them is free";
  return {
    why: [
      ...before.why,
      `It is due; ${plural(able.length, "worker")} with ${plural(running, "run")}: ${free}.`,
      ...run.crashCount === 0 ? [] : [
        `${plural(run.crashCount, "executor")} of it died, so it waits for a worker of its own.`,
      ],
    ],
    next: room > 0 ? [] : ["Wait, or start another worker: `skein work`"],
  };
}

function whyRunning(run: QueuedRun, { now, epoch, executors }: QueueFacts): Grounds {
  const { owner, leaseExpiresAt, cancelRequestedBy } = run;
  const executor = executors.find((one) => one.executor === owner);
  const expires = leaseExpiresAt ?? now;
  const who = executor === undefined
    ? `${owner ?? "an executor"}, which has ended,`
    : `${executor.executor}, process ${executor.pid} on ${executor.host},`;
  const why = [
    `${who} holds it; the claim ${expires > now ? "ends" : "ended"} ${
      distanceOf(expires, now)
    } without a renewal.`,
    ...cancelRequestedBy === null
      ? []
      : [`Its cancellation was requested by ${cancelRequestedBy}.`],
  ];
  const recover =
    `A worker takes it from there by itself; without one: \`skein recover ${run.id}\``;
  if (epoch > run.epoch) {
    return {
      why: [
        ...why,
        `A stop has invalidated it: its epoch is ${run.epoch}, and ${epoch} is current.`,
      ],
      next: ["`skein reset` closes it as stopped, and so does the next reap"],
    };
  }
  if (executor?.alive !== true) {
    const alone = !executors.some(({ alive }) => alive);
    return {
      why: [...why, "That executor is gone."],
      next: [
        alone
          ? `No worker is running: \`skein work\` continues it, or \`skein recover ${run.id}\``
          : recover,
      ],
    };
  }
  return expires > now ? { why, next: [`Follow it: \`skein logs ${run.id} --follow\``] } : {
    why: [...why, "That executor is alive, and hangs or cannot reach the queue."],
    next: [recover],
  };
}

/** What the catalogue says. */
function catalogued(reason: string | null, tasks: number, message: string | null = null): Grounds {
  if (reason === null) {
    return { why: tasks === 0 ? [] : ["Every task has succeeded."], next: [] };
  }
  const detail = message === null ? [] : [`${message}.`];
  if (!isReasonCode(reason)) {
    return { why: [`The code "${reason}" is of another version of Skein.`, ...detail], next: [] };
  }
  const { explanation, remedy } = REASONS[reason];
  return { why: [explanation, ...detail], next: [remedy] };
}

function isWorthTelling({ status, reason }: QueuedTaskReport, run: string): boolean {
  if (status === "succeeded") return false;
  return status !== "pending" || reason !== null || run === "running";
}

function noteOf({ id, status, reason, message }: QueuedTaskReport): TaskNote {
  return { id, status, reason, message };
}
