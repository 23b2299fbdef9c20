import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import type { StoreEvent } from "../../src/model/mod.ts";
import type {
  AttemptRef,
  ExecutorRow,
  LeaseRef,
  LossTerms,
  PruneResult,
  RenewResult,
  SettleResult,
  StartResult,
  Store,
  Submission,
  SubmitResult,
  TaskVerdict,
} from "../../src/store/mod.ts";
import { eventOf } from "../../src/store/sqlite/rows.ts";
import { enter, hasEnded, openBook, type RunBook } from "./books.ts";
import type { Machine } from "./machine.ts";
import { broken, type Call, type Truth } from "./rules.ts";

/** What the audit knows of the world beside the database. */
export interface AuditGround extends Omit<Truth, "call" | "now"> {
  /** The database, on a connection of its own. */
  readonly rows: DatabaseSync;
  /** The database's clock. */
  now(): number;
  /** Told of every broken promise. */
  onBreach(promise: string): void;
}

/** What is read before a call, so that its answer can be judged. */
type Before = ReadonlyMap<string, number>;

const EVENTS = "SELECT * FROM events WHERE id > ? ORDER BY id";
const LAST_EVENT = "SELECT max(id) AS id FROM events";
const RUNS = "SELECT id, state, token, round, crash_count, available_at FROM runs";
const HOLDERS = "SELECT id, owner FROM runs WHERE state = 'running'";
const TASKS = "SELECT run_id, id, state FROM tasks";
const LEASE = `
SELECT lease_expires_at FROM runs WHERE id = ? AND state = 'running' AND owner = ? AND token = ?`;
const ATTEMPT = `
SELECT state, owner, token FROM attempts
WHERE run_id = ? AND task_id = ? AND pass = ? AND attempt = ?`;

/** Checks the promises from outside: by what the events tell, by what the rows hold, by what callers are answered. */
export class Audit {
  readonly #ground: AuditGround;
  readonly #books = new Map<string, RunBook>();
  readonly #statements = new Map<string, StatementSync>();
  readonly #gone = new Map<string, readonly string[]>();
  readonly #counts = new Map<string, number>();
  #lastEvent = 0;

  /** Nothing has happened. */
  constructor(ground: AuditGround) {
    this.#ground = ground;
  }

  /** The runs, as the events tell of them. */
  get books(): ReadonlyMap<string, RunBook> {
    return this.#books;
  }

  /** How often what has happened: the events by kind and reason, and what callers were refused. */
  get counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  /** Before a call reaches the database. */
  before({ name, args }: Call): Before {
    if (name !== "renew") return NOTHING;
    const leases = new Map<string, number>();
    for (const ref of args[0] as LeaseRef[]) leases.set(ref.runId, this.#leaseOf(ref));
    return leases;
  }

  /** After a call: whatever it has changed, and what it answers. */
  after(machine: Machine, call: Call, before: Before, result: unknown): void {
    if (call.name === "submit") this.#open(call.args[0] as Submission, result as SubmitResult);
    const { kind } = Object(result) as { readonly kind?: string };
    if (kind !== undefined) this.#count(`${call.name}: ${kind}`);
    if (WRITES.has(call.name)) this.#readEvents(call);
    switch (call.name) {
      case "executors":
        return this.#noteGone(machine, result as ExecutorRow[]);
      case "reap":
      case "recover":
        return this.#checkGone(machine, call.args.at(-1) as LossTerms);
      case "renew":
        return this.#checkRenewals(before, result as RenewResult);
      case "prune":
        return this.#close(result as PruneResult);
      case "startTask":
        return this.#checkInput(call.args as [LeaseRef, string], result as StartResult);
      case "settleTask": {
        const [ref, attempt, verdict] = call.args as [LeaseRef, AttemptRef, TaskVerdict];
        return this.#checkSettled(ref, attempt, verdict, result as SettleResult);
      }
    }
  }

  /** Whether the rows are where the events end. */
  compareRows(): void {
    for (const { id, state, token, round, crash_count } of this.#all(RUNS)) {
      const book = this.#books.get(id as string);
      const agrees = book !== undefined && book.state === state && book.token === token &&
        book.round === round && book.deaths === crash_count;
      if (!agrees) this.#breach(`Run "${id}" is where its events end (G10)`);
    }
    for (const { run_id, id, state } of this.#all(TASKS)) {
      const told = this.#books.get(run_id as string)?.tasks.get(id as string)?.state;
      if (told !== state) this.#breach(`Task "${run_id}/${id}" is where its events end (G10)`);
    }
  }

  /** Who holds which run, by the rows. */
  holders(): [runId: string, owner: string][] {
    return this.#all(HOLDERS).map(({ id, owner }) => [id as string, owner as string]);
  }

  /** Whether somebody holds a claim now, by the rows. */
  holds(ref: LeaseRef): boolean {
    return this.#leaseOf(ref) > -Infinity;
  }

  #open({ runId, manifest }: Submission, { kind }: SubmitResult): void {
    if (kind === "submitted") this.#books.set(runId, openBook(manifest));
  }

  #close({ runIds }: PruneResult): void {
    for (const runId of runIds) {
      if (!hasEnded(this.#books.get(runId))) {
        this.#breach(`Only what has ended is pruned: ${runId}`);
      }
      this.#books.delete(runId);
    }
    // The database gives the numbers of events again that were pruned.
    this.#lastEvent = Number(this.#all(LAST_EVENT)[0]?.id ?? 0);
  }

  #readEvents(call: Call): void {
    const told = this.#all(EVENTS, this.#lastEvent).map(eventOf);
    if (told.length === 0) return;
    const { lets, isDead, process, now } = this.#ground;
    const truth: Truth = { call, now: now(), lets, isDead, process };
    for (const event of told) this.#read(event, truth);
    this.#lastEvent = told.at(-1)?.id ?? 0;
    if (told.some(({ to }) => to === "queued")) this.#noteDeferrals();
  }

  #noteDeferrals(): void {
    for (const { id, available_at } of this.#all(RUNS)) {
      const book = this.#books.get(id as string);
      if (book !== undefined) book.availableAt = available_at as number;
    }
  }

  #read(event: StoreEvent, truth: Truth): void {
    this.#count(event.reason === null ? event.kind : `${event.kind} ${event.reason}`);
    if (event.to === null) return;
    const book = this.#books.get(event.runId);
    if (book === undefined) return this.#breach(`There is no run "${event.runId}"`);
    const { kind, runId, taskId, from, to, token } = event;
    for (const promise of broken(event, book, truth)) {
      const about = taskId === null ? runId : `${runId}/${taskId}`;
      this.#breach(`${promise}: ${kind} of ${about}, ${from} → ${to}, token ${token}`);
    }
    enter(book, event);
  }

  /** Who was dead already when the executors were read; the judgement that follows must know. */
  #noteGone(machine: Machine, executors: readonly ExecutorRow[]): void {
    const dead = executors.filter(({ owner, endedAt }) =>
      endedAt === null && this.#ground.isDead(owner)
    );
    this.#gone.set(machine.name, dead.map(({ owner }) => owner));
  }

  #checkGone(machine: Machine, { gone }: LossTerms): void {
    const missed = this.#gone.get(machine.name)?.find((owner) => !gone.includes(owner));
    if (missed !== undefined) this.#breach(`Executor "${missed}" is dead, and not called gone`);
    const alive = gone.find((owner) => !this.#ground.isDead(owner));
    if (alive !== undefined) this.#breach(`Executor "${alive}" is alive, and called gone`);
  }

  #checkRenewals(before: Before, { renewed, at }: RenewResult): void {
    for (const { runId, token } of renewed) {
      if ((before.get(runId) ?? -Infinity) > at) continue;
      this.#breach(`What has expired is never renewed (G7): ${runId}#${token}`);
    }
  }

  #checkSettled(
    { runId, owner, token }: LeaseRef,
    { taskId, pass, attempt }: AttemptRef,
    verdict: TaskVerdict,
    result: SettleResult,
  ): void {
    if (result.kind !== "settled") return;
    const [row] = this.#all(ATTEMPT, runId, taskId, pass, attempt);
    if (row?.state === verdict.kind && row.owner === owner && row.token === token) return;
    this.#breach(
      `A settlement that is taken is the caller's own (G7): ${runId}/${taskId}.${pass}.${attempt}`,
    );
  }

  #checkInput([{ runId }, taskId]: [LeaseRef, string], result: StartResult): void {
    if (result.kind !== "started" || result.pass === 1) return;
    const before = `${runId}/${taskId}.${result.pass - 1}.`;
    if (result.input?.path.startsWith(before) === true) return;
    this.#breach(`A pass reads what the pass before has settled: ${before} ${result.input?.path}`);
  }

  #leaseOf({ runId, owner, token }: LeaseRef): number {
    const [row] = this.#all(LEASE, runId, owner, token);
    return row === undefined ? -Infinity : row.lease_expires_at as number;
  }

  #all(sql: string, ...values: SQLInputValue[]): Record<string, unknown>[] {
    let statement = this.#statements.get(sql);
    if (statement === undefined) {
      statement = this.#ground.rows.prepare(sql);
      this.#statements.set(sql, statement);
    }
    return statement.all(...values);
  }

  #count(what: string): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1);
  }

  #breach(promise: string): void {
    this.#ground.onBreach(promise);
  }
}

/** The calls that may change a run. */
const WRITES: ReadonlySet<string> = new Set<keyof Store>([
  "submit",
  "claim",
  "startTask",
  "settleTask",
  "finishRun",
  "handBack",
  "refuseNote",
  "reap",
  "recover",
  "closeStopped",
  "cancel",
  "retry",
]);

const NOTHING: Before = new Map();
