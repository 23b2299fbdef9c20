import { assertEquals } from "@std/assert";
import { type Case, TTL_MS } from "./world.ts";

const RUNS = 40;
const CONNECTIONS = 4;

/** What holds when several connections write at once. */
export const CONCURRENCY_CASES: Readonly<Record<string, Case>> = {
  "concurrent claims never give a run twice": async (scene) => {
    for (let index = 0; index < RUNS; index++) await scene.submit(`r${100 + index}`);
    const stores = await Promise.all(
      Array.from({ length: CONNECTIONS }, () => scene.world.connect()),
    );
    const claimed = await Promise.all(stores.map(async (store, index) => {
      const ids: string[] = [];
      for (;;) {
        const claim = await store.claim({ owner: `w${index}`, epoch: 1, leaseTtlMs: TTL_MS });
        if (claim.kind !== "claimed") return ids;
        ids.push(claim.ref.runId);
      }
    }));
    const all = claimed.flat();
    assertEquals([all.length, new Set(all).size], [RUNS, RUNS]);
  },

  "concurrent claims of one named run give it to one": async (scene) => {
    await scene.submit("r1");
    const stores = await Promise.all(
      Array.from({ length: CONNECTIONS }, () => scene.world.connect()),
    );
    const results = await Promise.all(
      stores.map((store, index) =>
        store.claim({ owner: `w${index}`, epoch: 1, leaseTtlMs: TTL_MS, runId: "r1" })
      ),
    );
    assertEquals(results.filter(({ kind }) => kind === "claimed").length, 1);
  },

  "concurrent reaps take a run once": async (scene) => {
    await scene.claimed("r1");
    await scene.world.advance(TTL_MS);
    const stores = await Promise.all(
      Array.from({ length: CONNECTIONS }, () => scene.world.connect()),
    );
    const reaped = await Promise.all(stores.map((store) => store.reap(scene.terms(["one"]))));
    assertEquals(reaped.flat().length, 1);
    assertEquals((await scene.run("r1")).crashCount, 1);
  },

  "concurrent submissions under one key give one run": async (scene) => {
    const { manifest } = await manifestOfOne(scene);
    const stores = await Promise.all(
      Array.from({ length: CONNECTIONS }, () => scene.world.connect()),
    );
    const results = await Promise.all(
      stores.map((store, index) =>
        store.submit({ runId: `s${index}`, key: "k", priority: 0, epoch: 1, manifest })
      ),
    );
    assertEquals(new Set(results.map((result) => "runId" in result && result.runId)).size, 1);
    assertEquals(results.filter(({ kind }) => kind === "submitted").length, 1);
  },
};

async function manifestOfOne(scene: Parameters<Case>[0]) {
  await scene.submit("r1");
  return await scene.claim();
}
