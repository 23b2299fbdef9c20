import type {
  AttemptRow,
  HandBackReason,
  Manifest,
  QueuedRun,
  QueuedTask,
  StoreEvent,
} from "../../model/mod.ts";
import type {
  AttemptRef,
  ClaimRequest,
  ClaimResult,
  FinishRequest,
  FinishResult,
  LeaseRef,
  RenewResult,
  SettleResult,
  StartResult,
  TaskVerdict,
} from "../claims.ts";
import type { ExecutorRow, Registration, RoleRow } from "../executors.ts";
import type { LossTerms, ReapedRun, ReapRequest, RecoverResult } from "../losses.ts";
import type { StoreOptions } from "../open.ts";
import type {
  CancelResult,
  ClosedRun,
  RetryRequest,
  RetryResult,
  Submission,
  SubmitResult,
} from "../operators.ts";
import type {
  PruneRequest,
  PruneResult,
  QueueCounts,
  RunFilter,
  RunLookup,
  Violation,
} from "../queries.ts";
import type { Latch, Store } from "../store.ts";
import { settleTask, startTask } from "./attempts.ts";
import { cancelRequested, claim, refuseNote, renew } from "./claims.ts";
import { Connection } from "./connection.ts";
import { finishRun, handBack } from "./endings.ts";
import { highestEpoch, raiseEpoch } from "./epochs.ts";
import { events } from "./events.ts";
import {
  drainRequested,
  endExecutor,
  executors,
  heartbeat,
  registerExecutor,
  requestDrain,
} from "./executors.ts";
import { fsck } from "./fsck/mod.ts";
import type { Ground } from "./ground.ts";
import { closeOutdated, lose, lost, outdated } from "./losses.ts";
import { migrate, stepsOf } from "./migrations.ts";
import { cancel, retry, submit } from "./operators.ts";
import { prune } from "./pruning.ts";
import { attemptsOf, counts, lookUp, readManifest, runs, tasksOf } from "./reads.ts";
import { acquireRole, releaseRole, renewRole, roles } from "./roles.ts";

/** Pages of the log after which SQLite moves it into the database by itself. */
const CHECKPOINT_PAGES = 4_000;

/** The queue in a file of SQLite: each method is one transaction of the file of its subject. */
export class SqliteStore implements Store {
  readonly #connection: Connection;
  readonly #ground: Ground;

  private constructor(connection: Connection, latch: Latch) {
    this.#connection = connection;
    this.#ground = { connection, latch };
  }

  /** Opens it, and brings it to this version's schema. */
  static async open(options: StoreOptions): Promise<SqliteStore> {
    const connection = new Connection(options);
    try {
      const level = options.durability === "full" ? "FULL" : "NORMAL";
      await stepsOf(connection);
      await connection.useLog();
      await connection.execute(`PRAGMA synchronous = ${level}`);
      await connection.execute(`PRAGMA wal_autocheckpoint = ${CHECKPOINT_PAGES}`);
      await migrate(connection);
    } catch (error) {
      connection.close();
      throw error;
    }
    return new SqliteStore(connection, options.latch);
  }

  submit(submission: Submission): Promise<SubmitResult> {
    const body = JSON.stringify(submission.manifest);
    return this.#connection.write("submit", () => submit(this.#ground, submission, body));
  }

  async claim(request: ClaimRequest): Promise<ClaimResult> {
    const result = await this.#connection.write("claim", () => claim(this.#ground, request));
    if (result.kind !== "claimed") return result;
    // Nobody waits for the lock while a large text is read.
    const { body, ...claimed } = result;
    return { ...claimed, manifest: JSON.parse(body) };
  }

  startTask(ref: LeaseRef, taskId: string): Promise<StartResult> {
    return this.#connection.write("start", () => startTask(this.#ground, ref, taskId));
  }

  settleTask(ref: LeaseRef, attempt: AttemptRef, verdict: TaskVerdict): Promise<SettleResult> {
    return this.#connection.write("settle", () => settleTask(this.#ground, ref, attempt, verdict));
  }

  finishRun(ref: LeaseRef, request: FinishRequest = {}): Promise<FinishResult> {
    return this.#connection.write("finish", () => finishRun(this.#ground, ref, request));
  }

  renew(refs: readonly LeaseRef[], leaseTtlMs: number): Promise<RenewResult> {
    return this.#connection.write("renew", () => renew(this.#ground, refs, leaseTtlMs));
  }

  handBack(ref: LeaseRef, reason: HandBackReason): Promise<boolean> {
    return this.#connection.write("drain", () => handBack(this.#ground, ref, reason));
  }

  cancelRequested(refs: readonly LeaseRef[]): Promise<LeaseRef[]> {
    return this.#connection.read(() => cancelRequested(this.#ground, refs));
  }

  refuseNote(
    ref: LeaseRef,
    attempt: AttemptRef | null,
    why: "stale" | "stopped",
    message: string,
  ): Promise<void> {
    return this.#connection.write(
      "upkeep",
      () => refuseNote(this.#ground, ref, attempt, why, message),
    );
  }

  async reap(request: ReapRequest): Promise<ReapedRun[]> {
    const { limit = -1 } = request;
    const reaped: ReapedRun[] = [];
    for (const runId of await this.#connection.read(() => lost(this.#ground, request, limit))) {
      const result = await this.#connection.write("reap", () => lose(this.#ground, runId, request));
      if (result.kind !== "recovered") continue;
      const { kind: _kind, ...run } = result;
      reaped.push(run);
    }
    return reaped;
  }

  recover(runId: string, terms: LossTerms): Promise<RecoverResult> {
    return this.#connection.write("recover", () => lose(this.#ground, runId, terms));
  }

  async closeStopped(epoch: number): Promise<ClosedRun[]> {
    const closed: ClosedRun[] = [];
    for (const runId of await this.#connection.read(() => outdated(this.#ground, epoch))) {
      const run = await this.#connection.write(
        "upkeep",
        () => closeOutdated(this.#ground, runId, epoch),
      );
      if (run !== null) closed.push(run);
    }
    return closed;
  }

  cancel(runId: string, by: string): Promise<CancelResult> {
    return this.#connection.write("cancel", () => cancel(this.#ground, runId, by));
  }

  retry(runId: string, request: RetryRequest): Promise<RetryResult> {
    return this.#connection.write("retry", () => retry(this.#ground, runId, request));
  }

  requestDrain(owner: string | null): Promise<number> {
    return this.#connection.write("upkeep", () => requestDrain(this.#connection, owner));
  }

  drainRequested(owner: string): Promise<boolean> {
    return this.#connection.read(() => drainRequested(this.#connection, owner));
  }

  registerExecutor(registration: Registration): Promise<void> {
    return this.#connection.write(
      "upkeep",
      () => registerExecutor(this.#connection, registration),
    );
  }

  heartbeat(owner: string): Promise<boolean> {
    return this.#connection.write("upkeep", () => heartbeat(this.#connection, owner));
  }

  endExecutor(owner: string): Promise<void> {
    return this.#connection.write("upkeep", () => endExecutor(this.#connection, owner));
  }

  executors(): Promise<ExecutorRow[]> {
    return this.#connection.read(() => executors(this.#connection));
  }

  acquireRole(name: string, owner: string, ttlMs: number): Promise<number | null> {
    return this.#connection.write(
      "upkeep",
      () => acquireRole(this.#connection, name, owner, ttlMs),
    );
  }

  renewRole(name: string, owner: string, token: number, ttlMs: number): Promise<boolean> {
    return this.#connection.write(
      "upkeep",
      () => renewRole(this.#connection, name, owner, token, ttlMs),
    );
  }

  releaseRole(name: string, owner: string, token: number): Promise<boolean> {
    return this.#connection.write(
      "upkeep",
      () => releaseRole(this.#connection, name, owner, token),
    );
  }

  roles(): Promise<RoleRow[]> {
    return this.#connection.read(() => roles(this.#connection));
  }

  runs(filter: RunFilter): Promise<QueuedRun[]> {
    return this.#connection.read(() => runs(this.#ground, filter));
  }

  run(idOrPrefix: string): Promise<RunLookup> {
    return this.#connection.read(() => lookUp(this.#ground, idOrPrefix));
  }

  manifest(runId: string): Promise<Manifest | null> {
    return this.#connection.read(() => readManifest(this.#ground, runId));
  }

  tasks(runId: string): Promise<QueuedTask[]> {
    return this.#connection.read(() => tasksOf(this.#ground, runId));
  }

  attempts(runId: string): Promise<AttemptRow[]> {
    return this.#connection.read(() => attemptsOf(this.#ground, runId));
  }

  events(runId: string, after: number, limit: number = -1): Promise<StoreEvent[]> {
    return this.#connection.read(() => events(this.#connection, runId, after, limit));
  }

  counts(): Promise<QueueCounts> {
    return this.#connection.read(() => counts(this.#ground));
  }

  highestEpoch(): Promise<number> {
    return this.#connection.read(() => highestEpoch(this.#connection));
  }

  raiseEpoch(epoch: number): Promise<void> {
    return this.#connection.write("upkeep", () => raiseEpoch(this.#connection, epoch));
  }

  prune(request: PruneRequest): Promise<PruneResult> {
    return this.#connection.write("upkeep", () => prune(this.#ground, request));
  }

  async checkpoint(): Promise<void> {
    // What a reader keeps stays in the log; only the statement itself must not fail.
    await this.#connection.execute("PRAGMA wal_checkpoint(PASSIVE)");
  }

  fsck(): Promise<Violation[]> {
    return fsck(this.#connection);
  }

  close(): Promise<void> {
    this.#connection.close();
    return Promise.resolve();
  }
}
