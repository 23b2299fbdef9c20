import {
  type AttemptRow,
  type Manifest,
  type QueuedRun,
  type QueuedTask,
  type RunState,
  SkeinError,
} from "../../model/mod.ts";
import type { QueueCounts, RunFilter, RunLookup } from "../queries.ts";
import type { Ground } from "./ground.ts";
import { attemptOf, queuedTaskOf, runOf } from "./rows.ts";

const OUTPUT = `
outputs.path AS output_path, outputs.bytes AS output_bytes, outputs.digest AS output_digest`;
const MANIFEST = "SELECT body FROM manifests WHERE run_id = ?";
const TASKS = `
SELECT tasks.*, ${OUTPUT} FROM tasks LEFT JOIN outputs
  ON tasks.state = 'succeeded' AND outputs.run_id = tasks.run_id AND outputs.task_id = tasks.id
  AND outputs.pass = tasks.pass AND outputs.attempt = tasks.attempt
WHERE tasks.run_id = ? ORDER BY position`;
const ATTEMPTS = `
SELECT attempts.*, ${OUTPUT} FROM attempts LEFT JOIN outputs USING (run_id, task_id, pass, attempt)
WHERE run_id = ? ORDER BY sequence`;
const RUNS = "SELECT * FROM runs WHERE id < ? ORDER BY id DESC LIMIT ?";
const RUNS_IN = `
SELECT * FROM runs WHERE id < ? AND state IN (SELECT value FROM json_each(?))
ORDER BY id DESC LIMIT ?`;
const WAITING = `
SELECT * FROM runs WHERE state = 'queued' AND id < ? ORDER BY id DESC LIMIT ?`;
const RUNNING = `
SELECT * FROM runs WHERE state = 'running' AND id < ? ORDER BY id DESC LIMIT ?`;
const BEGINNING =
  "SELECT * FROM runs WHERE id >= ?1 AND id < ?1 || char(1114111) ORDER BY id LIMIT 6";
const COUNT_ENDED = `
SELECT state, count(*) AS count FROM runs WHERE finished_at IS NOT NULL GROUP BY state`;
const COUNT_LIVE = `
SELECT 'running' AS state, count(*) AS count FROM runs WHERE state = 'running'
UNION ALL
SELECT 'queued' AS state, count(*) AS count FROM runs WHERE state = 'queued'`;
const DUE = `
SELECT min(max(available_at, queued_at)) FILTER (WHERE available_at <= ?1) AS oldest,
  min(available_at) FILTER (WHERE available_at > ?1) AS next
FROM runs WHERE state = 'queued'`;

/** Above every id. */
const LAST = "\u{10ffff}";

/** The manifest of a run, `null` where there is no such run. */
export function readManifest({ connection }: Ground, runId: string): Manifest | null {
  const row = connection.get(MANIFEST, runId);
  return row === undefined ? null : JSON.parse(row.body as string);
}

/** The text of the manifest of a run that is there. */
export function manifestTextOf({ connection }: Ground, runId: string): string {
  const row = connection.get(MANIFEST, runId);
  if (row !== undefined) return row.body as string;
  throw new SkeinError("state-corrupt", `Cannot read run "${runId}": its manifest is missing`, {
    where: connection.path,
    next: "Restore the database from a backup; `skein fsck` names everything that is wrong",
  });
}

/** The tasks of a run, in the manifest's order. */
export function tasksOf({ connection }: Ground, runId: string): QueuedTask[] {
  return connection.all(TASKS, runId).map(queuedTaskOf);
}

/** The attempts of a run, in the order of their start. */
export function attemptsOf({ connection }: Ground, runId: string): AttemptRow[] {
  return connection.all(ATTEMPTS, runId).map(attemptOf);
}

/** Runs, the newest first. */
export function runs({ connection }: Ground, filter: RunFilter): QueuedRun[] {
  const { states, before = LAST, limit } = filter;
  // The few that live are found by an index of their own, however many have ended.
  if (states === undefined) return connection.all(RUNS, before, limit).map(runOf);
  if (states.length === 1 && states[0] === "queued") {
    return connection.all(WAITING, before, limit).map(runOf);
  }
  if (states.length === 1 && states[0] === "running") {
    return connection.all(RUNNING, before, limit).map(runOf);
  }
  return connection.all(RUNS_IN, before, JSON.stringify(states), limit).map(runOf);
}

/** The run of an id, or of the beginning of one. */
export function lookUp({ connection }: Ground, idOrPrefix: string): RunLookup {
  const found = connection.all(BEGINNING, idOrPrefix).map(runOf);
  const run = found.find(({ id }) => id === idOrPrefix) ??
    (found.length === 1 ? found[0] : undefined);
  if (run !== undefined && idOrPrefix !== "") return { kind: "found", run };
  if (found.length === 0 || idOrPrefix === "") return { kind: "none" };
  return { kind: "ambiguous", runIds: found.map(({ id }) => id) };
}

/** The queue in figures. */
export function counts({ connection }: Ground): QueueCounts {
  const at = connection.now();
  const states: Record<RunState, number> = {
    queued: 0,
    running: 0,
    succeeded: 0,
    failed: 0,
    cancelled: 0,
    stopped: 0,
  };
  for (const { state, count } of [...connection.all(COUNT_LIVE), ...connection.all(COUNT_ENDED)]) {
    states[state as RunState] = count as number;
  }
  const due = connection.get(DUE, at);
  return {
    states,
    oldestDueAt: due?.oldest as number | null,
    nextDueAt: due?.next as number | null,
    at,
  };
}
