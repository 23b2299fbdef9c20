import { assert, assertEquals } from "@std/assert";
import { type Case, TTL_MS } from "./world.ts";

/** What renewals promise. */
export const RENEWAL_CASES: Readonly<Record<string, Case>> = {
  "renew() renews a batch, and tells which claims are lost": async (scene) => {
    const first = await scene.claimed("r1");
    const second = await scene.claimed("r2");
    await scene.world.advance(TTL_MS - 1);
    const gone = [
      { ...first, token: 2 },
      { ...second, owner: "two" },
      { ...first, runId: "r3" },
    ];
    const result = await scene.store.renew([first, ...gone, second], TTL_MS);
    assertEquals(result.renewed, [first, second]);
    assertEquals(result.lost, gone);
    assertEquals(result.expiresAt, result.at + TTL_MS);
    assertEquals((await scene.run("r1")).leaseExpiresAt, result.expiresAt);
    await scene.world.advance(TTL_MS - 1);
    assertEquals(await scene.reap(), []);
  },

  "renew() never renews what has expired, though nobody has taken it": async (scene) => {
    const ref = await scene.claimed("r1");
    await scene.world.advance(TTL_MS);
    await scene.unchanged("r1", async () => {
      const { renewed, lost } = await scene.store.renew([ref], TTL_MS);
      assertEquals([renewed, lost], [[], [ref]]);
    });
  },

  "renew() renews nothing that has ended, was handed back or was taken": async (scene) => {
    const ended = await scene.claimed("r1");
    await scene.settle(ended);
    await scene.store.finishRun(ended);
    const back = await scene.claimed("r2");
    await scene.store.handBack(back, "RUN_HANDED_BACK_DRAIN");
    const { renewed, lost } = await scene.store.renew([ended, back], TTL_MS);
    assertEquals([renewed, lost], [[], [ended, back]]);
  },

  "cancelRequested() names the claims whose run is to be cancelled": async (scene) => {
    const first = await scene.claimed("r1");
    const second = await scene.claimed("r2");
    assertEquals(await scene.store.cancelRequested([first, second]), []);
    await scene.store.cancel("r2", "me");
    const strangers = [{ ...second, token: 7 }, { ...second, owner: "two" }];
    assertEquals(await scene.store.cancelRequested([first, second, ...strangers]), [second]);
  },

  "handBack() puts a run back: its attempts count against nothing": async (scene) => {
    const ref = await scene.claimed("r1", { a: {}, b: {}, c: {} });
    await scene.settle(ref, "b");
    const attempt = await scene.start(ref);
    assert(await scene.store.handBack(ref, "RUN_HANDED_BACK_DRAIN"));
    assertEquals(await scene.states("r1"), ["queued", "pending", "succeeded", "pending"]);
    const run = await scene.run("r1");
    assertEquals([run.reason, run.owner, run.leaseExpiresAt, run.token, run.crashCount], [
      "RUN_HANDED_BACK_DRAIN",
      null,
      null,
      2,
      0,
    ]);
    assertEquals(await scene.store.settleTask(ref, attempt, { kind: "succeeded", output: null }), {
      kind: "stale",
    });
    const next = await scene.claim({ owner: "two" });
    assertEquals([next.ref.token, next.alone, next.sequence], [3, false, 2]);
    // It had one attempt, and has it still.
    await scene.settle(next.ref);
    assertEquals(await scene.attempts("r1"), [
      "b.1.1 succeeded",
      "a.1.1 handed-back",
      "a.1.2 succeeded",
    ]);
  },

  "handBack() takes nothing that was not the caller's to give": async (scene) => {
    const ref = await scene.claimed("r1");
    const { store } = scene;
    await scene.unchanged("r1", async () => {
      for (const wrong of [{ owner: "two" }, { token: 2 }, { runId: "r2" }]) {
        assert(!await store.handBack({ ...ref, ...wrong }, "RUN_HANDED_BACK_DRAIN"));
      }
    });
    await store.handBack(ref, "RUN_HANDED_BACK_DRAIN");
    assert(!await store.handBack(ref, "RUN_HANDED_BACK_DRAIN"));
  },

  "handBack() of a run that a stop has invalidated closes it as stopped": async (scene) => {
    const ref = await scene.claimed("r1", { a: {}, b: {} });
    await scene.start(ref);
    scene.latch.pass();
    assert(await scene.store.handBack(ref, "RUN_HANDED_BACK_DRAIN"));
    assertEquals(await scene.states("r1"), ["stopped", "stopped", "stopped"]);
  },

  "handBack() of a run that is to be cancelled ends it": async (scene) => {
    const ref = await scene.claimed("r1", { a: {}, b: {} });
    await scene.start(ref);
    await scene.store.cancel("r1", "me");
    assert(await scene.store.handBack(ref, "RUN_HANDED_BACK_DRAIN"));
    assertEquals(await scene.states("r1"), ["cancelled", "cancelled", "cancelled"]);
    assertEquals(await scene.attempts("r1"), ["a.1.1 handed-back"]);
  },
};
