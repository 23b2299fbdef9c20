import { assertEquals } from "@std/assert";
import { FaultyStore } from "./faulty_store.ts";
import { TTL_MS, World } from "./world.ts";

Deno.test("A start whose answer was lost is found again, and not made twice", async () => {
  await using world = await World.make();
  await world.submit("r", { a: { passes: 2 } });
  const faulty = new FaultyStore(world.store);
  const { engine, puppet } = world.puppeteer({ store: faulty.store });
  faulty.fail("startTask", "answer-lost");
  const run = await world.begin(engine);
  await world.clock.advance(100);
  assertEquals(puppet.begun, ["a.1.1"]);
  faulty.fail("startTask", "unreachable", "answer-lost");
  puppet.end("a");
  await world.clock.advance(200);
  assertEquals(puppet.begun, ["a.1.1", "a.2.1"]);
  puppet.end("a");
  assertEquals((await run.done).kind, "finished");
  assertEquals(await world.attempts("r"), ["a.1.1 succeeded", "a.2.1 succeeded"]);
  await world.sound();
});

Deno.test("A settle and a finish whose answers were lost are given them again", async () => {
  await using world = await World.make();
  await world.submit("r", { a: {}, b: { needs: ["a"] } });
  const faulty = new FaultyStore(world.store);
  const { engine, puppet } = world.puppeteer({ store: faulty.store });
  const run = await world.begin(engine);
  faulty.fail("settleTask", "answer-lost", "unreachable");
  puppet.end("a");
  await world.clock.advance(500);
  assertEquals(puppet.begun, ["a.1.1", "b.1.1"]);
  faulty.fail("settleTask", "answer-lost");
  faulty.fail("finishRun", "answer-lost");
  puppet.end("b", { kind: "exited", code: 1 });
  await world.clock.advance(500);
  assertEquals(await run.done, {
    kind: "finished",
    runId: "r",
    state: "failed",
    reason: "RUN_FAILED_TASKS",
  });
  assertEquals(await world.attempts("r"), ["a.1.1 succeeded", "b.1.1 failed"]);
  await world.sound();
});

Deno.test("A hand-back whose answer was lost leaves the run to the queue", async () => {
  await using world = await World.make();
  await world.submit("r");
  const faulty = new FaultyStore(world.store);
  const { engine } = world.puppeteer({ store: faulty.store });
  const run = await world.begin(engine);
  faulty.fail("handBack", "answer-lost");
  run.kill();
  await world.clock.advance(100);
  assertEquals(await run.done, { kind: "lost", runId: "r" });
  assertEquals(await world.states("r"), ["queued", "pending"]);
  assertEquals(engine.heldLease("r"), null);
  await world.sound();
});

Deno.test("An outage past the ttl loses the run, and nothing is written twice when the store is back", async () => {
  await using world = await World.make();
  await world.submit("r", { a: { maxAttempts: 2 }, b: {} });
  const faulty = new FaultyStore(world.store);
  const { engine, puppet } = world.puppeteer({ store: faulty.store });
  const run = await world.begin(engine);
  puppet.end("b");
  await world.clock.settle();
  faulty.isDown = true;
  puppet.end("a");
  await world.clock.advance(TTL_MS);
  assertEquals(await run.done, { kind: "lost", runId: "r" });
  faulty.isDown = false;
  await world.clock.advance(TTL_MS);
  assertEquals((await engine.reapExpiredRuns()).length, 1);
  await world.clock.advance(10_000);
  const again = await world.begin(engine);
  assertEquals(puppet.begun, ["a.1.1", "b.1.1", "a.1.2"]);
  puppet.end("a");
  assertEquals((await again.done).kind, "finished");
  await world.sound();
});
