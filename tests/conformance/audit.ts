import { assertEquals } from "@std/assert";
import { type Case, FAILED, SUCCEEDED, TTL_MS } from "./world.ts";

/** What the audit promises. */
export const AUDIT_CASES: Readonly<Record<string, Case>> = {
  "every transition has exactly one event (G10)": async (scene) => {
    scene.world.draw(0);
    await scene.submit("r1", { a: { passes: 2, maxAttempts: 2 }, b: { needs: ["a"] }, c: {} });
    const first = (await scene.claim()).ref;
    await scene.settle(first);
    await scene.start(first);
    await scene.world.advance(TTL_MS);
    await scene.reap({ gone: ["one"] });
    const second = (await scene.claim({ owner: "two" })).ref;
    await scene.settle(second, "a", { ...FAILED, retryable: false });
    await scene.start(second, "c");
    await scene.store.handBack(second, "RUN_HANDED_BACK_DRAIN");
    const third = (await scene.claim()).ref;
    await scene.settle(third, "c");
    await scene.store.finishRun(third);
    await scene.store.retry("r1", { epoch: 1, failedOnly: true, by: "me" });
    await scene.store.cancel("r1", "me");
    assertEquals(await scene.events("r1"), [
      "run-submitted",
      "run-claimed",
      "attempt-started a",
      "attempt-succeeded a",
      "attempt-started a",
      "attempt-lost a",
      "run-lost",
      "run-claimed",
      "attempt-started a",
      "attempt-failed a",
      "task-skipped b",
      "attempt-started c",
      "attempt-handed-back c",
      "run-handed-back",
      "run-claimed",
      "attempt-started c",
      "attempt-succeeded c",
      "run-finished",
      "task-reopened a",
      "task-reopened b",
      "run-retried",
      "task-cancelled a",
      "task-cancelled b",
      "run-cancelled",
    ]);
  },

  "an event says who did what, under which token, and why (G10)": async (scene) => {
    const ref = await scene.claimed("r1");
    await scene.settle(ref, "a", FAILED);
    await scene.store.finishRun(ref);
    const events = await scene.store.events("r1", 0);
    const told = events.map(({ kind, from, to, owner, token, pass, attempt, reason, message }) =>
      [kind, from, to, owner, token, pass, attempt, reason, message].join(" ")
    );
    assertEquals(told, [
      "run-submitted  queued  0 0 0  ",
      "run-claimed queued running one 1 0 0  ",
      "attempt-started pending running one 1 1 1  ",
      "attempt-failed running failed one 1 1 1 TASK_FAILED_EXIT Exit code 1",
      "run-finished running failed one 1 0 0 RUN_FAILED_TASKS ",
    ]);
    assertEquals(events.map(({ id }) => id), events.map(({ id }) => id).toSorted((a, b) => a - b));
  },

  "refuseNote() adds an event and changes no state": async (scene) => {
    const ref = await scene.claimed("r1");
    const attempt = await scene.start(ref);
    const before = await scene.run("r1");
    await scene.store.refuseNote(ref, attempt, "stale", "Settlement refused");
    await scene.store.refuseNote(ref, null, "stopped", "End refused");
    await scene.store.refuseNote({ ...ref, runId: "r2" }, null, "stale", "Nobody's");
    assertEquals(await scene.run("r1"), before);
    const notes = (await scene.store.events("r1", 0)).filter(({ kind }) =>
      kind === "write-refused"
    );
    assertEquals(
      notes.map(({ taskId, attempt, to, reason, message }) =>
        [taskId, attempt, to, reason, message].join(" ")
      ),
      [
        "a 1  WRITE_REFUSED_STALE Settlement refused",
        " 0  WRITE_REFUSED_STOPPED End refused",
      ],
    );
    await scene.store.settleTask(ref, attempt, SUCCEEDED);
  },

  "a clock that jumps back leaves the times of every row in order": async (scene) => {
    const ref = await scene.claimed("r1", { a: { maxAttempts: 2 }, b: {} });
    const attempt = await scene.start(ref);
    await scene.world.advance(-3_600_000);
    scene.world.draw(0);
    await scene.store.settleTask(ref, attempt, FAILED);
    await scene.settle(ref);
    await scene.settle(ref, "b", { ...FAILED, retryable: false });
    await scene.store.finishRun(ref);
    await scene.world.advance(-3_600_000);
    await scene.store.retry("r1", { epoch: 1, failedOnly: true, by: "me" });
    await scene.claim({ runId: "r1" }).catch(() => null);
    assertEquals((await scene.store.fsck()).length, 0);
  },
};
