import type { Check } from "./check.ts";

/** The invariants of the audit: it tells of every state, and of nothing else. */
export const EVENT_CHECKS: readonly Check[] = [
  {
    name: "run-events-are-a-chain",
    sql: `
      SELECT run_id AS id, event, from_state, before FROM (
        SELECT run_id, id AS event, from_state,
          lag(to_state) OVER (PARTITION BY run_id ORDER BY id) AS before
        FROM events WHERE task_id IS NULL AND to_state IS NOT NULL
      )
      WHERE from_state IS NOT before`,
    message: ({ event, from_state, before }) =>
      `Event ${event} begins at ${from_state}, and the one before it ends at ${before}`,
  },
  {
    name: "run-is-where-its-events-end",
    sql: `
      SELECT runs.id, state, last FROM runs LEFT JOIN (
        SELECT run_id, to_state AS last, max(id) FROM events
        WHERE task_id IS NULL AND to_state IS NOT NULL GROUP BY run_id
      ) ON run_id = runs.id
      WHERE state IS NOT last`,
    message: ({ state, last }) => `The run is ${state}, and its last event ends at ${last}`,
  },
  {
    name: "task-events-are-a-chain",
    sql: `
      SELECT run_id || '/' || task_id AS id, event, from_state, before FROM (
        SELECT run_id, task_id, id AS event, from_state,
          lag(to_state, 1, 'pending') OVER (PARTITION BY run_id, task_id ORDER BY id) AS before
        FROM events WHERE task_id IS NOT NULL AND to_state IS NOT NULL
      )
      WHERE from_state IS NOT before`,
    message: ({ event, from_state, before }) =>
      `Event ${event} begins at ${from_state}, and the one before it ends at ${before}`,
  },
  {
    name: "task-is-where-its-events-end",
    sql: `
      SELECT tasks.run_id || '/' || tasks.id AS id, state, last FROM tasks LEFT JOIN (
        SELECT run_id, task_id, to_state AS last, max(id) FROM events
        WHERE task_id IS NOT NULL AND to_state IS NOT NULL GROUP BY run_id, task_id
      ) AS told ON told.run_id = tasks.run_id AND told.task_id = tasks.id
      WHERE state <> coalesce(last, 'pending')`,
    message: ({ state, last }) =>
      `The task is ${state}, and its last event ends at ${last ?? "nothing"}`,
  },
  {
    name: "token-never-falls",
    sql: `
      SELECT run_id AS id, event, token, before FROM (
        SELECT run_id, id AS event, token,
          max(token) OVER (
            PARTITION BY run_id ORDER BY id ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING
          ) AS before
        FROM events WHERE to_state IS NOT NULL
      )
      WHERE token < before`,
    message: ({ event, token, before }) => `Event ${event} is of token ${token}, after ${before}`,
  },
  {
    name: "token-is-the-events",
    sql: `
      SELECT runs.id, runs.token, told FROM runs JOIN (
        SELECT run_id, max(token) AS told FROM events WHERE to_state IS NOT NULL GROUP BY run_id
      ) ON run_id = runs.id
      WHERE runs.token <> told`,
    message: ({ token, told }) => `The token of the run is ${token}, and its events end at ${told}`,
  },
];
