import { assertEquals } from "@std/assert";
import { type Case, type Scene, TTL_MS } from "./world.ts";

const MINUTE_MS = 60_000;

async function order(scene: Scene, count: number): Promise<string[]> {
  const ids: string[] = [];
  for (let index = 0; index < count; index++) ids.push((await scene.claim()).ref.runId);
  return ids;
}

/** What a claim promises. */
export const CLAIM_CASES: Readonly<Record<string, Case>> = {
  "claim() gives the run, its manifest, its tasks, a lease and a token": async (scene) => {
    await scene.submit("r1", { a: {}, b: { needs: ["a"] } });
    const claim = await scene.claim();
    assertEquals(claim.ref, { runId: "r1", owner: "one", token: 1 });
    assertEquals([claim.epoch, claim.round, claim.alone, claim.sequence], [1, 1, false, 0]);
    assertEquals(claim.leaseExpiresAt, claim.at + TTL_MS);
    assertEquals(claim.manifest, await scene.store.manifest("r1"));
    assertEquals(claim.tasks, await scene.store.tasks("r1"));
    const run = await scene.run("r1");
    assertEquals([run.state, run.owner, run.token, run.leaseExpiresAt, run.startedAt], [
      "running",
      "one",
      1,
      claim.leaseExpiresAt,
      claim.at,
    ]);
  },

  "claim() takes the run that has waited longest": async (scene) => {
    for (const id of ["r3", "r1", "r2"]) {
      await scene.submit(id);
      await scene.world.advance(1);
    }
    assertEquals(await order(scene, 3), ["r3", "r1", "r2"]);
  },

  "claim() takes runs of the same age in the order of their ids": async (scene) => {
    for (const id of ["r3", "r1", "r2"]) await scene.submit(id);
    assertEquals(await order(scene, 3), ["r1", "r2", "r3"]);
  },

  "claim() counts a point of priority as a minute of waiting, so that none starves": async (
    scene,
  ) => {
    await scene.submit("old");
    await scene.world.advance(2 * MINUTE_MS);
    await scene.submit("urgent", { a: {} }, 3);
    await scene.submit("eager", { a: {} }, 1);
    await scene.submit("humble", { a: {} }, -1);
    await scene.submit("plain");
    assertEquals(await order(scene, 5), ["urgent", "old", "eager", "plain", "humble"]);
  },

  "claim() answers when the next deferred run is due, and takes it then": async (scene) => {
    assertEquals(await scene.claimResult(), { kind: "none", nextAt: null, at: await now(scene) });
    await lose(scene, "r1");
    await scene.submit("r2");
    const { availableAt } = await scene.run("r1");
    assertEquals((await scene.claim()).ref.runId, "r2");
    const none = await scene.claimResult();
    assertEquals(none, { kind: "none", nextAt: availableAt, at: await now(scene) });
    assertEquals(await scene.claimResult({ runId: "r1" }), {
      kind: "refused",
      why: "deferred",
      availableAt,
    });
    await scene.world.advance(availableAt - await now(scene));
    const claim = await scene.claim();
    assertEquals([claim.ref.runId, claim.ref.token], ["r1", 3]);
    assertEquals((await scene.run("r1")).reason, null);
  },

  "claim() refuses a named run that is not queued, or not there": async (scene) => {
    await scene.claimed("r1");
    const refused = { kind: "refused", availableAt: null } as const;
    assertEquals(await scene.claimResult({ runId: "r1", owner: "two" }), {
      ...refused,
      why: "not-queued",
    });
    assertEquals(await scene.claimResult({ runId: "r2" }), { ...refused, why: "unknown" });
  },

  "claim() takes nothing while stopped, whatever is asked for (G1)": async (scene) => {
    await scene.submit("r1");
    scene.latch.stopped = true;
    await scene.unchanged("r1", async () => {
      assertEquals(await scene.claimResult(), { kind: "stopped" });
      assertEquals(await scene.claimResult({ runId: "r1" }), { kind: "stopped" });
    });
  },

  "claim() never takes what was queued before a stop": async (scene) => {
    await scene.submit("r1");
    scene.latch.pass();
    assertEquals(await scene.claimResult({ epoch: 1 }), { kind: "stopped" });
    assertEquals(await scene.claimResult(), { kind: "none", nextAt: null, at: await now(scene) });
    assertEquals(await scene.claimResult({ runId: "r1" }), {
      kind: "refused",
      why: "invalidated",
      availableAt: null,
    });
  },

  "claim() gives a run whose executor died to nobody who is busy": async (scene) => {
    await lose(scene, "r1", ["one"]);
    await scene.world.advance(TTL_MS);
    assertEquals(await scene.claimResult({ busy: true }), {
      kind: "none",
      nextAt: null,
      at: await now(scene),
    });
    assertEquals(await scene.claimResult({ busy: true, runId: "r1" }), {
      kind: "refused",
      why: "alone",
      availableAt: null,
    });
    await scene.submit("r2");
    assertEquals((await scene.claim({ busy: true })).ref.runId, "r2");
    const claim = await scene.claim();
    assertEquals([claim.ref.runId, claim.alone], ["r1", true]);
  },

  "claim() gives a busy worker nothing else when a run that must be alone has waited for long":
    async (
      scene,
    ) => {
      await lose(scene, "r1", ["one"]);
      await scene.world.advance(6 * MINUTE_MS);
      await scene.submit("r2");
      assertEquals((await scene.claimResult({ busy: true })).kind, "none");
      assertEquals((await scene.claim()).ref.runId, "r1");
      assertEquals((await scene.claim({ busy: true })).ref.runId, "r2");
    },
};

async function now(scene: Scene): Promise<number> {
  return (await scene.store.counts()).at;
}

/** A run whose claim expired; of the executors that are gone it counts as a crash. */
async function lose(scene: Scene, runId: string, gone: readonly string[] = []): Promise<void> {
  scene.world.draw(0.5);
  await scene.claimed(runId);
  await scene.world.advance(TTL_MS);
  assertEquals((await scene.reap({ gone })).map(({ ref }) => ref.runId), [runId]);
}
