import { assert, assertEquals, assertRejects } from "@std/assert";
import { SkeinError } from "../../src/model/mod.ts";
import type { StartRefusal } from "../../src/store/mod.ts";
import { type Case, FAILED, outputOf, type Scene, SUCCEEDED, TTL_MS } from "./world.ts";

const OTHER = { owner: "two", token: 9 };

async function refusal(
  scene: Scene,
  ref: { runId: string; owner: string; token: number },
  id = "a",
) {
  const result = await scene.store.startTask(ref, id);
  return result.kind === "refused" ? result.why : result.kind;
}

/** What starts, settlements and the end of a run promise. */
export const ATTEMPT_CASES: Readonly<Record<string, Case>> = {
  "startTask() numbers attempts and raises the sequence": async (scene) => {
    const ref = await scene.claimed("r1", { a: { maxAttempts: 2 }, b: {} });
    scene.world.draw(0);
    const first = await scene.start(ref);
    assertEquals([first.pass, first.attempt, first.sequence, first.input], [1, 1, 1, null]);
    const other = await scene.start(ref, "b");
    assertEquals([other.pass, other.attempt, other.sequence], [1, 1, 2]);
    await scene.store.settleTask(ref, first, FAILED);
    const second = await scene.start(ref);
    assertEquals([second.pass, second.attempt, second.sequence], [1, 2, 3]);
    assertEquals((await scene.run("r1")).sequence, 3);
  },

  "startTask() refuses what may not start, and changes nothing": async (scene) => {
    const ref = await scene.claimed("r1", { a: {}, b: { needs: ["a"] } });
    const running = await scene.start(ref);
    await scene.unchanged("r1", async () => {
      const why: StartRefusal[] = ["not-pending", "needs", "unknown"];
      const ids = ["a", "b", "c"];
      for (const [index, id] of ids.entries()) {
        assertEquals(await refusal(scene, ref, id), why[index]);
      }
      assertEquals(await refusal(scene, { ...ref, ...OTHER }, "b"), "stale");
      assertEquals(await refusal(scene, { ...ref, owner: "two" }, "b"), "stale");
      assertEquals(await refusal(scene, { ...ref, token: 2 }, "b"), "stale");
      assertEquals(await refusal(scene, { ...ref, runId: "r2" }), "unknown");
    });
    await scene.store.settleTask(ref, running, SUCCEEDED);
    assertEquals(await refusal(scene, ref), "not-pending");
    await scene.store.cancel("r1", "me");
    assertEquals(await refusal(scene, ref, "b"), "cancelled");
  },

  "startTask() refuses an expired claim, though nobody has taken it": async (scene) => {
    const ref = await scene.claimed("r1");
    await scene.world.advance(TTL_MS - 1);
    await scene.settle(ref);
    const late = await scene.claimed("r2");
    await scene.world.advance(TTL_MS);
    await scene.unchanged("r2", async () => assertEquals(await refusal(scene, late), "stale"));
  },

  "startTask(), settleTask() and finishRun() read the latch in their transaction (G1, G3)": async (
    scene,
  ) => {
    const ref = await scene.claimed("r1", { a: {}, b: {} });
    const running = await scene.start(ref);
    const refuseAll = () =>
      scene.unchanged("r1", async () => {
        assertEquals(await refusal(scene, ref, "b"), "stopped");
        assertEquals(await scene.store.settleTask(ref, running, SUCCEEDED), { kind: "stopped" });
        assertEquals(await scene.store.settleTask(ref, running, FAILED), { kind: "stopped" });
        assertEquals(await scene.store.finishRun(ref), { kind: "stopped" });
      });
    scene.latch.stopped = true;
    await refuseAll();
    scene.latch.pass();
    await refuseAll();
  },

  "settleTask() settles a success with its output, and the row is the publication": async (
    scene,
  ) => {
    const ref = await scene.claimed("r1");
    const output = outputOf("r1/output/a");
    const result = await scene.settle(ref, "a", { ...SUCCEEDED, output });
    assertEquals([result.state, result.pass, result.availableAt, result.skipped], [
      "succeeded",
      1,
      null,
      [],
    ]);
    assertEquals((await scene.task("r1")).output, output);
    const [attempt] = await scene.store.attempts("r1");
    assert(attempt !== undefined);
    assertEquals([attempt.state, attempt.exitCode, attempt.output], ["succeeded", 0, output]);
    assertEquals([attempt.owner, attempt.token, attempt.round], ["one", 1, 1]);
  },

  "settleTask() puts a task with another pass back, and the pass reads what was settled": async (
    scene,
  ) => {
    const ref = await scene.claimed("r1", { a: { passes: 2 } });
    const output = outputOf("r1/data/a.1");
    const result = await scene.settle(ref, "a", { ...SUCCEEDED, output });
    assertEquals([result.state, result.pass], ["pending", 2]);
    assertEquals((await scene.task("r1")).output, null);
    const second = await scene.start(ref);
    assertEquals([second.pass, second.attempt, second.input], [2, 1, output]);
    await scene.store.settleTask(ref, second, SUCCEEDED);
    assertEquals((await scene.task("r1")).output, null);
    assertEquals(await scene.attempts("r1"), ["a.1.1 succeeded", "a.2.1 succeeded"]);
  },

  "settleTask() defers another attempt by full jitter under a bound that doubles": async (
    scene,
  ) => {
    const ref = await scene.claimed("r1", { a: { maxAttempts: 4 } });
    const waits: number[] = [];
    for (const draw of [0, 0.5, 0.999]) {
      scene.world.draw(draw);
      const { state, availableAt, at } = await scene.settle(ref, "a", FAILED);
      assert(state === "pending" && availableAt !== null);
      waits.push(availableAt - at);
      const task = await scene.task("r1");
      assertEquals([task.reason, task.message, task.availableAt], [
        "TASK_DEFERRED_RETRY",
        "Exit code 1",
        availableAt,
      ]);
      if (availableAt > at) assertEquals(await refusal(scene, ref), "deferred");
      await scene.world.advance(availableAt - at);
    }
    assertEquals(waits, [0, 1_000, 3_996]);
    const last = await scene.settle(ref, "a", FAILED);
    assertEquals([last.state, last.availableAt], ["failed", null]);
    assertEquals((await scene.task("r1")).reason, "TASK_FAILED_EXIT");
  },

  "settleTask() gives no other attempt where none can help": async (scene) => {
    const ref = await scene.claimed("r1", { a: { maxAttempts: 4 } });
    const missing = { ...FAILED, reason: "TASK_FAILED_PROGRAM_MISSING", retryable: false } as const;
    assertEquals((await scene.settle(ref, "a", missing)).state, "failed");
  },

  "settleTask() skips what needs a task that failed, in the same transaction": async (scene) => {
    const drafts = {
      a: {},
      b: { needs: ["a"] },
      c: { needs: ["b"] },
      d: {},
      e: { needs: ["d", "c"] },
    };
    const ref = await scene.claimed("r1", drafts);
    await scene.settle(ref, "d");
    const { skipped } = await scene.settle(ref, "a", FAILED);
    assertEquals(skipped, ["b", "c", "e"]);
    assertEquals(await scene.states("r1"), [
      "running",
      "failed",
      "skipped",
      "skipped",
      "succeeded",
      "skipped",
    ]);
    assertEquals((await scene.task("r1", "e")).reason, "TASK_SKIPPED_NEED_FAILED");
    assertEquals((await scene.events("r1")).slice(-3), [
      "task-skipped b",
      "task-skipped c",
      "task-skipped e",
    ]);
  },

  "settleTask() returns stale for whoever does not hold the attempt (G7)": async (scene) => {
    const ref = await scene.claimed("r1", { a: { passes: 2 } });
    const attempt = await scene.start(ref);
    await scene.unchanged("r1", async () => {
      const strangers = [{ ...ref, owner: "two" }, { ...ref, token: 2 }, { ...ref, runId: "r2" }];
      for (const stranger of strangers) {
        assertEquals(await scene.store.settleTask(stranger, attempt, SUCCEEDED), { kind: "stale" });
      }
      for (const other of [{ pass: 2 }, { attempt: 2 }, { taskId: "b" }]) {
        const wrong = { ...attempt, ...other };
        assertEquals(await scene.store.settleTask(ref, wrong, SUCCEEDED), { kind: "stale" });
      }
    });
    await scene.world.advance(TTL_MS);
    await scene.unchanged("r1", async () => {
      assertEquals(await scene.store.settleTask(ref, attempt, SUCCEEDED), { kind: "stale" });
      assertEquals(await scene.store.finishRun(ref), { kind: "stale" });
    });
  },

  "settleTask() and finishRun() return stale after a reap, and the next claim goes on (G7)": async (
    scene,
  ) => {
    const ref = await scene.claimed("r1", { a: { maxAttempts: 2 } });
    const attempt = await scene.start(ref);
    await scene.world.advance(TTL_MS);
    scene.world.draw(0);
    await scene.reap();
    await scene.unchanged("r1", async () => {
      assertEquals(await scene.store.settleTask(ref, attempt, SUCCEEDED), { kind: "stale" });
      assertEquals(await scene.store.finishRun(ref), { kind: "stale" });
    });
    const next = await scene.claim({ owner: "two" });
    await scene.unchanged("r1", async () => {
      assertEquals(await scene.store.settleTask(ref, attempt, SUCCEEDED), { kind: "stale" });
    });
    await scene.settle(next.ref);
    assertEquals((await scene.store.finishRun(next.ref)).kind, "finished");
    assertEquals(await scene.attempts("r1"), ["a.1.1 lost", "a.1.2 succeeded"]);
  },

  "settleTask() gives its own answer again where it was lost": async (scene) => {
    const drafts = { a: { passes: 2 }, b: { maxAttempts: 2 }, c: {}, d: { needs: ["c"] } };
    const ref = await scene.claimed("r1", drafts);
    const { store } = scene;
    for (const [id, verdict] of [["a", SUCCEEDED], ["b", FAILED], ["c", FAILED]] as const) {
      const attempt = await scene.start(ref, id);
      const first = await store.settleTask(ref, attempt, verdict);
      assertEquals(first.kind, "settled");
      await scene.unchanged("r1", async () => {
        assertEquals(await store.settleTask(ref, attempt, verdict), first);
        const other = verdict === FAILED ? SUCCEEDED : FAILED;
        assertEquals(await store.settleTask(ref, attempt, other), { kind: "stale" });
        const stranger = { ...ref, owner: "two" };
        assertEquals(await store.settleTask(stranger, attempt, verdict), { kind: "stale" });
      });
    }
  },

  "settleTask() gives its own answer again though its run was taken meanwhile": async (scene) => {
    const ref = await scene.claimed("r1", { a: {}, b: {} });
    const attempt = await scene.start(ref);
    await scene.store.settleTask(ref, attempt, SUCCEEDED);
    await scene.world.advance(TTL_MS);
    await scene.reap();
    const again = await scene.store.settleTask(ref, attempt, SUCCEEDED);
    assertEquals(again.kind === "settled" && again.state, "succeeded");
    assertEquals(await refusal(scene, ref, "b"), "stale");
  },

  "settleTask() cancels a task that was ended for its run": async (scene) => {
    const ref = await scene.claimed("r1", { a: {}, b: { needs: ["a"] } });
    await scene.store.cancel("r1", "me");
    const why = { reason: "TASK_CANCELLED_OPERATOR", message: null } as const;
    assertEquals(await refusal(scene, ref), "cancelled");
    assertEquals(await scene.store.finishRun(ref), {
      kind: "finished",
      state: "cancelled",
      reason: "RUN_CANCELLED_OPERATOR",
      at: (await scene.store.counts()).at,
    });
    const other = await scene.claimed("r2", { a: {}, b: { needs: ["a"] } });
    const attempt = await scene.start(other);
    await scene.store.cancel("r2", "me");
    const settled = await scene.store.settleTask(other, attempt, { kind: "cancelled", ...why });
    assert(settled.kind === "settled");
    assertEquals([settled.state, settled.skipped], ["cancelled", ["b"]]);
    assertEquals((await scene.store.finishRun(other)).kind, "finished");
    assertEquals(await scene.states("r2"), ["cancelled", "cancelled", "skipped"]);
  },

  "settleTask() refuses a reason of another family, and writes nothing": async (scene) => {
    const ref = await scene.claimed("r1");
    const attempt = await scene.start(ref);
    const wrong = { ...FAILED, reason: "RUN_STOPPED" } as const;
    await scene.unchanged("r1", async () => {
      await assertRejects(() => scene.store.settleTask(ref, attempt, wrong), SkeinError, "settle");
    });
  },

  "finishRun() ends a run with the verdict of its tasks": async (scene) => {
    const good = await scene.claimed("r1", { a: {}, b: {} });
    await scene.settle(good);
    assertEquals(await scene.store.finishRun(good), { kind: "unsettled", tasks: ["b"] });
    const running = await scene.start(good, "b");
    assertEquals(await scene.store.finishRun(good), { kind: "unsettled", tasks: ["b"] });
    await scene.store.settleTask(good, running, SUCCEEDED);
    const finished = await scene.store.finishRun(good);
    assert(finished.kind === "finished");
    assertEquals([finished.state, finished.reason], ["succeeded", null]);
    const run = await scene.run("r1");
    assertEquals([run.state, run.finishedAt, run.leaseExpiresAt, run.owner, run.token], [
      "succeeded",
      finished.at,
      null,
      "one",
      1,
    ]);
    const bad = await scene.claimed("r2", { a: {}, b: {} });
    await scene.settle(bad, "a", FAILED);
    await scene.settle(bad, "b");
    const failed = await scene.store.finishRun(bad);
    assert(failed.kind === "finished");
    assertEquals([failed.state, failed.reason], ["failed", "RUN_FAILED_TASKS"]);
  },

  "finishRun() gives its own answer again where it was lost, and no stranger's": async (scene) => {
    const ref = await scene.claimed("r1");
    await scene.settle(ref);
    const { store } = scene;
    const first = await store.finishRun(ref);
    await scene.unchanged("r1", async () => {
      assertEquals(await store.finishRun(ref), first);
      assertEquals(await store.finishRun({ ...ref, owner: "two" }), { kind: "stale" });
      assertEquals(await store.finishRun({ ...ref, token: 2 }), { kind: "stale" });
      assertEquals(await store.finishRun({ ...ref, runId: "r2" }), { kind: "stale" });
    });
  },

  "finishRun() ends what is pending where the run's time is over": async (scene) => {
    const ref = await scene.claimed("r1", { a: {}, b: { needs: ["a"] } });
    const running = await scene.start(ref);
    const timedOut = { timedOut: true };
    assertEquals((await scene.store.finishRun(ref, timedOut)).kind, "unsettled");
    const over = {
      kind: "cancelled",
      reason: "TASK_CANCELLED_RUN_TIMEOUT",
      message: null,
    } as const;
    await scene.store.settleTask(ref, running, over);
    const finished = await scene.store.finishRun(ref, timedOut);
    assert(finished.kind === "finished");
    assertEquals([finished.state, finished.reason], ["failed", "RUN_FAILED_TIMEOUT"]);
  },
};
