import { assert, assertEquals } from "@std/assert";
import { type Case, FAILED, outputOf, type Scene, SUCCEEDED, TTL_MS } from "./world.ts";

const RETRY = { epoch: 1, failedOnly: false, by: "me" };

/** A run of three tasks: one succeeded, one failed, one was skipped. */
async function failed(scene: Scene, runId: string): Promise<void> {
  const ref = await scene.claimed(runId, { a: {}, b: {}, c: { needs: ["b"] } });
  await scene.settle(ref, "a", { ...SUCCEEDED, output: outputOf(`${runId}/a`) });
  await scene.settle(ref, "b", FAILED);
  await scene.store.finishRun(ref);
}

/** What cancellation, retry and drain promise. */
export const OPERATOR_CASES: Readonly<Record<string, Case>> = {
  "cancel() ends a queued run": async (scene) => {
    await scene.submit("r1", { a: {}, b: {} });
    assertEquals(await scene.store.cancel("r1", "me"), { kind: "cancelled" });
    assertEquals(await scene.states("r1"), ["cancelled", "cancelled", "cancelled"]);
    const run = await scene.run("r1");
    assertEquals([run.reason, run.cancelRequestedBy], ["RUN_CANCELLED_OPERATOR", "me"]);
    assertEquals((await scene.task("r1")).reason, "TASK_CANCELLED_OPERATOR");
    assertEquals(await scene.store.cancel("r1", "me"), { kind: "ended", state: "cancelled" });
    assertEquals(await scene.store.cancel("r2", "me"), { kind: "unknown" });
  },

  "cancel() is set once in a round, and no new attempt starts (G11)": async (scene) => {
    const ref = await scene.claimed("r1", { a: { maxAttempts: 9 }, b: {} });
    const attempt = await scene.start(ref);
    assertEquals(await scene.store.cancel("r1", "me"), { kind: "requested" });
    const { cancelRequestedAt } = await scene.run("r1");
    await scene.world.advance(10);
    await scene.unchanged("r1", async () => {
      assertEquals(await scene.store.cancel("r1", "you"), { kind: "already" });
    });
    await scene.store.renew([ref], TTL_MS);
    scene.world.draw(0);
    await scene.store.settleTask(ref, attempt, FAILED);
    for (const id of ["a", "b"]) {
      const result = await scene.store.startTask(ref, id);
      assertEquals(result.kind === "refused" && result.why, "cancelled");
    }
    const run = await scene.run("r1");
    assertEquals([run.cancelRequestedAt, run.cancelRequestedBy], [cancelRequestedAt, "me"]);
    assertEquals((await scene.store.finishRun(ref)).kind, "finished");
    assertEquals(await scene.states("r1"), ["cancelled", "cancelled", "cancelled"]);
    assertEquals((await scene.run("r1")).cancelRequestedAt, cancelRequestedAt);
  },

  "cancel() of a run whose tasks have all succeeded comes too late": async (scene) => {
    const ref = await scene.claimed("r1");
    await scene.settle(ref);
    await scene.store.cancel("r1", "me");
    const finished = await scene.store.finishRun(ref);
    assertEquals(finished.kind === "finished" && finished.state, "succeeded");
  },

  "retry() reopens every task in the next round, at the current epoch": async (scene) => {
    await failed(scene, "r1");
    scene.latch.pass();
    await scene.world.advance(10);
    const result = await scene.store.retry("r1", { ...RETRY, epoch: 2 });
    assertEquals(result, { kind: "requeued", round: 2, reopened: 3 });
    const run = await scene.run("r1");
    assertEquals([run.state, run.epoch, run.round, run.reason, run.finishedAt, run.startedAt], [
      "queued",
      2,
      2,
      null,
      null,
      null,
    ]);
    assertEquals([run.queuedAt - run.submittedAt, run.availableAt], [10, 0]);
    assertEquals(await scene.states("r1"), ["queued", "pending", "pending", "pending"]);
    assertEquals((await scene.task("r1")).output, null);
    const { ref } = await scene.claim();
    const again = await scene.start(ref);
    assertEquals([again.pass, again.attempt, again.sequence], [1, 2, 3]);
    assertEquals(await scene.store.highestEpoch(), 2);
  },

  "retry() with failedOnly keeps what has succeeded, and all that it has settled": async (
    scene,
  ) => {
    await failed(scene, "r1");
    const result = await scene.store.retry("r1", { ...RETRY, failedOnly: true });
    assertEquals(result, { kind: "requeued", round: 2, reopened: 2 });
    assertEquals(await scene.states("r1"), ["queued", "succeeded", "pending", "pending"]);
    const claim = await scene.claim();
    assertEquals(claim.tasks[0]?.output, outputOf("r1/a"));
    await scene.settle(claim.ref, "b");
    await scene.settle(claim.ref, "c");
    const finished = await scene.store.finishRun(claim.ref);
    assertEquals(finished.kind === "finished" && finished.state, "succeeded");
    assertEquals(await scene.attempts("r1"), [
      "a.1.1 succeeded",
      "b.1.1 failed",
      "b.1.2 succeeded",
      "c.1.1 succeeded",
    ]);
  },

  "retry() counts attempts anew, and reads only what its own round has settled": async (scene) => {
    const drafts = { a: { passes: 2, maxAttempts: 2 } };
    const first = await scene.claimed("r1", drafts);
    scene.world.draw(0);
    await scene.settle(first, "a", { ...SUCCEEDED, output: outputOf("r1/a.1") });
    await scene.settle(first, "a", FAILED);
    await scene.settle(first, "a", FAILED);
    await scene.store.finishRun(first);
    await scene.store.retry("r1", RETRY);
    const { ref } = await scene.claim();
    assertEquals((await scene.settle(ref, "a", FAILED)).state, "pending");
    assertEquals((await scene.settle(ref, "a")).pass, 2);
    const second = await scene.start(ref);
    assertEquals([second.pass, second.attempt, second.input], [2, 3, null]);
  },

  "retry() opens a round without crashes and without a request": async (scene) => {
    await scene.claimed("r1", { a: { maxAttempts: 9 } });
    await scene.world.advance(TTL_MS);
    await scene.reap({ gone: ["one"], maxCrashCount: 1 });
    assertEquals((await scene.run("r1")).reason, "RUN_FAILED_POISON");
    await scene.store.retry("r1", RETRY);
    assert(!((await scene.claim()).alone));
    await scene.store.cancel("r1", "me");
    await scene.world.advance(TTL_MS);
    await scene.reap();
    assertEquals((await scene.run("r1")).state, "cancelled");
    await scene.store.retry("r1", RETRY);
    const run = await scene.run("r1");
    assertEquals([run.round, run.crashCount, run.cancelRequestedAt], [3, 0, null]);
  },

  "retry() reopens what a stop has closed, at the new epoch only": async (scene) => {
    await scene.submit("r1");
    scene.latch.stopped = true;
    scene.latch.current = 2;
    await scene.store.closeStopped(2);
    assertEquals(await scene.store.retry("r1", { ...RETRY, epoch: 2 }), { kind: "stopped" });
    scene.latch.stopped = false;
    assertEquals(await scene.store.retry("r1", RETRY), { kind: "stopped" });
    assertEquals((await scene.store.retry("r1", { ...RETRY, epoch: 2 })).kind, "requeued");
    assertEquals((await scene.claim()).epoch, 2);
  },

  "retry() refuses an epoch below the run's: the state directory was set back": async (scene) => {
    scene.latch.current = 2;
    await scene.submit("r1");
    await scene.store.cancel("r1", "me");
    scene.latch.current = 1;
    await scene.unchanged("r1", async () => {
      const result = await scene.store.retry("r1", RETRY);
      assertEquals(result, { kind: "refused", why: "outdated", state: "cancelled" });
    });
  },

  "retry() refuses what succeeded or has not ended": async (scene) => {
    const ref = await scene.claimed("r1");
    const not = (why: "succeeded" | "not-ended", state: "running" | "queued" | "succeeded") =>
      ({ kind: "refused", why, state }) as const;
    assertEquals(await scene.store.retry("r1", RETRY), not("not-ended", "running"));
    await scene.settle(ref);
    await scene.store.finishRun(ref);
    assertEquals(await scene.store.retry("r1", RETRY), not("succeeded", "succeeded"));
    await scene.submit("r2");
    assertEquals(await scene.store.retry("r2", RETRY), not("not-ended", "queued"));
    assertEquals(await scene.store.retry("r3", RETRY), { kind: "unknown" });
  },
};
