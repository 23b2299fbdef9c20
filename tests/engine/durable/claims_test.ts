import { assert, assertEquals } from "@std/assert";
import { FaultyStore } from "./faulty_store.ts";
import { TTL_MS, World } from "./world.ts";

/** Renewals that go on until the test ends. */
class Renewals implements Disposable {
  readonly #over = new AbortController();

  get signal(): AbortSignal {
    return this.#over.signal;
  }

  [Symbol.dispose](): void {
    this.#over.abort();
  }
}

Deno.test("runLeaseRenewals() keeps every claim alive, however long a task takes", async () => {
  await using world = await World.make();
  using renewals = new Renewals();
  await world.submit("r1");
  await world.submit("r2");
  const { engine, puppet } = world.puppeteer();
  void engine.runLeaseRenewals(renewals.signal);
  const first = await world.begin(engine, "r1");
  await world.clock.advance(5 * TTL_MS);
  const ref = engine.heldLease("r1");
  assertEquals(ref, first.claimed.ref);
  assertEquals(await engine.reapExpiredRuns(), []);
  puppet.end("a");
  assertEquals((await first.done).kind, "finished");
  const second = await world.begin(engine, "r2");
  await world.clock.advance(2 * TTL_MS);
  assertEquals(puppet.aborted, []);
  puppet.end("a");
  assertEquals((await second.done).kind, "finished");
});

Deno.test("runLeaseRenewals() outlives ticks that fail, and two in a row lose no claim", async () => {
  await using world = await World.make();
  using renewals = new Renewals();
  await world.submit("r");
  const faulty = new FaultyStore(world.store);
  const { engine, puppet } = world.puppeteer({ store: faulty.store });
  void engine.runLeaseRenewals(renewals.signal);
  const run = await world.begin(engine);
  for (let round = 0; round < 4; round++) {
    faulty.fail("renew", "unreachable", "answer-lost");
    await world.clock.advance(TTL_MS);
  }
  assertEquals(puppet.aborted, []);
  assert(world.notices.filter(({ kind }) => kind === "trouble").length >= 4);
  puppet.end("a");
  assertEquals((await run.done).kind, "finished");
});

Deno.test("A claim that cannot be renewed is given up, its trees dead, before the ttl ends (G7)", async () => {
  await using world = await World.make();
  using renewals = new Renewals();
  await world.submit("r", { a: {}, b: {} });
  const faulty = new FaultyStore(world.store);
  const { engine, puppet } = world.puppeteer({ store: faulty.store });
  void engine.runLeaseRenewals(renewals.signal);
  const run = await world.begin(engine);
  await world.clock.advance(TTL_MS / 3);
  const renewedUntil = (await world.run("r")).leaseExpiresAt ?? 0;
  faulty.isDown = true;
  await world.clock.advance(TTL_MS * 0.8);
  assertEquals(puppet.aborted, []);
  await world.clock.advance(TTL_MS * 0.1);
  assertEquals(puppet.aborted, ["a.1.1 stop 0", "b.1.1 stop 0"]);
  assertEquals(await run.done, { kind: "lost", runId: "r" });
  assertEquals(puppet.finished, ["r#1"]);
  assert(world.clock.wall() < renewedUntil);
  assertEquals(engine.heldLease("r"), null);
  assertEquals(await world.states("r"), ["running", "running", "running"]);
});

Deno.test("A claim is counted from before its renewal was sent: one that is answered late is believed in for less", async () => {
  await using world = await World.make();
  using renewals = new Renewals();
  await world.submit("r");
  const faulty = new FaultyStore(world.store);
  const { engine, puppet } = world.puppeteer({ store: faulty.store });
  void engine.runLeaseRenewals(renewals.signal);
  const run = await world.begin(engine);
  const gate = Promise.withResolvers<void>();
  faulty.fail("renew", { until: gate.promise });
  await world.clock.advance(TTL_MS / 3 + TTL_MS / 4);
  gate.resolve();
  await world.clock.settle();
  faulty.isDown = true;
  // From when it was sent, and not from when it was answered.
  await world.clock.advance(TTL_MS * (5 / 6 - 1 / 4) - 1);
  assertEquals(puppet.aborted, []);
  await world.clock.advance(1);
  assertEquals(puppet.aborted, ["a.1.1 stop 0"]);
  await run.done;
});

Deno.test("A claim is given up when the wall clock jumps past its ttl, and not when it jumps back", async () => {
  await using world = await World.make();
  using renewals = new Renewals();
  await world.submit("r");
  const { engine, puppet } = world.puppeteer();
  void engine.runLeaseRenewals(renewals.signal);
  const run = await world.begin(engine);
  world.clock.jump(-3_600_000);
  await world.clock.advance(2 * TTL_MS);
  assertEquals(puppet.aborted, []);
  world.clock.jump(3_600_000);
  await world.clock.advance(1_000);
  assertEquals(puppet.aborted, ["a.1.1 stop 0"]);
  assertEquals(await run.done, { kind: "lost", runId: "r" });
  assertEquals(await world.refusals("r"), ["a#1 WRITE_REFUSED_STALE"]);
});

Deno.test("A process that was suspended past its ttl writes nothing: it discards what it has, with an event", async () => {
  await using world = await World.make();
  await world.submit("r", { a: { maxAttempts: 2 } });
  const [one, two] = [world.puppeteer(), world.puppeteer()];
  const first = await world.begin(one.engine);
  world.clock.suspend(TTL_MS * 1.2);
  const [reaped] = await two.engine.reapExpiredRuns();
  assertEquals([reaped?.ref.token, reaped?.state, reaped?.crashed], [1, "queued", false]);
  world.clock.suspend(60_000);
  const second = await world.begin(two.engine);
  two.puppet.end("a");
  assertEquals((await second.done).kind, "finished");
  // It goes on now, and its process has ended meanwhile.
  one.puppet.end("a");
  assertEquals(await first.done, { kind: "lost", runId: "r" });
  assertEquals(await world.attempts("r"), ["a.1.1 lost", "a.1.2 succeeded"]);
  assertEquals(await world.refusals("r"), ["a#1 WRITE_REFUSED_STALE"]);
  assertEquals(world.ended, ["r<2", "r<3"]);
  await world.sound();
});

Deno.test("A settle that is refused after a reap ends the other tasks of the claim too", async () => {
  await using world = await World.make();
  await world.submit("r", { a: {}, b: {} });
  const { engine, puppet } = world.puppeteer();
  const run = await world.begin(engine);
  // Somebody whose clock is ahead has taken it.
  const other = await world.connect();
  const terms = { epoch: 1, allowanceMs: 0, backoff: { baseMs: 0, maxMs: 0 }, maxCrashCount: 5 };
  world.clock.jump(TTL_MS);
  assertEquals((await other.reap({ ...terms, gone: [] })).length, 1);
  world.clock.jump(-TTL_MS);
  puppet.end("a");
  await world.clock.settle();
  assertEquals(puppet.aborted, ["b.1.1 stop 0"]);
  assertEquals(await run.done, { kind: "lost", runId: "r" });
  assertEquals(await world.refusals("r"), ["a#1 WRITE_REFUSED_STALE", "b#1 WRITE_REFUSED_STALE"]);
});

Deno.test("A renewal that is refused ends the trees of the claim at once", async () => {
  await using world = await World.make();
  using renewals = new Renewals();
  await world.submit("r");
  const { engine, puppet } = world.puppeteer();
  void engine.runLeaseRenewals(renewals.signal);
  const run = await world.begin(engine);
  const ref = engine.heldLease("r");
  assert(ref !== null);
  assert(await world.store.handBack(ref, "RUN_HANDED_BACK_DRAIN"));
  await world.clock.advance(TTL_MS / 3);
  assertEquals(puppet.aborted, ["a.1.1 stop 0"]);
  assertEquals(await run.done, { kind: "lost", runId: "r" });
});
