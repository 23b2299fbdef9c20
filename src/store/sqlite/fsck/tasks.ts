import { shortestCycle } from "../../../manifest/cycle.ts";
import { type Check, CODES } from "./check.ts";

/** The invariants of tasks, of their needs and of their attempts. */
export const TASK_CHECKS: readonly Check[] = [
  {
    name: "one-active-attempt",
    sql: `
      SELECT run_id || '/' || id AS id, state, (
        SELECT count(*) FROM attempts
        WHERE attempts.run_id = tasks.run_id AND task_id = tasks.id AND attempts.state = 'running'
      ) AS active
      FROM tasks WHERE active <> (state = 'running')`,
    message: ({ state, active }) => `The task is ${state}, and ${active} of its attempts run`,
  },
  {
    name: "active-attempt-is-the-tasks",
    sql: `
      SELECT tasks.run_id || '/' || tasks.id AS id FROM tasks
      JOIN attempts ON attempts.run_id = tasks.run_id AND task_id = tasks.id
      WHERE attempts.state = 'running' AND (attempts.pass <> tasks.pass
        OR attempts.attempt <> tasks.attempt OR attempts.owner IS NOT tasks.owner
        OR attempts.token IS NOT tasks.token)`,
    message: () => "The attempt that runs is not the one that the task names",
  },
  {
    name: "active-attempt-is-the-claims",
    sql: `
      SELECT run_id || '/' || task_id AS id, attempts.token, runs.token AS run_token
      FROM attempts JOIN runs ON runs.id = run_id
      WHERE attempts.state = 'running' AND attempts.token <> runs.token`,
    message: ({ token, run_token }) =>
      `An attempt of token ${token} runs, and the token of the run is ${run_token}`,
  },
  {
    name: "attempts-are-dense",
    sql: `
      SELECT run_id || '/' || task_id AS id, pass, count(*) AS count, max(attempt) AS last
      FROM attempts GROUP BY run_id, task_id, pass
      HAVING min(attempt) <> 1 OR max(attempt) <> count(*)`,
    message: ({ pass, count, last }) =>
      `Pass ${pass} has ${count} attempts, and the last is ${last}`,
  },
  {
    name: "sequences-rise",
    sql: `
      SELECT run_id AS id, count(*) - count(DISTINCT attempts.sequence) AS twice
      FROM attempts JOIN runs ON runs.id = run_id GROUP BY run_id
      HAVING twice > 0 OR max(attempts.sequence) > runs.sequence`,
    message: () => "Two attempts have the same sequence, or one is above the run's",
  },
  {
    name: "needs-have-succeeded",
    sql: `
      SELECT tasks.run_id || '/' || tasks.id AS id, tasks.state, need_id, needed.state AS need_state
      FROM tasks
      JOIN needs ON needs.run_id = tasks.run_id AND task_id = tasks.id
      LEFT JOIN tasks AS needed ON needed.run_id = needs.run_id AND needed.id = need_id
      WHERE tasks.state IN ('running', 'succeeded') AND needed.state IS NOT 'succeeded'`,
    message: ({ state, need_id, need_state }) =>
      `The task is ${state}, and task "${need_id}", which it needs, is ${need_state ?? "missing"}`,
  },
  {
    name: "needs-are-acyclic",
    sql: `
      SELECT tasks.run_id AS id, json_group_array(json_object('id', id, 'needs', json((
        SELECT json_group_array(need_id) FROM needs
        WHERE needs.run_id = tasks.run_id AND task_id = tasks.id
      )))) AS tasks
      FROM tasks GROUP BY run_id
      HAVING EXISTS (SELECT 1 FROM needs WHERE needs.run_id = tasks.run_id)`,
    broken: ({ tasks }) => shortestCycle(JSON.parse(tasks as string)) !== null,
    message: ({ tasks }) =>
      `The tasks need each other: ${shortestCycle(JSON.parse(tasks as string))?.join(" → ")}`,
  },
  {
    name: "task-agrees-with-attempts",
    sql: `
      SELECT tasks.run_id || '/' || tasks.id AS id FROM tasks
      LEFT JOIN attempts ON attempts.run_id = tasks.run_id AND task_id = tasks.id
        AND attempts.pass = tasks.pass AND attempts.attempt = tasks.attempt
      WHERE tasks.state = 'succeeded'
        AND (tasks.pass <> passes OR attempts.state IS NOT 'succeeded')`,
    message: () => "The task succeeded, and its last pass did not",
  },
  {
    name: "task-is-explained",
    sql: `
      SELECT run_id || '/' || id AS id, state, reason FROM tasks
      WHERE state IN ('failed', 'skipped', 'cancelled', 'stopped') AND reason IS NULL
        OR state IN ('running', 'succeeded') AND reason IS NOT NULL
        OR state = 'pending' AND (available_at > 0) <> (reason IS NOT NULL)
        OR reason NOT IN (SELECT value FROM json_each(?))`,
    values: [CODES],
    message: ({ state, reason }) =>
      reason === null
        ? `The task is ${state}, and no reason says why`
        : `The task is ${state} by ${reason}, which is no reason for it`,
  },
  {
    name: "attempt-is-explained",
    sql: `
      SELECT run_id || '/' || task_id AS id, pass, attempt, state FROM attempts
      WHERE (reason IS NULL) <> (state IN ('running', 'succeeded'))
        OR reason NOT IN (SELECT value FROM json_each(?))`,
    values: [CODES],
    message: ({ pass, attempt, state }) =>
      `Attempt ${attempt} of pass ${pass} is ${state}, and no reason says why`,
  },
  {
    name: "attempt-times-are-ordered",
    sql: `
      SELECT run_id || '/' || task_id AS id, pass, attempt FROM attempts
      WHERE ended_at < started_at OR (ended_at IS NULL) <> (state = 'running')`,
    message: ({ pass, attempt }) =>
      `The times of attempt ${attempt} of pass ${pass} are not in order`,
  },
  {
    name: "output-is-settled",
    sql: `
      SELECT run_id || '/' || task_id AS id, path FROM outputs
      LEFT JOIN attempts USING (run_id, task_id, pass, attempt)
      WHERE state IS NOT 'succeeded' OR path = '' OR path GLOB '/*' OR bytes < 0
        OR length(digest) <> 64 OR digest GLOB '*[^0-9a-f]*'`,
    message: ({ path }) => `The output "${path}" is of no attempt that succeeded, or is not whole`,
  },
];
