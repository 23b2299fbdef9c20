import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import type { Clock, Rng } from "../../clock/mod.ts";
import { point } from "../../faults/mod.ts";
import { messageOf, SkeinError, type SkeinErrorCode } from "../../model/mod.ts";
import type { StoreOptions, StoreWait, StoreWrite } from "../open.ts";

/**
 * Tries for the write lock before a pause, 12 µs each: who writes one transaction after another leaves it free for as
 * long between two, which whoever looks once a pause hardly ever meets.
 */
const TRIES = 10;
/** The shortest pause between two times of trying, in milliseconds. */
const SHORTEST_MS = 0.1;
/** How much longer a pause may be. */
const SPREAD_MS = 0.4;
/** From when on the pauses grow with the wait: who looks less often than the others gets less than they do. */
const PATIENCE_MS = 100;
/** By how much they grow at most. */
const MOST_GROWTH = 20;
/** A wait that is told. */
const LONG_WAIT_MS = 1_000;

/** SQLite's codes: somebody else holds the lock. */
const BUSY: ReadonlySet<number> = new Set([5, 6]);
/** The file is damaged, or no database. */
const CORRUPT: ReadonlySet<number> = new Set([11, 26]);
/** The statement is wrong, or breaks a constraint: no waiting helps. */
const WRONG: ReadonlySet<number> = new Set([1, 19, 20, 21, 25]);

/** A row as SQLite gives it. */
export type Row = Record<string, unknown>;

/**
 * A connection with prepared statements that are kept, and transactions that wait for the write lock by themselves:
 * SQLite's own busy timeout blocks the thread and is not fair. A transaction runs from its begin to its commit without
 * giving up the thread, so that one connection serves a whole process.
 */
export class Connection {
  /** The database's file. */
  readonly path: string;
  readonly #database: DatabaseSync;
  readonly #clock: Clock;
  readonly #rng: Rng;
  readonly #onWait: ((wait: StoreWait) => void) | undefined;
  readonly #statements = new Map<string, StatementSync>();
  readonly #closing = new AbortController();
  #contention: { readonly since: number; told: boolean } | null = null;
  #pause: Promise<void> | null = null;

  /** Opens the file; it is made where there is none. */
  constructor({ path, clock, rng, onWait }: StoreOptions) {
    this.path = path;
    this.#clock = clock;
    this.#rng = rng;
    this.#onWait = onWait;
    try {
      makeFile(path);
      this.#database = new DatabaseSync(path, { timeout: 0, enableForeignKeyConstraints: true });
    } catch (error) {
      throw this.#unusable(error);
    }
  }

  /** Whole milliseconds of the store's clock. */
  now(): number {
    return Math.floor(this.#clock.wall());
  }

  /** A number for a backoff: uniform in [0, 1). */
  draw(): number {
    return this.#rng.next();
  }

  /** The first row, `undefined` without one. */
  get(sql: string, ...values: SQLInputValue[]): Row | undefined {
    return this.#statement(sql).get(...values);
  }

  /** Every row. */
  all(sql: string, ...values: SQLInputValue[]): Row[] {
    return this.#statement(sql).all(...values);
  }

  /** Every row, one after another. */
  each(sql: string, ...values: SQLInputValue[]): Iterable<Row> {
    return this.#statement(sql).iterate(...values);
  }

  /** Writes, and returns how many rows it changed. */
  change(sql: string, ...values: SQLInputValue[]): number {
    return Number(this.#statement(sql).run(...values).changes);
  }

  /** One transaction that writes. What the body throws rolls it back. */
  async write<T>(what: StoreWrite, body: () => T): Promise<T> {
    while (!this.#takeLock()) await this.#waitForLock(what);
    this.#contention = null;
    try {
      const result = body();
      if (what !== "upkeep") point(`${what}.before-commit`);
      this.#statement("COMMIT").run();
      if (what !== "upkeep") point(`${what}.committed`);
      return result;
    } catch (error) {
      this.#rollBack();
      throw this.#failure(error);
    }
  }

  /** One short transaction that reads. */
  async read<T>(body: () => T): Promise<T> {
    for (;;) {
      try {
        this.#statement("BEGIN").run();
        const result = body();
        this.#statement("COMMIT").run();
        return result;
      } catch (error) {
        this.#rollBack();
        if (!isBusy(error)) throw this.#failure(error);
      }
      await this.#waitForLock("read");
    }
  }

  /** Executes one statement outside of a transaction, again and again until the lock is free. */
  async execute(sql: string): Promise<Row | undefined> {
    for (;;) {
      try {
        return this.get(sql);
      } catch (error) {
        if (!isBusy(error)) throw this.#failure(error);
      }
      await this.#waitForLock("read");
    }
  }

  /** Keeps what is written in a log of its own: who reads does not wait for who writes. */
  async useLog(): Promise<void> {
    const mode = (await this.execute("PRAGMA journal_mode = WAL"))?.journal_mode;
    if (mode !== "wal") throw this.#unusable(new Error(`its journal mode stays "${mode}"`));
  }

  /** Executes a script, inside a transaction that is open. */
  script(sql: string): void {
    try {
      this.#database.exec(sql);
    } catch (error) {
      // A script's errors come without SQLite's code.
      throw this.#unusable(error);
    }
  }

  /** Closes it. Whoever waits for the write lock waits no longer. */
  close(): void {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort();
    this.#statements.clear();
    this.#database.close();
  }

  #statement(sql: string): StatementSync {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      if (this.#closing.signal.aborted) throw this.#closed();
      statement = this.#database.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement;
  }

  #takeLock(): boolean {
    for (let tries = 0; tries < TRIES; tries++) if (this.#attempt("BEGIN IMMEDIATE")) return true;
    return false;
  }

  #attempt(sql: string): boolean {
    try {
      this.#statement(sql).run();
      return true;
    } catch (error) {
      if (isBusy(error)) return false;
      throw this.#failure(error);
    }
  }

  #rollBack(): void {
    if (this.#closing.signal.aborted || !this.#database.isTransaction) return;
    this.#statement("ROLLBACK").run();
  }

  /** Waits a moment, one for all who wait in this process. */
  async #waitForLock(what: StoreWrite | "read"): Promise<void> {
    await (this.#pause ??= this.#sleep(what));
    if (this.#closing.signal.aborted) throw this.#closed();
  }

  async #sleep(what: StoreWrite | "read"): Promise<void> {
    const now = this.#clock.mono();
    const contention = this.#contention ??= { since: now, told: false };
    const waitedMs = now - contention.since;
    if (!contention.told && waitedMs >= LONG_WAIT_MS) {
      contention.told = true;
      this.#onWait?.({ path: this.path, what, waitedMs });
    }
    const growth = Math.min(Math.max(1, waitedMs / PATIENCE_MS), MOST_GROWTH);
    const pause = (SHORTEST_MS + SPREAD_MS * this.#rng.next()) * growth;
    await this.#clock.sleep(pause, this.#closing.signal);
    this.#pause = null;
  }

  #closed(): SkeinError {
    return new SkeinError("state-unusable", `Cannot use "${this.path}": the store is closed`, {
      where: this.path,
      next: "Open it again",
    });
  }

  /** What SQLite refuses, as an error of Skein's; what it does not know of is left as it is. */
  #failure(error: unknown): unknown {
    const code = codeOf(error);
    if (code === 0) return error;
    if (CORRUPT.has(code)) {
      return this.#error("state-corrupt", error, "Keep a copy, and restore it from a backup");
    }
    if (WRONG.has(code)) {
      return this.#error("internal", error, "Report it, with the output of `skein fsck`");
    }
    return this.#unusable(error);
  }

  #unusable(error: unknown): SkeinError {
    const next = "Check the file, its folder and the room on the disk";
    return this.#error("state-unusable", error, next);
  }

  #error(code: SkeinErrorCode, cause: unknown, next: string): SkeinError {
    const message = `Cannot use "${this.path}": ${messageOf(cause)}`;
    return new SkeinError(code, message, { where: this.path, next, cause });
  }
}

/** Whether somebody else holds the lock. */
function isBusy(error: unknown): boolean {
  return BUSY.has(codeOf(error));
}

/** SQLite's code of an error, without what extends it; 0 where it is none of SQLite's. */
function codeOf(error: unknown): number {
  const code = (error as { errcode?: unknown } | null)?.errcode;
  return typeof code === "number" ? code & 0xff : 0;
}

/**
 * Makes the file where there is none, for this user alone: SQLite gives its other files the same rights. One that is
 * there is not opened: by POSIX its close would take every lock of this process from it.
 */
function makeFile(path: string): void {
  try {
    Deno.openSync(path, { createNew: true, write: true, mode: 0o600 }).close();
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
  }
}
