import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import type { StoreEvent } from "../../src/model/mod.ts";
import type { LeaseRef } from "../../src/store/mod.ts";
import { eventOf } from "../../src/store/sqlite/rows.ts";

/** A row as the database gives it. */
export type Row = Readonly<Record<string, unknown>>;

const EVENTS = "SELECT * FROM events WHERE id > ? ORDER BY id";
const LAST_EVENT = "SELECT max(id) AS id FROM events";
const RUNS = "SELECT id, state, owner, token, round, crash_count, available_at FROM runs";
const TASKS = "SELECT run_id, id, state FROM tasks";
const LEASE = `
SELECT lease_expires_at FROM runs WHERE id = ? AND state = 'running' AND owner = ? AND token = ?`;
const ATTEMPT = `
SELECT state, owner, token FROM attempts
WHERE run_id = ? AND task_id = ? AND pass = ? AND attempt = ?`;

/** The database as it is, past the store: for who checks it, and for who breaks it. */
export class Rows implements Disposable {
  readonly #database: DatabaseSync;
  readonly #statements = new Map<string, StatementSync>();

  /** Opens a connection of its own. */
  constructor(path: string) {
    this.#database = new DatabaseSync(path);
  }

  /** Every row. */
  all(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#statement(sql).all(...values);
  }

  /** Writes, and returns how many rows it changed. */
  change(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.#statement(sql).run(...values).changes);
  }

  /** The events after the one of a number. */
  events(after: number): StoreEvent[] {
    return this.all(EVENTS, after).map(eventOf);
  }

  /** The number of the last event; 0 where there is none. */
  lastEvent(): number {
    return Number(this.all(LAST_EVENT)[0]?.id ?? 0);
  }

  /** Every run. */
  runs(): Row[] {
    return this.all(RUNS);
  }

  /** Every task. */
  tasks(): Row[] {
    return this.all(TASKS);
  }

  /** When a claim ends; long ago where it is not held. */
  leaseOf({ runId, owner, token }: LeaseRef): number {
    const [row] = this.all(LEASE, runId, owner, token);
    return row === undefined ? -Infinity : row.lease_expires_at as number;
  }

  /** An attempt, `undefined` where there is none. */
  attempt(runId: string, taskId: string, pass: number, attempt: number): Row | undefined {
    return this.all(ATTEMPT, runId, taskId, pass, attempt)[0];
  }

  /** Closes the connection. */
  [Symbol.dispose](): void {
    this.#database.close();
  }

  #statement(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }
}
