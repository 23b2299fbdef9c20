import { assertEquals } from "@std/assert";
import { type Case, manifestOf } from "./world.ts";

const ONE = manifestOf({ a: {} });
const TWO = manifestOf({ b: {} });

/** What a submission promises. */
export const SUBMIT_CASES: Readonly<Record<string, Case>> = {
  "submit() queues a run with its tasks, due at once": async (scene) => {
    await scene.submit("r1", { a: {}, b: { needs: ["a"], passes: 2 } }, 3);
    const run = await scene.run("r1");
    assertEquals([run.state, run.name, run.priority, run.epoch, run.round, run.token], [
      "queued",
      "test",
      3,
      1,
      1,
      0,
    ]);
    assertEquals([run.reason, run.owner, run.key, run.sequence], [null, null, null, 0]);
    assertEquals([run.queuedAt, run.availableAt], [run.submittedAt, 0]);
    const tasks = await scene.store.tasks("r1");
    assertEquals(tasks.map(({ id, state, pass, passes }) => [id, state, pass, passes]), [
      ["a", "pending", 1, 1],
      ["b", "pending", 1, 2],
    ]);
    assertEquals((await scene.store.manifest("r1"))?.tasks.length, 2);
    assertEquals(await scene.events("r1"), ["run-submitted"]);
  },

  "submit() is idempotent by key: the first run is the answer": async ({ store }) => {
    const of = (runId: string, manifest = ONE) => ({
      runId,
      key: "k",
      priority: 0,
      epoch: 1,
      manifest,
    });
    assertEquals(await store.submit(of("r1")), { kind: "submitted", runId: "r1" });
    assertEquals(await store.submit(of("r2")), { kind: "known", runId: "r1" });
    assertEquals(await store.submit(of("r3", TWO)), { kind: "key-taken", runId: "r1" });
    assertEquals((await store.runs({ limit: 9 })).map(({ id }) => id), ["r1"]);
  },

  "submit() is idempotent by id: an answer that was lost is given again": async ({ store }) => {
    const of = (manifest = ONE) => ({ runId: "r1", key: null, priority: 0, epoch: 1, manifest });
    assertEquals(await store.submit(of()), { kind: "submitted", runId: "r1" });
    assertEquals(await store.submit(of()), { kind: "known", runId: "r1" });
    assertEquals(await store.submit(of(TWO)), { kind: "key-taken", runId: "r1" });
  },

  "submit() is refused while stopped, and under an epoch that has passed": async (scene) => {
    const { store, latch } = scene;
    const draft = { runId: "r1", key: null, priority: 0, epoch: 1, manifest: ONE };
    latch.stopped = true;
    assertEquals(await store.submit(draft), { kind: "stopped" });
    assertEquals(await store.highestEpoch(), 0);
    latch.pass();
    assertEquals(await store.submit(draft), { kind: "stopped" });
    assertEquals(await store.submit({ ...draft, epoch: 2 }), { kind: "submitted", runId: "r1" });
  },

  "submit() raises the highest epoch that the store has seen, and pruning does not lower it":
    async (
      scene,
    ) => {
      const { store, latch } = scene;
      assertEquals(await store.highestEpoch(), 0);
      latch.current = 7;
      await scene.submit("r1");
      assertEquals(await store.highestEpoch(), 7);
      await store.raiseEpoch(5);
      assertEquals(await store.highestEpoch(), 7);
      await store.raiseEpoch(9);
      await store.cancel("r1", "me");
      assertEquals(await store.prune({ keepRuns: 0 }), { runIds: ["r1"], more: false });
      assertEquals(await store.highestEpoch(), 9);
    },
};
