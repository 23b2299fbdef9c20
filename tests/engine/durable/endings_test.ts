import { assert, assertEquals } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { TTL_MS, World } from "./world.ts";

Deno.test("A cancellation is seen between tasks by the start that it refuses (G11)", async () => {
  await using world = await World.make();
  await world.submit("r", { a: {}, b: { needs: ["a"] } });
  const { engine, puppet } = world.puppeteer();
  const run = await world.begin(engine);
  assertEquals(await world.store.cancel("r", "me"), { kind: "requested" });
  puppet.end("a");
  assertEquals(await run.done, {
    kind: "finished",
    runId: "r",
    state: "cancelled",
    reason: "RUN_CANCELLED_OPERATOR",
  });
  assertEquals(puppet.begun, ["a.1.1"]);
  assertEquals(await world.states("r"), ["cancelled", "succeeded", "cancelled"]);
  await world.sound();
});

Deno.test("A cancellation is asked for every poll interval while a task runs, and ends it with the grace", async () => {
  await using world = await World.make();
  await world.submit("r", { a: { maxAttempts: 3 }, b: { needs: ["a"] } });
  const { engine, puppet } = world.puppeteer({ graceMs: 700 });
  const run = await world.begin(engine);
  await world.clock.advance(1_000);
  await world.store.cancel("r", "me");
  await world.clock.advance(999);
  assertEquals(puppet.aborted, []);
  await world.clock.advance(1);
  assertEquals(puppet.aborted, ["a.1.1 cancel 700"]);
  assertEquals((await run.done).kind, "finished");
  assertEquals(await world.states("r"), ["cancelled", "cancelled", "skipped"]);
  assertEquals(await world.attempts("r"), ["a.1.1 cancelled"]);
  await world.sound();
});

Deno.test("drain() starts nothing more, lets what runs end, asks it near the end of the grace, and hands back", async () => {
  await using world = await World.make();
  await world.submit("r", { a: { passes: 2 }, b: {}, c: { needs: ["b"] } });
  const { engine, puppet } = world.puppeteer({ graceMs: 2_000 });
  const run = await world.begin(engine);
  run.drain(10_000);
  puppet.end("b");
  await world.clock.advance(7_999);
  assertEquals(puppet.aborted, []);
  await world.clock.advance(1);
  assertEquals(puppet.aborted, ["a.1.1 cancel 2000"]);
  assertEquals(await run.done, {
    kind: "handed-back",
    runId: "r",
    reason: "RUN_HANDED_BACK_DRAIN",
    error: null,
  });
  assertEquals(puppet.begun, ["a.1.1", "b.1.1"]);
  assertEquals(await world.attempts("r"), ["a.1.1 handed-back", "b.1.1 succeeded"]);
  assertEquals((await world.run("r")).reason, "RUN_HANDED_BACK_DRAIN");
  const again = await world.begin(world.puppeteer({ executor: puppet }).engine);
  assertEquals([...puppet.live.keys()], ["a", "c"]);
  again.kill();
  await again.done;
  await world.sound();
});

Deno.test("drain() finishes a run whose last task ends within the grace", async () => {
  await using world = await World.make();
  await world.submit("r");
  const { engine, puppet } = world.puppeteer();
  const run = await world.begin(engine);
  run.drain(10_000);
  await world.clock.advance(100);
  puppet.end("a");
  assertEquals((await run.done).kind, "finished");
  assertEquals(world.clock.sleeping, 0);
});

Deno.test("kill() ends the grace of a drain", async () => {
  await using world = await World.make();
  await world.submit("r");
  const { engine, puppet } = world.puppeteer();
  const run = await world.begin(engine);
  run.drain(10_000);
  await world.clock.advance(100);
  run.kill();
  assertEquals(puppet.aborted, ["a.1.1 cancel 0"]);
  assertEquals((await run.done).kind, "handed-back");
  assertEquals(await world.states("r"), ["queued", "pending"]);
});

Deno.test("drainRun() of a run that is going on ends this process's claim, whatever the store answers", async () => {
  await using world = await World.make();
  await world.submit("r");
  const { engine, puppet } = world.puppeteer();
  const run = await world.begin(engine);
  const { ref } = run.claimed;
  assert(await engine.drainRun("r", ref, "RUN_HANDED_BACK_DRAIN"));
  assertEquals(engine.heldLease("r"), null);
  assertEquals(puppet.aborted, ["a.1.1 stop 0"]);
  await run.done;
  assert(!await engine.drainRun("r", ref, "RUN_HANDED_BACK_DRAIN"));
});

Deno.test("An error of Skein's own hands the run back, with everything of it dead", async () => {
  await using world = await World.make();
  await world.submit("r", { a: {}, b: {} });
  Deno.writeTextFileSync(`${world.folder}/file`, "");
  const { engine } = world.puppeteer({ logRoot: `${world.folder}/file` });
  const executed = await engine.executeRun("r");
  assert(executed.kind === "handed-back" && executed.error instanceof Error);
  assertEquals(executed.reason, "RUN_HANDED_BACK_ENVIRONMENT");
  assertEquals(await world.states("r"), ["queued", "pending", "pending"]);
  await world.sound();
});

Deno.test("A stop ends what runs, settles nothing, and nothing starts (G1, G3)", async () => {
  await using world = await World.make();
  await world.submit("r", { a: {}, b: { needs: ["a"] }, c: {} });
  await world.submit("q");
  const { engine, puppet } = world.puppeteer();
  const run = await world.begin(engine, "r");
  world.swarm.stop();
  puppet.end("a");
  assertEquals(await run.done, { kind: "stopped", runId: "r" });
  assertEquals(puppet.aborted, ["c.1.1 stop 0"]);
  assertEquals(puppet.finished, ["r#1"]);
  assertEquals(await engine.executeRun(), { kind: "stopped", runId: null });
  assertEquals(await world.states("r"), ["running", "running", "pending", "running"]);
  world.swarm.reset();
  assertEquals(await engine.executeRun(), { kind: "stopped", runId: null });
  const newcomer = world.engine();
  assertEquals((await newcomer.reapExpiredRuns()).map(({ state }) => state), ["stopped"]);
  assertEquals((await world.store.closeStopped(2)).map(({ runId }) => runId), ["q"]);
  assertEquals(await world.states("r"), ["stopped", "stopped", "stopped", "stopped"]);
  assertEquals((await newcomer.executeRun()).kind, "none");
  await world.sound();
});

Deno.test("A settle that the stop overtakes is refused inside of its transaction, with an event (G3)", async () => {
  await using world = await World.make();
  await world.submit("r");
  const stop = { check: () => true };
  const fence = { ...world.swarm.enter(world.folder), ...stop };
  const { engine, puppet } = world.puppeteer({ fence });
  const run = await world.begin(engine);
  world.swarm.stop();
  puppet.end("a");
  assertEquals(await run.done, { kind: "stopped", runId: "r" });
  assertEquals(await world.refusals("r"), ["a#1 WRITE_REFUSED_STOPPED"]);
  assertEquals(await world.attempts("r"), ["a.1.1 running"]);
});

Deno.test("A stop does not wait for a store that does not answer", async () => {
  await using world = await World.make();
  await world.submit("r");
  const { engine, puppet } = world.puppeteer();
  const run = await world.begin(engine);
  using _lock = holdWriteLock(`${world.folder}/queue.db`);
  puppet.end("a");
  await world.clock.settle();
  world.swarm.stop();
  run.stop();
  assertEquals(await run.done, { kind: "stopped", runId: "r" });
});

function holdWriteLock(path: string): Disposable {
  const database = new DatabaseSync(path);
  database.exec("BEGIN IMMEDIATE");
  return {
    [Symbol.dispose]() {
      database.exec("ROLLBACK");
      database.close();
    },
  };
}

Deno.test("A renewed claim outlives a reap, and one that expired is reaped after the allowance (G8)", async () => {
  await using world = await World.make();
  await world.submit("r", { a: { maxAttempts: 2 } });
  const { engine, puppet } = world.puppeteer({ clockSkewAllowanceMs: 5_000 });
  const run = await world.begin(engine);
  await world.clock.advance(TTL_MS);
  assertEquals(await run.done, { kind: "lost", runId: "r" });
  assertEquals(await engine.reapExpiredRuns(), []);
  await world.clock.advance(4_999);
  assertEquals(await engine.reapExpiredRuns(), []);
  await world.clock.advance(1);
  const [reaped] = await engine.reapExpiredRuns();
  assertEquals([reaped?.state, reaped?.reason], ["queued", "RUN_DEFERRED_LOST"]);
  const executed = await engine.executeRun("r");
  assert(executed.kind === "refused" && executed.why === "deferred");
  await world.clock.advance(500);
  const again = await world.begin(engine);
  puppet.end("a");
  assertEquals((await again.done).kind, "finished");
  await world.sound();
});
