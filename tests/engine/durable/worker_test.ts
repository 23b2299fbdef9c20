import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { Worker, type WorkerNotice, type WorkerOptions } from "../../../src/engine/durable/mod.ts";
import { functionExecutor, requestStop, resetStop } from "../../../src/engine/mod.ts";
import { readHolders } from "../../../src/fence/mod.ts";
import { SkeinError, StoppedError } from "../../../src/model/mod.ts";
import { latchOfState, openQueue } from "../../../src/engine/durable/mod.ts";
import type { Store } from "../../../src/store/mod.ts";
import { temporaryFolder } from "../../support/cli.ts";
import { FaultyStore } from "./faulty_store.ts";
import { Puppet } from "./puppet.ts";
import { TestClock } from "./test_clock.ts";
import { manifestOf, type TaskDraft } from "./world.ts";

/** A real state directory with a queue, whose workers' time a test turns. */
class Hall implements AsyncDisposable {
  readonly clock = new TestClock();
  readonly notices: WorkerNotice[] = [];
  readonly #temporary = temporaryFolder();
  readonly #workers: Worker[] = [];
  #store: Store | null = null;

  get folder(): string {
    return Deno.realPathSync(this.#temporary.path);
  }

  get store(): Store {
    assert(this.#store !== null);
    return this.#store;
  }

  static async make(): Promise<Hall> {
    const hall = new Hall();
    hall.#store = await openQueue(hall.folder, { clock: hall.clock });
    return hall;
  }

  worker(options: Partial<WorkerOptions> = {}): Worker {
    const worker = new Worker({
      stateDir: this.folder,
      logRoot: null,
      clock: this.clock,
      onNotice: (notice) => this.notices.push(notice),
      ...options,
    });
    this.#workers.push(worker);
    return worker;
  }

  async submit(runId: string, drafts: Record<string, TaskDraft> = { a: {} }): Promise<void> {
    const manifest = manifestOf(drafts);
    const epoch = latchOfState(this.folder).epoch();
    const result = await this.store.submit({ runId, key: null, priority: 0, epoch, manifest });
    assertEquals(result.kind, "submitted");
    await this.clock.advance(1);
  }

  async states(): Promise<string[]> {
    const runs = await this.store.runs({ limit: 100 });
    return runs.map(({ id, state, crashCount }) => `${id} ${state} ${crashCount}`).sort();
  }

  kinds(): string[] {
    return this.notices.map(({ kind }) => kind);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const worker of this.#workers) {
      void worker.stop().catch(() => {});
      await worker.stop().catch(() => {});
    }
    await this.#store?.close();
    this.#temporary[Symbol.dispose]();
  }
}

Deno.test("A worker executes what is queued and ends when nothing waits any more", async () => {
  await using hall = await Hall.make();
  for (const id of ["r1", "r2", "r3"]) await hall.submit(id);
  const worker = hall.worker({ until: "idle", executor: functionExecutor(() => {}) });
  await Promise.all([worker.start(), worker.start()]);
  assertEquals(await worker.done, {
    why: "idle",
    executed: 3,
    last: { kind: "finished", runId: "r3", state: "succeeded", reason: null },
  });
  assertEquals(await hall.states(), ["r1 succeeded 0", "r2 succeeded 0", "r3 succeeded 0"]);
  assertEquals(readHolders(hall.folder), { live: [], dead: [], problems: [] });
  assertEquals(await hall.store.executors(), []);
  assertEquals((await hall.store.roles()).map(({ owner }) => owner), [null]);
  assertEquals(await hall.store.fsck(), []);
});

Deno.test("A worker waits for a run that is due later, and notices one that is submitted later", async () => {
  await using hall = await Hall.make();
  await hall.submit("r1", { a: { maxAttempts: 2 } });
  const puppet = new Puppet();
  const worker = hall.worker({ until: "idle", executor: puppet });
  await worker.start();
  await hall.clock.settle();
  await hall.submit("r2");
  puppet.end("a");
  await hall.clock.settle();
  assertEquals(puppet.begun.length, 2);
  puppet.end("a");
  assertEquals((await worker.done).executed, 2);
});

Deno.test("A worker with `once` executes one run, or none where none is due", async () => {
  await using hall = await Hall.make();
  const none = hall.worker({ until: "once" });
  await none.start();
  assertEquals(await none.done, { why: "once", executed: 0, last: null });
  await hall.submit("r1");
  await hall.submit("r2");
  const executor = functionExecutor(() => Promise.reject(new Error("no")));
  const once = hall.worker({ until: "once", executor });
  await once.start();
  const { why, executed, last } = await once.done;
  assertEquals([why, executed], ["once", 1]);
  assert(last?.kind === "finished" && last.runId === "r1" && last.state === "failed");
  assertEquals(await hall.states(), ["r1 failed 0", "r2 queued 0"]);
});

Deno.test("A worker holds as many runs as its concurrency, and keeps them alive (G8, G12)", async () => {
  await using hall = await Hall.make();
  for (const id of ["a", "b", "c"]) await hall.submit(id, { [id]: {} });
  const puppet = new Puppet();
  const worker = hall.worker({ until: "idle", concurrency: 2, executor: puppet });
  await worker.start();
  await hall.clock.advance(300_000);
  assertEquals([...puppet.live.keys()], ["a", "b"]);
  assertEquals(puppet.aborted, []);
  puppet.end("a");
  await hall.clock.settle();
  assertEquals([...puppet.live.keys()], ["b", "c"]);
  puppet.end("b");
  puppet.end("c");
  assertEquals((await worker.done).executed, 3);
  assertThrows(() => hall.worker({ concurrency: 0 }), SkeinError);
});

Deno.test("The first stop of a worker drains within the grace, and the second kills", async () => {
  await using hall = await Hall.make();
  await hall.submit("r1", { a: {}, b: { needs: ["a"] } });
  await hall.submit("r2");
  const puppet = new Puppet();
  const worker = hall.worker({ executor: puppet, drainGraceMs: 20_000 });
  await worker.start();
  await hall.clock.settle();
  const stopping = worker.stop();
  await hall.clock.advance(14_999);
  assertEquals(puppet.aborted, []);
  void worker.stop();
  assertEquals(puppet.aborted, ["a.1.1 cancel 0"]);
  const { why, last } = await stopping;
  assertEquals([why, last?.kind], ["drained", "handed-back"]);
  assertEquals(hall.kinds(), ["claimed", "draining", "ended"]);
  assertEquals(await hall.states(), ["r1 queued 0", "r2 queued 0"]);
  assertEquals(await hall.store.fsck(), []);
});

Deno.test("A worker drains when it is asked to through the store", async () => {
  await using hall = await Hall.make();
  await hall.submit("r1");
  const puppet = new Puppet();
  const worker = hall.worker({ executor: puppet });
  await worker.start();
  await hall.clock.settle();
  assertEquals(await hall.store.requestDrain(worker.owner), 1);
  await hall.clock.advance(2_000);
  puppet.end("a");
  const { why, executed } = await worker.done;
  assertEquals([why, executed], ["drained", 1]);
  assertEquals(await hall.states(), ["r1 succeeded 0"]);
});

Deno.test("A stop ends a worker and everything it holds, and `retry` reopens one run at the new epoch (G1)", async () => {
  await using hall = await Hall.make();
  for (const id of ["r1", "r2", "r3", "r4"]) await hall.submit(id);
  const puppet = new Puppet();
  const worker = hall.worker({ concurrency: 2, executor: puppet });
  await worker.start();
  await hall.clock.settle();
  await requestStop(hall.folder, { reason: "test" });
  const { why } = await worker.done;
  assertEquals(why, "stopped");
  assertEquals(puppet.aborted, ["a.1.1 stop 0", "a.1.1 stop 0"]);
  assertEquals(puppet.finished, ["r1#1", "r2#1"]);
  assertEquals(await hall.states(), [
    "r1 stopped 0",
    "r2 stopped 0",
    "r3 stopped 0",
    "r4 stopped 0",
  ]);
  assertEquals(readHolders(hall.folder).live, []);
  assertEquals(await hall.store.executors(), []);
  await assertRejects(() => hall.worker().start(), StoppedError);
  assertEquals((await resetStop(hall.folder)).result, { kind: "reset", epoch: 2 });
  const idle = hall.worker({ until: "idle", executor: puppet });
  await idle.start();
  assertEquals((await idle.done).executed, 0);
  const retry = await hall.store.retry("r3", { epoch: 2, failedOnly: false, by: "me" });
  assertEquals(retry, { kind: "requeued", round: 2, reopened: 1 });
  const again = hall.worker({ until: "idle", executor: functionExecutor(() => {}) });
  await again.start();
  assertEquals((await again.done).executed, 1);
  assertEquals((await hall.states())[2], "r3 succeeded 0");
  assertEquals(await hall.store.fsck(), []);
});

Deno.test("A worker closes what an older epoch has left as soon as it starts", async () => {
  await using hall = await Hall.make();
  await hall.submit("r1");
  await requestStop(hall.folder);
  await resetStop(hall.folder);
  await hall.submit("r2");
  const worker = hall.worker({ until: "idle", executor: functionExecutor(() => {}) });
  await worker.start();
  await worker.done;
  assertEquals(await hall.states(), ["r1 stopped 0", "r2 succeeded 0"]);
});

Deno.test("A worker refuses a queue that has seen a higher epoch than its state directory (G2)", async () => {
  await using hall = await Hall.make();
  await hall.store.raiseEpoch(7);
  const error = await assertRejects(() => hall.worker().start(), SkeinError);
  assertEquals(error.code, "state-corrupt");
  assertEquals(readHolders(hall.folder).live, []);
});

Deno.test("The leader takes the runs of a worker that died and counts the death, within ttl, interval and allowance (G8, G9)", async () => {
  await using hall = await Hall.make();
  await hall.submit("r1", { a: { maxAttempts: 2 } });
  const host = Deno.hostname();
  const process = { bootId: "", pidNamespace: "", pid: 1, startTime: "" };
  const dead = { owner: "dead", host, holderId: "gone", process, epoch: 1, concurrency: 1 };
  await hall.store.registerExecutor(dead);
  await hall.store.claim({ owner: "dead", epoch: 1, leaseTtlMs: 60_000 });
  const puppet = new Puppet();
  const leader = hall.worker({ executor: puppet });
  const other = hall.worker({ executor: puppet });
  await leader.start();
  await other.start();
  await hall.clock.advance(60_000 + 5_000 + 10_000);
  const reaped = hall.notices.filter((notice) => notice.kind === "reaped");
  assertEquals(reaped.map(({ run }) => [run.ref.owner, run.crashed]), [["dead", true]]);
  await hall.clock.advance(2_000);
  assertEquals(puppet.begun, ["a.1.1"]);
  puppet.end("a");
  await hall.clock.settle();
  assertEquals(await hall.states(), ["r1 succeeded 1"]);
  assertEquals((await hall.store.executors()).length, 2);
});

Deno.test("The leader waits one ttl before it reaps after a jump of the clock", async () => {
  await using hall = await Hall.make();
  await hall.submit("r1");
  await hall.store.claim({ owner: "elsewhere", epoch: 1, leaseTtlMs: 60_000 });
  const worker = hall.worker({ executor: new Puppet() });
  await worker.start();
  await hall.clock.advance(15_000);
  hall.clock.jump(3_600_000);
  await hall.clock.advance(59_000);
  assertEquals(hall.kinds(), []);
  await hall.clock.advance(20_000);
  assertEquals(hall.kinds(), ["reaped", "claimed"]);
});

Deno.test("A store outage ends no worker: it pauses, and goes on", async () => {
  await using hall = await Hall.make();
  let faulty: FaultyStore | null = null;
  const worker = hall.worker({
    until: "idle",
    executor: functionExecutor(() => {}),
    openStore: async (latch) => {
      faulty = new FaultyStore(await openQueue(hall.folder, { clock: hall.clock, latch }));
      faulty.fail("claim", "unreachable", "unreachable");
      return faulty.store;
    },
  });
  await hall.submit("r1");
  await worker.start();
  await hall.clock.advance(2_000 + 3_999);
  assertEquals(await hall.states(), ["r1 queued 0"]);
  await hall.clock.advance(1);
  assertEquals((await worker.done).executed, 1);
  assertEquals(hall.kinds().filter((kind) => kind === "trouble").length, 2);
});

Deno.test("A worker prunes what is beyond what is kept, with its folder", async () => {
  await using hall = await Hall.make();
  for (const id of ["r1", "r2", "r3"]) await hall.submit(id);
  const executor = functionExecutor(({ lease }) => lease.runId);
  const settings = { executor, logRoot: hall.folder, sync: false } as const;
  const worker = hall.worker({ ...settings, until: "idle", keep: null });
  await worker.start();
  await worker.done;
  const folders = () => Array.from(Deno.readDirSync(`${hall.folder}/runs`), ({ name }) => name);
  assertEquals(folders().sort(), ["r1", "r2", "r3"]);
  const pruner = hall.worker({ ...settings, until: "idle", keep: { keepRuns: 1 } });
  await pruner.start();
  await pruner.done;
  assertEquals(folders(), ["r3"]);
  assertEquals(await hall.states(), ["r3 succeeded 0"]);
});
