import type { StoreEvent } from "../../src/model/mod.ts";
import type {
  LeaseRef,
  PruneResult,
  Store,
  Submission,
  SubmitResult,
} from "../../src/store/mod.ts";
import { Answers } from "./answers.ts";
import { enter, hasEnded, openBook, type RunBook } from "./books.ts";
import type { Machine } from "./machine.ts";
import type { Rows } from "./rows.ts";
import { broken, type Call, type Leases, type Truth } from "./rules.ts";

/** What the audit knows of the world beside the database. */
export interface AuditGround extends Omit<Truth, "call" | "now" | "leases"> {
  /** The database, as it is. */
  readonly rows: Rows;
  /** The database's clock. */
  now(): number;
  /** Told of every broken promise. */
  onBreach(promise: string): void;
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

/** Checks the promises from outside: by what the events tell, by what the rows hold, by what callers are answered. */
export class Audit {
  readonly #ground: AuditGround;
  readonly #answers: Answers;
  readonly #books = new Map<string, RunBook>();
  readonly #counts = new Map<string, number>();
  #lastEvent = 0;

  /** Nothing has happened. */
  constructor(ground: AuditGround) {
    this.#ground = ground;
    const { rows, now, isDead, onBreach } = ground;
    const isCancelled = (runId: string) => this.#books.get(runId)?.isCancelled === true;
    this.#answers = new Answers({ rows, now, isDead, isCancelled, onBreach });
  }

  /** The runs, as the events tell of them. */
  get books(): ReadonlyMap<string, RunBook> {
    return this.#books;
  }

  /** How often what has happened: the events by kind and reason, and what callers were answered. */
  get counts(): ReadonlyMap<string, number> {
    return this.#counts;
  }

  /** Before a call reaches the database. */
  before(call: Call): Leases {
    return this.#answers.before(call);
  }

  /** After a call: whatever it has changed, and what it answers. */
  after(machine: Machine, call: Call, before: Leases, answer: unknown): void {
    const { kind } = Object(answer) as { readonly kind?: string };
    if (kind !== undefined) this.#count(`${call.name}: ${kind}`);
    if (call.name === "submit") this.#open(call.args[0] as Submission, answer as SubmitResult);
    if (WRITES.has(call.name)) this.#readEvents(call, before);
    if (call.name === "prune") this.#close(answer as PruneResult);
    this.#answers.judge(machine, call, before, answer);
  }

  /** Whether the rows are where the events end. */
  compareRows(): void {
    const { rows } = this.#ground;
    for (const { id, state, token, round, crash_count } of rows.runs()) {
      const book = this.#books.get(id as string);
      const agrees = book !== undefined && book.state === state && book.token === token &&
        book.round === round && book.deaths === crash_count;
      if (!agrees) this.#breach(`Run "${id}" is where its events end (G10)`);
    }
    for (const { run_id, id, state } of rows.tasks()) {
      const told = this.#books.get(run_id as string)?.tasks.get(id as string)?.state;
      if (told !== state) this.#breach(`Task "${run_id}/${id}" is where its events end (G10)`);
    }
  }

  /** Who holds which run, by the rows. */
  holders(): [runId: string, owner: string][] {
    const running = this.#ground.rows.runs().filter(({ state }) => state === "running");
    return running.map(({ id, owner }) => [id as string, owner as string]);
  }

  /** Whether somebody holds a claim now, by the rows. */
  holds(ref: LeaseRef): boolean {
    return this.#ground.rows.leaseOf(ref) > -Infinity;
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
    this.#lastEvent = this.#ground.rows.lastEvent();
  }

  #readEvents(call: Call, leases: Leases): void {
    const told = this.#ground.rows.events(this.#lastEvent);
    if (told.length === 0) return;
    const { lets, isDead, hasStrays, process, now } = this.#ground;
    const truth: Truth = { call, leases, now: now(), lets, isDead, hasStrays, process };
    for (const event of told) this.#read(event, truth);
    this.#lastEvent = told.at(-1)?.id ?? 0;
    if (told.some(({ to }) => to === "queued")) this.#noteDeferrals();
  }

  #noteDeferrals(): void {
    for (const { id, available_at } of this.#ground.rows.runs()) {
      const book = this.#books.get(id as string);
      if (book !== undefined) book.availableAt = available_at as number;
    }
  }

  #read(event: StoreEvent, truth: Truth): void {
    const { kind, runId, taskId, from, to, token, reason } = event;
    this.#count(reason === null ? kind : `${kind} ${reason}`);
    if (to === null) return;
    const book = this.#books.get(runId);
    if (book === undefined) return this.#breach(`There is no run "${runId}"`);
    for (const promise of broken(event, book, truth)) {
      const about = taskId === null ? runId : `${runId}/${taskId}`;
      this.#breach(`${promise}: ${kind} of ${about}, ${from} → ${to}, token ${token}`);
    }
    enter(book, event);
  }

  #count(what: string): void {
    this.#counts.set(what, (this.#counts.get(what) ?? 0) + 1);
  }

  #breach(promise: string): void {
    this.#ground.onBreach(promise);
  }
}
