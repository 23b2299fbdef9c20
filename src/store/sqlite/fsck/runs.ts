import type { TaskGroup } from "../../../model/mod.ts";
import { verdictAgrees } from "../../../model/machines.ts";
import { type Check, CODES } from "./check.ts";

const LIVE = "('queued', 'running')";

/** The invariants of runs and of their claims. */
export const RUN_CHECKS: readonly Check[] = [
  {
    name: "running-run-has-lease",
    sql: `
      SELECT id FROM runs
      WHERE state = 'running' AND (owner IS NULL OR lease_expires_at IS NULL OR token < 1)`,
    message: () => "The run is running, and no lease of it can expire",
  },
  {
    name: "lease-has-running-run",
    sql: `
      SELECT id, state FROM runs
      WHERE state <> 'running' AND lease_expires_at IS NOT NULL
        OR state = 'queued' AND owner IS NOT NULL`,
    message: ({ state }) => `The run is ${state}, and an executor holds it`,
  },
  {
    name: "claim-of-live-executor",
    sql: `
      SELECT id, runs.owner FROM runs JOIN executors USING (owner)
      WHERE state = 'running' AND ended_at IS NOT NULL`,
    message: ({ owner }) => `Executor "${owner}" holds the run, and has ended`,
  },
  {
    name: "ended-run-has-ended-tasks",
    sql: `
      SELECT run_id || '/' || tasks.id AS id, runs.state AS run_state, tasks.state
      FROM runs JOIN tasks ON run_id = runs.id
      WHERE runs.state NOT IN ${LIVE} AND tasks.state IN ('pending', 'running')`,
    message: ({ run_state, state }) => `The task is ${state}, and its run is ${run_state}`,
  },
  {
    name: "queued-run-has-no-running-task",
    sql: `
      SELECT run_id || '/' || tasks.id AS id FROM runs JOIN tasks ON run_id = runs.id
      WHERE runs.state = 'queued' AND tasks.state = 'running'`,
    message: () => "The task is running, and nobody holds its run",
  },
  {
    name: "verdict-agrees-with-tasks",
    sql: `
      SELECT id, state, reason, (
        SELECT json_group_array(json_object('state', state, 'reason', reason, 'count', count))
        FROM (
          SELECT state, reason, count(*) AS count FROM tasks WHERE run_id = runs.id
          GROUP BY state, reason
        )
      ) AS tasks
      FROM runs WHERE state NOT IN ${LIVE}`,
    broken: ({ state, reason, tasks }) =>
      !verdictAgrees(
        { status: state as "failed", reason: reason as string | null },
        JSON.parse(tasks as string) as TaskGroup[],
      ),
    message: ({ state, reason }) =>
      `The run is ${state}${reason === null ? "" : ` by ${reason}`}, and its tasks say otherwise`,
  },
  {
    name: "run-is-explained",
    sql: `
      SELECT id, state, reason FROM runs
      WHERE state IN ('failed', 'cancelled', 'stopped') AND reason IS NULL
        OR state = 'queued' AND (available_at > 0) <> (reason IS NOT NULL)
        OR state IN ('running', 'succeeded') AND reason IS NOT NULL
        OR reason NOT IN (SELECT value FROM json_each(?))`,
    values: [CODES],
    message: ({ state, reason }) =>
      reason === null
        ? `The run is ${state}, and no reason says why`
        : `The run is ${state} by ${reason}, which is no reason for it`,
  },
  {
    name: "run-times-are-ordered",
    sql: `
      SELECT id FROM runs
      WHERE queued_at < submitted_at OR started_at < queued_at
        OR finished_at < coalesce(started_at, queued_at)
        OR (finished_at IS NULL) <> (state IN ${LIVE})`,
    message: () => "The times of the run are not in order",
  },
  {
    name: "keys-are-unique",
    sql: `
      SELECT min(id) AS id, key FROM runs WHERE key IS NOT NULL GROUP BY key HAVING count(*) > 1`,
    message: ({ key }) => `More than one run was submitted under the key "${key}"`,
  },
  {
    name: "epoch-is-highest",
    sql: `
      SELECT id, epoch FROM runs
      WHERE epoch > (SELECT coalesce(max(value), 0) FROM meta WHERE name = 'epoch')`,
    message: ({ epoch }) => `The run is of epoch ${epoch}, above the highest that is known`,
  },
  {
    name: "run-has-manifest",
    sql: `
      SELECT id FROM runs
      WHERE NOT EXISTS (SELECT 1 FROM manifests WHERE run_id = runs.id)
        OR NOT EXISTS (SELECT 1 FROM tasks WHERE run_id = runs.id)`,
    message: () => "The run has no manifest or no tasks",
  },
];
