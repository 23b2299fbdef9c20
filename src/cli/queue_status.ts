import { goneExecutors, hostName } from "../engine/durable/gone_executors.ts";
import { queuePath } from "../engine/durable/queue_path.ts";
import type { ExecutorRow, QueueCounts, RoleRow, Store } from "../store/mod.ts";
import { readProc } from "../proc/linux_files.ts";
import { isoOf } from "../view/queued_run.ts";
import { writerOf } from "./write_lock.ts";

/** How long an executor on another machine may say nothing and still be called alive, in milliseconds. */
const SILENCE_MS = 300_000;

/** The queue, as `skein status` tells it. Times are ISO 8601, UTC. */
export interface QueueStatus {
  /** Runs by where they are. */
  readonly runs: QueueCounts["states"];
  /** How long the run that has waited longest is due, in milliseconds; `null` where none waits. */
  readonly oldestWaitMs: number | null;
  /** When the next run that waits for a time of its own is due. */
  readonly nextDueAt: string | null;
  /** The workers that have not ended. */
  readonly executors: readonly ExecutorStatus[];
  /** The living worker that takes runs from the dead, `null` where there is none. */
  readonly leader: string | null;
  /** Who holds the database's write lock now, `null` where nobody does, or that is not known. */
  readonly writer: Writer | null;
}

/** Who holds the write lock. */
export interface Writer {
  /** The process. */
  readonly pid: number;
  /** The worker that it is, `null` where it is none. */
  readonly executor: string | null;
  /** Its command line, empty where it cannot be read. */
  readonly command: string;
}

/** A worker. */
export interface ExecutorStatus {
  /** Its name. */
  readonly executor: string;
  /** Whether it lives; where not, its runs are taken from it when their claims have expired. */
  readonly alive: boolean;
  /** Its machine. */
  readonly host: string;
  /** Its process there. */
  readonly pid: number;
  /** The epoch that it entered with. */
  readonly epoch: number;
  /** Runs that it holds. */
  readonly holds: number;
  /** Runs that it may hold at the same time. */
  readonly concurrency: number;
  /** When it came. */
  readonly startedAt: string | null;
  /** When it last said that it lives. */
  readonly seenAt: string | null;
  /** Whether it was asked to drain. */
  readonly draining: boolean;
}

/** Looks at the queue. */
export async function readQueueStatus(store: Store, stateDir: string): Promise<QueueStatus> {
  const { states, oldestDueAt, nextDueAt, at } = await store.counts();
  const rows = await store.executors();
  const executors = executorsOf(rows, stateDir);
  return {
    runs: states,
    oldestWaitMs: oldestDueAt === null ? null : Math.max(0, at - oldestDueAt),
    nextDueAt: isoOf(nextDueAt),
    executors,
    leader: leaderOf(await store.roles(), at, executors),
    writer: writerStatus(stateDir, rows),
  };
}

/** The workers that have not ended, with whether each of them lives. */
export function executorsOf(rows: readonly ExecutorRow[], stateDir: string): ExecutorStatus[] {
  const terms = { stateDir, host: hostName(), silenceMs: SILENCE_MS };
  const gone = new Set(goneExecutors(rows, terms).map(({ owner }) => owner));
  return rows.filter(({ endedAt }) => endedAt === null).map((row) => ({
    executor: row.owner,
    alive: !gone.has(row.owner),
    host: row.host,
    pid: row.process.pid,
    epoch: row.epoch,
    holds: row.holds,
    concurrency: row.concurrency,
    startedAt: isoOf(row.startedAt),
    seenAt: isoOf(row.seenAt),
    draining: row.drainRequestedAt !== null,
  }));
}

/** A role is held until it expires, also by whoever has died meanwhile. */
function leaderOf(
  roles: readonly RoleRow[],
  now: number,
  executors: readonly ExecutorStatus[],
): string | null {
  const owner = roles.find(({ expiresAt }) => expiresAt > now)?.owner ?? null;
  return executors.some(({ executor, alive }) => alive && executor === owner) ? owner : null;
}

function writerStatus(
  stateDir: string,
  executors: readonly ExecutorRow[],
): Writer | null {
  const pid = writerOf(queuePath(stateDir));
  if (pid === null) return null;
  const executor = executors.find(({ process }) => process.pid === pid)?.owner ?? null;
  return { pid, executor, command: commandOf(pid) };
}

/** The beginning of a process's command line, empty where it cannot be read. */
function commandOf(pid: number): string {
  try {
    const words = readProc(`/proc/${pid}/cmdline`)?.replaceAll("\0", " ") ?? "";
    return words.trim().slice(0, 200);
  } catch {
    return "";
  }
}
