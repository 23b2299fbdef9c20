import type { PruneRequest, PruneResult } from "../queries.ts";
import type { Ground } from "./ground.ts";

const ENDED = "SELECT count(*) AS count FROM runs WHERE finished_at IS NOT NULL";
const OLDEST = `
SELECT id FROM runs WHERE finished_at IS NOT NULL ORDER BY finished_at, id LIMIT ?`;
const OLDER = `
SELECT id FROM runs WHERE finished_at IS NOT NULL AND finished_at < ? ORDER BY finished_at, id LIMIT ?`;
const REMOVE = "DELETE FROM runs WHERE id = ? AND finished_at IS NOT NULL";
const REMOVE_EXECUTORS = `
DELETE FROM executors WHERE ended_at IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM runs WHERE state = 'running' AND runs.owner = executors.owner)`;

/** Runs that one transaction removes. */
const BATCH = 100;

/** Removes ended runs beyond what is kept, and executors that have ended. What belongs to a run goes with its row. */
export function prune({ connection }: Ground, request: PruneRequest): PruneResult {
  const { keepRuns, keepMs, limit = BATCH } = request;
  const beyond = new Set<string>();
  if (keepRuns !== undefined) {
    const ended = connection.get(ENDED)?.count as number;
    const most = Math.min(Math.max(ended - keepRuns, 0), limit + 1);
    for (const { id } of connection.all(OLDEST, most)) beyond.add(id as string);
  }
  if (keepMs !== undefined) {
    const rows = connection.all(OLDER, connection.now() - keepMs, limit + 1);
    for (const { id } of rows) beyond.add(id as string);
  }
  const runIds = [...beyond].slice(0, limit);
  for (const id of runIds) connection.change(REMOVE, id);
  connection.change(REMOVE_EXECUTORS);
  return { runIds, more: beyond.size > limit };
}
