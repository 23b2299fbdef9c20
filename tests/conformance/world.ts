/**
 * What the conformance suite needs of a database, and a run of the queue as its cases drive it.
 *
 * @module
 */
import { assert, assertEquals } from "@std/assert";
import type { AttemptRow, Manifest, QueuedRun, QueuedTask, Task } from "../../src/model/mod.ts";
import type {
  AttemptRef,
  ClaimedRun,
  ClaimRequest,
  Latch,
  LeaseRef,
  ReapRequest,
  SettleResult,
  StartResult,
  Store,
  TaskVerdict,
} from "../../src/store/mod.ts";

/** A fence that a test sets. */
export class TestLatch implements Latch {
  /** Whether the swarm is stopped. */
  stopped = false;
  /** The current epoch. */
  current = 1;

  /** Whether nothing is at STOP. */
  isClear(): boolean {
    return !this.stopped;
  }

  /** The current epoch. */
  epoch(): number {
    return this.current;
  }

  /** A stop and a reset. */
  pass(): void {
    this.stopped = false;
    this.current++;
  }
}

/** An empty database, the fence before it, and the clock that it is judged by. */
export interface StoreWorld extends AsyncDisposable {
  /** A connection to it. */
  readonly store: Store;
  /** The fence of every connection. */
  readonly latch: TestLatch;
  /** Another connection to the same database; closed with the world. */
  connect(): Promise<Store>;
  /** Turns the database's clock on; back with a negative number. */
  advance(ms: number): void | Promise<void>;
  /** What every draw of chance gives from now on, in [0, 1). */
  draw(value: number): void;
}

/** Makes worlds of one database. */
export interface StoreFactory {
  /** The database, for the tests' names. */
  readonly name: string;
  /** Makes an empty one. */
  make(): Promise<StoreWorld>;
}

/** A task of a test's manifest. */
export interface TaskDraft {
  /** Tasks that it needs. */
  readonly needs?: readonly string[];
  /** Its passes, 1 by default. */
  readonly passes?: number;
  /** Attempts of a pass, 1 by default. */
  readonly maxAttempts?: number;
}

/** A case of the suite. */
export type Case = (scene: Scene) => Promise<void>;

/** The time of a lease in the cases. */
export const TTL_MS = 60_000;

/** The bounds of the cases' waits. */
export const BACKOFF = { baseMs: 1_000, maxMs: 8_000 } as const;

/** A manifest with a block for each task. */
export function manifestOf(drafts: Readonly<Record<string, TaskDraft>>): Manifest {
  const blocks: Record<string, Manifest["blocks"][string]> = {};
  const tasks = Object.entries(drafts).map(([id, draft]): Task => {
    const { needs = [], passes = 1, maxAttempts = 1 } = draft;
    const retry = { maxAttempts, backoffMs: BACKOFF.baseMs, maxBackoffMs: BACKOFF.maxMs };
    blocks[id] = { argv: ["work"], passes, timeoutMs: 1_000, env: [], cwd: "/", retry };
    return { id, block: id, args: [], needs, env: [] };
  });
  const limits = { maxPasses: 10, maxOutputBytes: 1_000, runTimeoutMs: 1_000 };
  return { version: 1, name: "test", workers: 1, limits, env: [], inheritEnv: [], blocks, tasks };
}

/** An output of an attempt. */
export function outputOf(path: string): { path: string; bytes: number; digest: string } {
  return { path, bytes: 3, digest: "0a".repeat(32) };
}

/** A success. */
export const SUCCEEDED: Extract<TaskVerdict, { kind: "succeeded" }> = {
  kind: "succeeded",
  output: null,
  exitCode: 0,
};

/** A failure after which another attempt can help. */
export const FAILED: Extract<TaskVerdict, { kind: "failed" }> = {
  kind: "failed",
  reason: "TASK_FAILED_EXIT",
  message: "Exit code 1",
  retryable: true,
  exitCode: 1,
};

/** What was started. */
export type Started = Extract<StartResult, { kind: "started" }>;

/** A world with the steps that most cases take. */
export class Scene {
  /** The world. */
  readonly world: StoreWorld;

  /** Sets the scene. */
  constructor(world: StoreWorld) {
    this.world = world;
  }

  /** The connection. */
  get store(): Store {
    return this.world.store;
  }

  /** The fence. */
  get latch(): TestLatch {
    return this.world.latch;
  }

  /** Queues a run. */
  async submit(
    runId: string,
    drafts: Readonly<Record<string, TaskDraft>> = { a: {} },
    priority: number = 0,
  ): Promise<void> {
    const manifest = manifestOf(drafts);
    const epoch = this.latch.current;
    const result = await this.store.submit({ runId, key: null, priority, epoch, manifest });
    assertEquals(result, { kind: "submitted", runId });
  }

  /** What a claim comes to. */
  claimResult(request: Partial<ClaimRequest> = {}): ReturnType<Store["claim"]> {
    const epoch = this.latch.current;
    return this.store.claim({ owner: "one", epoch, leaseTtlMs: TTL_MS, ...request });
  }

  /** Claims a run. */
  async claim(request: Partial<ClaimRequest> = {}): Promise<ClaimedRun> {
    const result = await this.claimResult(request);
    assert(result.kind === "claimed", `The claim came to ${JSON.stringify(result)}`);
    return result;
  }

  /** Queues a run and claims it. */
  async claimed(
    runId: string,
    drafts: Readonly<Record<string, TaskDraft>> = { a: {} },
  ): Promise<LeaseRef> {
    await this.submit(runId, drafts);
    return (await this.claim({ runId })).ref;
  }

  /** Starts a task. */
  async start(ref: LeaseRef, taskId: string = "a"): Promise<AttemptRef & Started> {
    const result = await this.store.startTask(ref, taskId);
    assert(result.kind === "started", `The start came to ${JSON.stringify(result)}`);
    return { taskId, ...result };
  }

  /** Starts a task and settles it. */
  async settle(
    ref: LeaseRef,
    taskId: string = "a",
    verdict: TaskVerdict = SUCCEEDED,
  ): Promise<Extract<SettleResult, { kind: "settled" }>> {
    const result = await this.store.settleTask(ref, await this.start(ref, taskId), verdict);
    assert(result.kind === "settled", `The settlement came to ${JSON.stringify(result)}`);
    return result;
  }

  /** Sweeps. */
  reap(request: Partial<ReapRequest> = {}): ReturnType<Store["reap"]> {
    return this.store.reap({ ...this.terms(), ...request });
  }

  /** How losses are judged. */
  terms(gone: readonly string[] = []): ReapRequest {
    const epoch = this.latch.current;
    return { epoch, allowanceMs: 0, backoff: BACKOFF, maxCrashCount: 3, gone };
  }

  /** A run. */
  async run(runId: string): Promise<QueuedRun> {
    const result = await this.store.run(runId);
    assert(result.kind === "found", `Run "${runId}" is not there`);
    return result.run;
  }

  /** A task. */
  async task(runId: string, taskId: string = "a"): Promise<QueuedTask> {
    const task = (await this.store.tasks(runId)).find(({ id }) => id === taskId);
    assert(task !== undefined, `Task "${taskId}" is not there`);
    return task;
  }

  /** The states of a run and of its tasks, in the manifest's order. */
  async states(runId: string): Promise<string[]> {
    const tasks = await this.store.tasks(runId);
    return [(await this.run(runId)).state, ...tasks.map(({ state }) => state)];
  }

  /** The attempts of a run, shortened. */
  async attempts(runId: string): Promise<string[]> {
    const text = ({ taskId, pass, attempt, state }: AttemptRow) =>
      `${taskId}.${pass}.${attempt} ${state}`;
    return (await this.store.attempts(runId)).map(text);
  }

  /** The kinds of a run's events, with the task. */
  async events(runId: string): Promise<string[]> {
    const events = await this.store.events(runId, 0);
    return events.map(({ kind, taskId }) => taskId === null ? kind : `${kind} ${taskId}`);
  }

  /** Asserts that a write changes nothing: no event is added. */
  async unchanged(runId: string, write: () => Promise<unknown>): Promise<void> {
    const before = [await this.run(runId), await this.store.tasks(runId), await this.events(runId)];
    await write();
    const after = [await this.run(runId), await this.store.tasks(runId), await this.events(runId)];
    assertEquals(after, before);
  }
}
