import { assert, assertEquals, assertThrows } from "@std/assert";
import { Engine } from "../../../src/engine/durable/mod.ts";
import { functionExecutor } from "../../../src/engine/mod.ts";
import { SkeinError } from "../../../src/model/mod.ts";
import { TTL_MS, World } from "./world.ts";

Deno.test("executeRun() drives a run to its verdict, each task after its needs (G10)", async () => {
  await using world = await World.make();
  await world.submit("r", { a: {}, b: { needs: ["a"] }, c: { needs: ["b"], passes: 2 } });
  const order: string[] = [];
  const executor = functionExecutor(({ lease }) => {
    order.push(`${lease.taskId}.${lease.pass}#${lease.sequence} token ${lease.token}`);
  });
  const engine = world.engine({ executor });
  assertEquals(await engine.executeRun("r"), {
    kind: "finished",
    runId: "r",
    state: "succeeded",
    reason: null,
  });
  assertEquals(order, ["a.1#1 token 1", "b.1#2 token 1", "c.1#3 token 1", "c.2#4 token 1"]);
  assertEquals(await world.states("r"), ["succeeded", "succeeded", "succeeded", "succeeded"]);
  assertEquals(engine.heldLease("r"), null);
  assertEquals(world.clock.sleeping, 0);
  await world.sound();
});

Deno.test("executeRun() without a run takes the first of the queue, and says when there is none", async () => {
  await using world = await World.make();
  const engine = world.engine({ executor: functionExecutor(() => {}) });
  const { at } = await world.store.counts();
  assertEquals(await engine.executeRun(), { kind: "none", nextAt: null, at });
  await world.submit("r1");
  await world.clock.advance(1);
  await world.submit("r2");
  assert((await engine.executeRun()).kind === "finished");
  assertEquals([await world.states("r1"), await world.states("r2")], [
    ["succeeded", "succeeded"],
    ["queued", "pending"],
  ]);
  assertEquals(await engine.executeRun("r1"), {
    kind: "refused",
    runId: "r1",
    why: "not-queued",
    availableAt: null,
  });
});

Deno.test("executeRun() runs tasks concurrently, up to the run's workers (G12)", async () => {
  await using world = await World.make();
  await world.submit("r", { a: {}, b: {}, c: {}, d: {}, e: {}, f: { needs: ["a"] } });
  const { engine, puppet } = world.puppeteer();
  const run = await world.begin(engine);
  assertEquals([...puppet.live.keys()], ["a", "b", "c", "d"]);
  puppet.end("a");
  await world.clock.settle();
  assertEquals([...puppet.live.keys()], ["b", "c", "d", "e"]);
  for (const task of ["b", "c", "d", "e"]) puppet.end(task);
  await world.clock.settle();
  puppet.end("f");
  assertEquals((await run.done).kind, "finished");
});

Deno.test("executeRun() gives a failed pass its next attempt after the backoff, and fails the run when none is left", async () => {
  await using world = await World.make();
  await world.submit("r", { a: { maxAttempts: 2 }, b: { needs: ["a"] }, c: {} });
  const { engine, puppet } = world.puppeteer();
  const run = await world.begin(engine);
  puppet.end("c");
  puppet.end("a", { kind: "exited", code: 7 });
  await world.clock.settle();
  assertEquals(puppet.begun, ["a.1.1", "c.1.1"]);
  await world.clock.advance(499);
  assertEquals(puppet.begun.length, 2);
  await world.clock.advance(1);
  assertEquals(puppet.begun, ["a.1.1", "c.1.1", "a.1.2"]);
  puppet.end("a", { kind: "exited", code: 8 });
  assertEquals(await run.done, {
    kind: "finished",
    runId: "r",
    state: "failed",
    reason: "RUN_FAILED_TASKS",
  });
  assertEquals(await world.states("r"), ["failed", "failed", "skipped", "succeeded"]);
  const [first] = await world.store.attempts("r");
  assertEquals([first?.exitCode, first?.reason], [7, "TASK_FAILED_EXIT"]);
  await world.sound();
});

Deno.test("executeRun() fails an attempt whose executor throws, gives up by itself or returns no outcome", async () => {
  await using world = await World.make();
  await world.submit("r", { a: {}, b: {}, c: {}, d: {} });
  const engine = world.engine({
    executor: {
      execute({ lease }) {
        if (lease.taskId === "a") throw new Error("broken");
        if (lease.taskId === "d") return Promise.resolve({ kind: "exited" } as never);
        return lease.taskId === "b" ? { kind: "aborted" } : undefined as never;
      },
    },
  });
  assertEquals((await engine.executeRun("r")).kind, "finished");
  assertEquals(await world.states("r"), ["failed", "failed", "failed", "failed", "failed"]);
});

Deno.test("An attempt ends at its timeout, which is the engine's where the manifest sets none", async () => {
  await using world = await World.make();
  await world.submit("r", { a: { timeoutMs: 0 }, b: { timeoutMs: 5_000 } });
  const { engine, puppet } = world.puppeteer({ timeoutDefaultMs: 7_000, graceMs: 100 });
  const run = await world.begin(engine);
  await world.clock.advance(5_000);
  assertEquals(puppet.aborted, ["b.1.1 timeout 100"]);
  await world.clock.advance(2_000);
  assertEquals(puppet.aborted, ["b.1.1 timeout 100", "a.1.1 timeout 100"]);
  await run.done;
  const reasons = (await world.store.attempts("r")).map(({ reason }) => reason);
  assertEquals(reasons, ["TASK_FAILED_TIMEOUT", "TASK_FAILED_TIMEOUT"]);
});

Deno.test("A run ends when its time is over, counted from the first claim of its round", async () => {
  await using world = await World.make();
  await world.submit("r", { a: {}, b: { needs: ["a"] } }, 30_000);
  const { engine, puppet } = world.puppeteer();
  const first = await world.begin(engine);
  await world.clock.advance(20_000);
  first.kill();
  assertEquals((await first.done).kind, "handed-back");
  const second = await world.begin(engine, "r");
  await world.clock.advance(9_999);
  assertEquals(puppet.aborted, ["a.1.1 cancel 0"]);
  await world.clock.advance(1);
  assertEquals(puppet.aborted.at(-1), "a.1.2 run-timeout 5000");
  assertEquals(await second.done, {
    kind: "finished",
    runId: "r",
    state: "failed",
    reason: "RUN_FAILED_TIMEOUT",
  });
  await world.sound();
});

Deno.test("The engine's options are refused out of their ranges", async () => {
  await using world = await World.make();
  for (
    const wrong of [
      { leaseTtlMs: 0 },
      { leaseTtlMs: TTL_MS, renewIntervalMs: TTL_MS },
      { maxCrashCount: 0 },
      { graceMs: -1 },
      { pollIntervalMs: Number.NaN },
      { requeueBackoff: { baseMs: 10, maxMs: 1 } },
      { executor: {} as never },
      { executor: null as never },
    ]
  ) assertThrows(() => world.engine(wrong), SkeinError);
  const wiring = { store: world.store, fence: world.swarm.enter(world.folder) };
  const { settings } = new Engine(wiring);
  const { leaseTtlMs, renewIntervalMs, pollIntervalMs, reapIntervalMs, maxCrashCount } = settings;
  assertEquals([leaseTtlMs, renewIntervalMs, pollIntervalMs, reapIntervalMs, maxCrashCount], [
    60_000,
    20_000,
    2_000,
    10_000,
    5,
  ]);
  assert(settings.owner !== new Engine(wiring).owner);
});
