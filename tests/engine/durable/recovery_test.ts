import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { FileLock } from "../../../src/disk/mod.ts";
import { TTL_MS, World } from "./world.ts";

const PROCESS = { bootId: "", pidNamespace: "", pid: 1, startTime: "1" };

/** Registers an engine whose process lives as long as its holder file is locked. */
async function register(world: World, owner: string): Promise<Disposable> {
  Deno.mkdirSync(`${world.folder}/holders`, { recursive: true });
  const lock = FileLock.tryAcquire(`${world.folder}/holders/${owner}`, "exclusive");
  assert(lock !== null);
  const host = Deno.hostname();
  const about = { owner, host, holderId: owner, process: PROCESS, epoch: 1, concurrency: 1 };
  await world.store.registerExecutor(about);
  return lock;
}

Deno.test("recover() waits for the abandoned claim to expire, keeps what has succeeded, and re-runs only what was lost", async () => {
  await using world = await World.make();
  await world.submit("r", { a: {}, b: { needs: ["a"], maxAttempts: 2 }, c: { needs: ["b"] } });
  const dead = world.puppeteer();
  await world.begin(dead.engine);
  dead.puppet.end("a");
  await world.clock.settle();
  const { engine, puppet } = world.puppeteer({ clockSkewAllowanceMs: 1_000 });
  const recovering = engine.recover("r");
  await world.clock.advance(TTL_MS + 999);
  assertEquals(await world.states("r"), ["running", "succeeded", "running", "pending"]);
  await world.clock.advance(1);
  const recovered = await recovering;
  assert(recovered.kind === "recovered");
  assertEquals([recovered.state, recovered.crashed], ["queued", false]);
  assertEquals(await world.states("r"), ["queued", "succeeded", "pending", "pending"]);
  assertEquals(await world.attempts("r"), ["a.1.1 succeeded", "b.1.1 lost"]);
  await world.clock.advance(1_000);
  const run = await world.begin(engine);
  puppet.end("b");
  await world.clock.settle();
  puppet.end("c");
  assertEquals((await run.done).kind, "finished");
  assertEquals(puppet.begun, ["b.1.2", "c.1.1"]);
  await world.sound();
});

Deno.test("recover() of a run that is not running changes nothing, and of one that is renewed says that it lives", async () => {
  await using world = await World.make();
  await world.submit("r");
  const { engine, puppet } = world.puppeteer();
  assertEquals(await engine.recover("r"), { kind: "not-running", state: "queued" });
  assertEquals(await engine.recover("?"), { kind: "unknown" });
  const over = new AbortController();
  void engine.runLeaseRenewals(over.signal);
  const run = await world.begin(engine);
  const recovering = world.engine().recover("r");
  await world.clock.advance(3 * TTL_MS);
  assertEquals((await recovering).kind, "alive");
  puppet.end("a");
  await run.done;
  over.abort();
});

Deno.test("A lost attempt counts: without another one its task fails, and the run goes on to fail", async () => {
  await using world = await World.make();
  await world.submit("r", { a: {}, b: { needs: ["a"] }, c: {} });
  const dead = world.puppeteer();
  await world.begin(dead.engine);
  dead.puppet.end("c");
  await world.clock.settle();
  world.clock.suspend(2 * TTL_MS);
  const { engine } = world.puppeteer();
  await engine.reapExpiredRuns();
  assertEquals(await world.states("r"), ["queued", "failed", "skipped", "succeeded"]);
  await world.clock.advance(60_000);
  assertEquals(await engine.executeRun(), {
    kind: "finished",
    runId: "r",
    state: "failed",
    reason: "RUN_FAILED_TASKS",
  });
});

Deno.test("Only the verified death of an executor counts as a crash, and the last one quarantines the run (G9)", async () => {
  await using world = await World.make();
  await world.submit("r", { a: { maxAttempts: 100 } });
  const crashes: (number | undefined)[] = [];
  for (let round = 0; round < 8; round++) {
    const owner = `worker-${round}`;
    const holder = await register(world, owner);
    const { engine } = world.puppeteer({ owner, maxCrashCount: 3 });
    await world.begin(engine);
    world.clock.suspend(2 * TTL_MS);
    // Five suspends poison nothing.
    if (round >= 5) holder[Symbol.dispose]();
    const [reaped] = await world.engine({ maxCrashCount: 3 }).reapExpiredRuns();
    crashes.push(reaped?.crashCount);
    if (reaped?.state !== "queued") assertEquals([round, reaped?.state], [7, "failed"]);
    if (round < 5) holder[Symbol.dispose]();
    world.clock.suspend(60_000);
    await world.clock.settle();
  }
  assertEquals(crashes, [0, 0, 0, 0, 0, 1, 2, 3]);
  assertEquals((await world.run("r")).reason, "RUN_FAILED_POISON");
});

Deno.test("A run whose executor has died executes alone, before and after whatever else the worker holds", async () => {
  await using world = await World.make();
  await world.submit("r", { a: { maxAttempts: 5 } });
  const holder = await register(world, "dead");
  await world.begin(world.puppeteer({ owner: "dead" }).engine);
  holder[Symbol.dispose]();
  world.clock.suspend(2 * TTL_MS);
  const { engine, puppet } = world.puppeteer();
  await engine.reapExpiredRuns();
  world.clock.suspend(60_000);
  await world.submit("q");
  const other = await world.begin(engine, "q");
  assertEquals((await engine.begin()).kind, "none");
  assertEquals(await engine.executeRun("r"), {
    kind: "refused",
    runId: "r",
    why: "alone",
    availableAt: null,
  });
  puppet.end("a");
  await other.done;
  const alone = await world.begin(engine);
  assertEquals([alone.claimed.ref.runId, alone.claimed.alone], ["r", true]);
  puppet.end("a");
  assertEquals((await alone.done).kind, "finished");
});

Deno.test("The trees of older tokens are ended before the first process of the next claim, and by the reaper", async () => {
  await using world = await World.make();
  await world.submit("r", { a: { maxAttempts: 3 } });
  const order: string[] = [];
  const processes = {
    end: (trees: { readonly below: ReadonlyMap<string, number> }) => {
      order.push(...Array.from(trees.below, ([runId, token]) => `end ${runId}<${token}`));
      return Promise.resolve({ killed: 1, survivors: [], failed: [] });
    },
  };
  await world.begin(world.puppeteer({ processes }).engine);
  assertEquals(order, []);
  world.clock.suspend(2 * TTL_MS);
  const engine = world.engine({
    processes,
    executor: {
      execute: ({ lease }) => {
        order.push(`start ${lease.token}`);
        return { kind: "succeeded" };
      },
    },
  });
  await engine.reapExpiredRuns();
  world.clock.suspend(60_000);
  assertEquals((await engine.executeRun()).kind, "finished");
  // The claim and the requeue have each raised the token.
  assertEquals(order, ["end r<2", "end r<3", "start 3"]);
});

Deno.test("A run is handed back, and nothing of it starts, while something of an older claim survives", async () => {
  await using world = await World.make();
  await world.submit("r", { a: { maxAttempts: 3 } });
  const first = await world.begin(world.puppeteer().engine);
  first.kill();
  await first.done;
  const survivor = { ...PROCESS, command: "stubborn", segment: null };
  const { engine, puppet } = world.puppeteer({
    processes: { end: () => Promise.resolve({ killed: 0, survivors: [survivor], failed: [] }) },
  });
  const executed = await engine.executeRun();
  assert(executed.kind === "handed-back" && executed.error instanceof Error);
  assertEquals(executed.reason, "RUN_HANDED_BACK_ENVIRONMENT");
  assertStringIncludes(executed.error.message, "stubborn");
  assertEquals(puppet.begun, []);
});
