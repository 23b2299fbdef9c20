/**
 * A queue on a real database, with a clock that the test turns and a fence that it sets.
 *
 * @module
 */
import { assert, assertEquals } from "@std/assert";
import type { Rng } from "../../../src/clock/mod.ts";
import {
  Engine,
  type EngineFence,
  type EngineNotice,
  type EngineOptions,
  type OlderProcesses,
  type OngoingRun,
} from "../../../src/engine/durable/mod.ts";
import {
  type Block,
  type Lease,
  leaseValid,
  type Manifest,
  type QueuedRun,
  type Task,
} from "../../../src/model/mod.ts";
import { type Latch, openStore, type Store } from "../../../src/store/mod.ts";
import { temporaryFolder } from "../../support/cli.ts";
import { Puppet } from "./puppet.ts";
import { TestClock } from "./test_clock.ts";

/** The ttl of every engine here. */
export const TTL_MS = 60_000;

/** The fence of a swarm, which a test sets. */
export class TestSwarm implements Latch {
  #stopped = false;
  #epoch = 1;

  isClear(): boolean {
    return !this.#stopped;
  }

  epoch(): number {
    return this.#epoch;
  }

  /** Latches. */
  stop(): void {
    this.#stopped = true;
    this.#epoch++;
  }

  /** Clears the latch. */
  reset(): void {
    this.#stopped = false;
  }

  /** A newcomer's fence. */
  enter(stateDir: string): EngineFence {
    const check = (lease: Lease) => this.isClear() && leaseValid(lease, this.#epoch);
    return {
      stateDir,
      swarm: "swarm",
      epoch: this.#epoch,
      check,
      recheck: check,
      isClear: () => this.isClear(),
    };
  }
}

/** A task of a test's manifest. */
export interface TaskDraft extends Partial<Omit<Task, "id" | "block">> {
  /** The attempts that each of its passes may have; 1 by default. */
  readonly maxAttempts?: number;
  /** The bound of the waits between them; 1,000 by default. */
  readonly backoffMs?: number;
  /** Its command. */
  readonly argv?: readonly string[];
}

/** A manifest with a block for each task. */
export function manifestOf(
  drafts: Readonly<Record<string, TaskDraft>>,
  runTimeoutMs: number = 86_400_000,
): Manifest {
  const blocks: Record<string, Block> = {};
  const tasks = Object.entries(drafts).map(([id, draft]): Task => {
    const { maxAttempts = 1, backoffMs = 1_000, argv = ["work"], ...task } = draft;
    const retry = { maxAttempts, backoffMs, maxBackoffMs: backoffMs };
    blocks[id] = { argv, passes: 1, timeoutMs: 3_600_000, env: [], cwd: "/", retry };
    return { id, block: id, args: [], needs: [], env: [], ...task };
  });
  const limits = { maxPasses: 10, maxOutputBytes: 1_000_000, runTimeoutMs };
  return { version: 1, name: "test", workers: 4, limits, env: [], inheritEnv: [], blocks, tasks };
}

/** Chance that is always the middle. */
const HALF: Rng = { next: () => 0.5 };

/** A database, its clock and its fence. */
export class World implements AsyncDisposable {
  /** Time. */
  readonly clock: TestClock = new TestClock();
  /** The fence. */
  readonly swarm: TestSwarm = new TestSwarm();
  /** The state directory. */
  readonly folder: string;
  /** What the engines have told. */
  readonly notices: EngineNotice[] = [];
  /** The lowest tokens below which trees were ended, as `run<token`. */
  readonly ended: string[] = [];
  readonly #temporary = temporaryFolder();
  readonly #stores: Store[] = [];
  #store: Store | null = null;
  #engines = 0;

  private constructor() {
    this.folder = this.#temporary.path;
  }

  /** Makes an empty one. */
  static async make(): Promise<World> {
    const world = new World();
    world.#store = await world.connect();
    return world;
  }

  /** The test's own connection. */
  get store(): Store {
    assert(this.#store !== null);
    return this.#store;
  }

  /** Another connection. */
  async connect(): Promise<Store> {
    const { clock, swarm: latch, folder } = this;
    const store = await openStore({ path: `${folder}/queue.db`, clock, rng: HALF, latch });
    this.#stores.push(store);
    return store;
  }

  /** What ends older trees: it notes what it was asked for. */
  readonly processes: OlderProcesses = {
    end: ({ below }) => {
      for (const [runId, token] of below) this.ended.push(`${runId}<${token}`);
      return Promise.resolve({ killed: 0, survivors: [], failed: [] });
    },
  };

  /** An engine of its own process, with artifacts in memory. */
  engine(options: Partial<EngineOptions> = {}): Engine {
    return new Engine({
      store: this.store,
      fence: this.swarm.enter(this.folder),
      owner: `engine-${++this.#engines}`,
      clock: this.clock,
      rng: HALF,
      logRoot: null,
      processes: this.processes,
      onNotice: (notice) => this.notices.push(notice),
      ...options,
    });
  }

  /** An engine with a puppet. */
  puppeteer(options: Partial<EngineOptions> = {}): { engine: Engine; puppet: Puppet } {
    const puppet = new Puppet();
    return { puppet, engine: this.engine({ executor: puppet, ...options }) };
  }

  /** Queues a run. */
  async submit(
    runId: string,
    drafts: Readonly<Record<string, TaskDraft>> = { a: {} },
    runTimeoutMs?: number,
  ): Promise<void> {
    const manifest = manifestOf(drafts, runTimeoutMs);
    const epoch = this.swarm.epoch();
    const result = await this.store.submit({ runId, key: null, priority: 0, epoch, manifest });
    assertEquals(result, { kind: "submitted", runId });
  }

  /** Begins to execute a run. */
  async begin(engine: Engine, runId?: string): Promise<OngoingRun> {
    const begun = await engine.begin(runId === undefined ? {} : { runId });
    assert(begun.kind === "begun", `The claim came to ${JSON.stringify(begun)}`);
    await this.clock.settle();
    return begun.run;
  }

  /** A run. */
  async run(runId: string): Promise<QueuedRun> {
    const result = await this.store.run(runId);
    assert(result.kind === "found", `Run "${runId}" is not there`);
    return result.run;
  }

  /** The states of a run and of its tasks. */
  async states(runId: string): Promise<string[]> {
    const tasks = await this.store.tasks(runId);
    return [(await this.run(runId)).state, ...tasks.map(({ state }) => state)];
  }

  /** The attempts of a run, shortened. */
  async attempts(runId: string): Promise<string[]> {
    const attempts = await this.store.attempts(runId);
    return attempts.map(({ taskId, pass, attempt, state }) =>
      `${taskId}.${pass}.${attempt} ${state}`
    );
  }

  /** The refused writes of a run. */
  async refusals(runId: string): Promise<string[]> {
    const events = await this.store.events(runId, 0);
    return events.filter(({ kind }) => kind === "write-refused")
      .map(({ taskId, token, reason }) => `${taskId ?? "run"}#${token} ${reason}`);
  }

  /** Nothing is broken, by the store's own look. */
  async sound(): Promise<void> {
    assertEquals(await this.store.fsck(), []);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const store of this.#stores) await store.close();
    this.#temporary[Symbol.dispose]();
  }
}
