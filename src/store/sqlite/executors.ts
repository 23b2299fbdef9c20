import type { ExecutorRow, Registration } from "../executors.ts";
import type { Connection, Row } from "./connection.ts";

const REGISTER = `
INSERT INTO executors (owner, host, holder_id, boot_id, pid_namespace, pid, start_time, epoch,
  concurrency, started_at, seen_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const BEAT = "UPDATE executors SET seen_at = ? WHERE owner = ? AND ended_at IS NULL";
const END =
  "UPDATE executors SET ended_at = max(?, started_at) WHERE owner = ? AND ended_at IS NULL";
const HOLDS =
  "(SELECT count(*) FROM runs WHERE state = 'running' AND runs.owner = executors.owner)";
const LIST = `
SELECT executors.*, ${HOLDS} AS holds FROM executors
WHERE ended_at IS NULL OR ${HOLDS} > 0
ORDER BY started_at, owner`;
const DRAIN = `
UPDATE executors SET drain_requested_at = ?
WHERE ended_at IS NULL AND drain_requested_at IS NULL AND owner = ?`;
const DRAIN_ALL = `
UPDATE executors SET drain_requested_at = ? WHERE ended_at IS NULL AND drain_requested_at IS NULL`;
const DRAINS = "SELECT drain_requested_at FROM executors WHERE owner = ?";

/** Enters an executor. */
export function registerExecutor(connection: Connection, registration: Registration): void {
  const { owner, host, holderId, process, epoch, concurrency } = registration;
  const { bootId, pidNamespace, pid, startTime } = process;
  const now = connection.now();
  const identity = [bootId, pidNamespace, pid, startTime] as const;
  connection.change(REGISTER, owner, host, holderId, ...identity, epoch, concurrency, now, now);
}

/** Says that an executor lives. */
export function heartbeat(connection: Connection, owner: string): boolean {
  return connection.change(BEAT, connection.now(), owner) === 1;
}

/** Ends an executor cleanly. */
export function endExecutor(connection: Connection, owner: string): void {
  connection.change(END, connection.now(), owner);
}

/** Every executor that has not ended, or still holds a run. */
export function executors(connection: Connection): ExecutorRow[] {
  return connection.all(LIST).map(executorOf);
}

/** Asks an executor to drain, or every one. */
export function requestDrain(connection: Connection, owner: string | null): number {
  return owner === null
    ? connection.change(DRAIN_ALL, connection.now())
    : connection.change(DRAIN, connection.now(), owner);
}

/** Whether an executor was asked to drain. */
export function drainRequested(connection: Connection, owner: string): boolean {
  return typeof connection.get(DRAINS, owner)?.drain_requested_at === "number";
}

function executorOf(row: Row): ExecutorRow {
  return {
    owner: String(row.owner),
    host: String(row.host),
    holderId: String(row.holder_id),
    process: {
      bootId: String(row.boot_id),
      pidNamespace: String(row.pid_namespace),
      pid: Number(row.pid),
      startTime: String(row.start_time),
    },
    epoch: Number(row.epoch),
    concurrency: Number(row.concurrency),
    startedAt: Number(row.started_at),
    seenAt: Number(row.seen_at),
    endedAt: row.ended_at as number | null,
    drainRequestedAt: row.drain_requested_at as number | null,
    holds: Number(row.holds),
  };
}
