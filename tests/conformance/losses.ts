import { assert, assertEquals } from "@std/assert";
import { type Case, type Scene, TTL_MS } from "./world.ts";

/** A run whose task runs, and whose claim has expired. */
async function expired(scene: Scene, runId: string, maxAttempts = 9, owner = "one") {
  await scene.submit(runId, { a: { maxAttempts }, b: { needs: ["a"] } });
  const { ref } = await scene.claim({ runId, owner });
  const attempt = await scene.start(ref);
  await scene.world.advance(TTL_MS);
  return { ref, attempt };
}

/** The run again, once its wait is over. */
async function wait(scene: Scene, runId: string): Promise<void> {
  const { availableAt } = await scene.run(runId);
  await scene.world.advance(Math.max(0, availableAt - (await scene.store.counts()).at));
}

/** What reaping, recovery and the closing of what a stop has invalidated promise. */
export const LOSS_CASES: Readonly<Record<string, Case>> = {
  "reap() leaves a claim alone until it has expired and the allowance is over": async (scene) => {
    const ref = await scene.claimed("r1");
    await scene.world.advance(TTL_MS + 499);
    assertEquals(await scene.reap({ allowanceMs: 500 }), []);
    await scene.world.advance(1);
    const [reaped] = await scene.reap({ allowanceMs: 500 });
    assertEquals(reaped?.ref, ref);
  },

  "reap() requeues with a raised token, a reason and a wait; a lost claim alone is no crash":
    async (
      scene,
    ) => {
      const { ref } = await expired(scene, "r1");
      scene.world.draw(0.5);
      const [reaped] = await scene.reap();
      assert(reaped !== undefined);
      const run = await scene.run("r1");
      assertEquals(reaped, {
        ref,
        state: "queued",
        reason: "RUN_DEFERRED_LOST",
        crashed: false,
        crashCount: 0,
        availableAt: run.availableAt,
      });
      assertEquals([run.state, run.token, run.owner, run.leaseExpiresAt], [
        "queued",
        2,
        null,
        null,
      ]);
      assertEquals(run.availableAt, (await scene.store.counts()).at + 500);
      assertEquals(await scene.attempts("r1"), ["a.1.1 lost"]);
      assertEquals((await scene.store.attempts("r1"))[0]?.reason, "TASK_FAILED_EXECUTOR_LOST");
    },

  "reap() counts a crash only where the executor is verifiably gone (G9)": async (scene) => {
    await expired(scene, "r1");
    const [reaped] = await scene.reap({ gone: ["two", "one"] });
    assertEquals([reaped?.crashed, reaped?.crashCount, reaped?.reason], [
      true,
      1,
      "RUN_DEFERRED_CRASHED",
    ]);
    assertEquals((await scene.run("r1")).message, "Crash 1 of 3");
  },

  "reap() quarantines a run exactly at the crash count, and lost claims in between count nothing (G9)":
    async (
      scene,
    ) => {
      scene.world.draw(0.9);
      await scene.submit("r1", { a: { maxAttempts: 99 }, b: {} });
      const states: string[] = [];
      for (const gone of [["one"], [], ["one"], [], [], ["one"]]) {
        await wait(scene, "r1");
        const { ref } = await scene.claim();
        await scene.start(ref);
        await scene.world.advance(TTL_MS);
        const [reaped] = await scene.reap({ gone, maxCrashCount: 3 });
        states.push(`${reaped?.state} ${reaped?.crashCount}`);
      }
      assertEquals(states, [
        "queued 1",
        "queued 1",
        "queued 2",
        "queued 2",
        "queued 2",
        "failed 3",
      ]);
      const run = await scene.run("r1");
      assertEquals([run.reason, run.message], ["RUN_FAILED_POISON", "Crash 3 of 3"]);
      assertEquals(await scene.states("r1"), ["failed", "cancelled", "cancelled"]);
      assertEquals((await scene.task("r1")).reason, "TASK_CANCELLED_RUN_POISON");
    },

  "reap() quarantines at the crash count where a task has no attempt left, too (G9)": async (
    scene,
  ) => {
    await expired(scene, "r1", 1);
    const [reaped] = await scene.reap({ gone: ["one"], maxCrashCount: 1 });
    assertEquals([reaped?.state, reaped?.reason], ["failed", "RUN_FAILED_POISON"]);
    assertEquals(await scene.states("r1"), ["failed", "failed", "skipped"]);
  },

  "reap() fails a task without attempts left, and the next claim ends the run": async (scene) => {
    await expired(scene, "r1", 1);
    scene.world.draw(0);
    await scene.reap({ gone: ["one"] });
    assertEquals(await scene.states("r1"), ["queued", "failed", "skipped"]);
    assertEquals((await scene.task("r1")).reason, "TASK_FAILED_EXECUTOR_LOST");
    const { ref } = await scene.claim();
    const finished = await scene.store.finishRun(ref);
    assert(finished.kind === "finished");
    assertEquals([finished.state, finished.reason], ["failed", "RUN_FAILED_TASKS"]);
  },

  "reap() keeps what has succeeded, and the pass that was lost runs again": async (scene) => {
    await scene.submit("r1", { a: {}, b: { passes: 2, maxAttempts: 2 } });
    const { ref } = await scene.claim();
    await scene.settle(ref, "a");
    await scene.settle(ref, "b");
    await scene.start(ref, "b");
    await scene.world.advance(TTL_MS);
    scene.world.draw(0);
    await scene.reap();
    const claim = await scene.claim({ owner: "two" });
    assertEquals(claim.tasks.map(({ state, pass }) => [state, pass]), [["succeeded", 1], [
      "pending",
      2,
    ]]);
    const again = await scene.start(claim.ref, "b");
    assertEquals([again.pass, again.attempt], [2, 2]);
  },

  "reap() ends a run that is to be cancelled (G11)": async (scene) => {
    await expired(scene, "r1");
    await scene.store.cancel("r1", "me");
    const [reaped] = await scene.reap({ gone: ["one"], maxCrashCount: 1 });
    assertEquals([reaped?.state, reaped?.reason], ["cancelled", "RUN_CANCELLED_OPERATOR"]);
    assertEquals(await scene.states("r1"), ["cancelled", "cancelled", "cancelled"]);
  },

  "reap() closes a running run of an older epoch as stopped, without a crash and without a wait":
    async (
      scene,
    ) => {
      const ref = await scene.claimed("r1", { a: {}, b: {} });
      await scene.start(ref);
      scene.latch.pass();
      const [reaped] = await scene.reap({ gone: ["one"], maxCrashCount: 1 });
      assertEquals([reaped?.state, reaped?.reason, reaped?.crashed], [
        "stopped",
        "RUN_STOPPED",
        false,
      ]);
      assertEquals(await scene.states("r1"), ["stopped", "stopped", "stopped"]);
      assertEquals((await scene.run("r1")).crashCount, 0);
    },

  "reap() takes nothing of the current epoch while stopped": async (scene) => {
    await expired(scene, "r1");
    scene.latch.stopped = true;
    await scene.unchanged("r1", async () => {
      assertEquals(await scene.reap({ gone: ["one"] }), []);
      assertEquals(await scene.store.recover("r1", scene.terms()), { kind: "stopped" });
    });
    scene.latch.pass();
    assertEquals((await scene.reap())[0]?.state, "stopped");
  },

  "reap() takes no more than it is asked for, the oldest loss first": async (scene) => {
    for (const id of ["r1", "r2", "r3"]) {
      await scene.claimed(id);
      await scene.world.advance(1);
    }
    await scene.world.advance(TTL_MS);
    const ids = async (limit: number) => (await scene.reap({ limit })).map(({ ref }) => ref.runId);
    assertEquals(await ids(2), ["r1", "r2"]);
    assertEquals(await ids(2), ["r3"]);
    assertEquals(await ids(2), []);
  },

  "reap() doubles the bound of the wait with each crash, up to the highest": async (scene) => {
    scene.world.draw(0.999);
    await scene.submit("r1");
    const waits: number[] = [];
    for (let crash = 1; crash <= 5; crash++) {
      await wait(scene, "r1");
      await scene.claim();
      await scene.world.advance(TTL_MS);
      const [reaped] = await scene.reap({ gone: ["one"], maxCrashCount: 9 });
      waits.push((reaped?.availableAt ?? 0) - (await scene.store.counts()).at);
    }
    assertEquals(waits, [999, 1_998, 3_996, 7_992, 7_992]);
  },

  "recover() tells until when a claim may be held, then does what a reap does": async (scene) => {
    const ref = await scene.claimed("r1", { a: { maxAttempts: 2 } });
    await scene.start(ref);
    const { at } = await scene.store.counts();
    const terms = { ...scene.terms(["one"]), allowanceMs: 500 };
    await scene.unchanged("r1", async () => {
      assertEquals(await scene.store.recover("r1", terms), {
        kind: "alive",
        expiresAt: at + TTL_MS + 500,
        at,
      });
    });
    await scene.world.advance(TTL_MS + 500);
    const result = await scene.store.recover("r1", terms);
    assert(result.kind === "recovered");
    assertEquals([result.ref, result.state, result.crashCount], [ref, "queued", 1]);
    assertEquals(await scene.attempts("r1"), ["a.1.1 lost"]);
  },

  "recover() leaves a run that is not running untouched": async (scene) => {
    await scene.submit("r1");
    await scene.unchanged("r1", async () => {
      const result = await scene.store.recover("r1", scene.terms());
      assertEquals(result, { kind: "not-running", state: "queued" });
    });
    assertEquals(await scene.store.recover("r2", scene.terms()), { kind: "unknown" });
  },

  "closeStopped() closes what is queued and running in older epochs, and nothing of this one":
    async (
      scene,
    ) => {
      await scene.submit("r1", { a: {}, b: {} });
      const ref = await scene.claimed("r2", { a: {}, b: {} });
      await scene.settle(ref);
      await scene.start(ref, "b");
      const done = await scene.claimed("r3");
      await scene.settle(done);
      await scene.store.finishRun(done);
      scene.latch.pass();
      await scene.submit("r4");
      const closed = await scene.store.closeStopped(2);
      const about = (runId: string) => closed.find((each) => each.runId === runId);
      assertEquals(closed.length, 2);
      assertEquals(about("r1"), { runId: "r1", from: "queued", owner: null, token: 0, epoch: 1 });
      assertEquals(about("r2"), { runId: "r2", from: "running", owner: "one", token: 1, epoch: 1 });
      assertEquals(await scene.states("r1"), ["stopped", "stopped", "stopped"]);
      assertEquals(await scene.states("r2"), ["stopped", "succeeded", "stopped"]);
      assertEquals((await scene.run("r1")).reason, "RUN_STOPPED_QUEUED");
      assertEquals((await scene.run("r2")).reason, "RUN_STOPPED");
      assertEquals((await scene.run("r2")).crashCount, 0);
      assertEquals(await scene.states("r4"), ["queued", "pending"]);
      assertEquals(await scene.store.closeStopped(2), []);
      assertEquals(await scene.store.finishRun(ref), { kind: "stale" });
    },
};
