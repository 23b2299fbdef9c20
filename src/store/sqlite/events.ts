import type { StoreEvent } from "../../model/mod.ts";
import type { Connection } from "./connection.ts";
import { eventOf } from "./rows.ts";

const ADD = `
INSERT INTO events (run_id, at, kind, task_id, pass, attempt, from_state, to_state, owner, token,
  epoch, round, reason, message)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`;
const LIST = "SELECT * FROM events WHERE run_id = ? AND id > ? ORDER BY id LIMIT ?";

/** Writes the row of an event. */
export function addEvent(connection: Connection, event: Omit<StoreEvent, "id">): void {
  connection.change(
    ADD,
    event.runId,
    event.at,
    event.kind,
    event.taskId,
    event.pass,
    event.attempt,
    event.from,
    event.to,
    event.owner,
    event.token,
    event.epoch,
    event.round,
    event.reason,
    event.message,
  );
}

/** The events of a run after the one of a number, in order. */
export function events(
  connection: Connection,
  runId: string,
  after: number,
  limit: number,
): StoreEvent[] {
  return connection.all(LIST, runId, after, limit).map(eventOf);
}
