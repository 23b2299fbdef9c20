import { assertEquals } from "@std/assert";
import type { QueuedRun } from "../../src/model/mod.ts";
import type { Case, Scene } from "./world.ts";

const ids = (runs: readonly QueuedRun[]) => runs.map(({ id }) => id);

/** Runs in several states: `e1` to `e3` succeeded, one after another, `q1` and `q2` wait, `w1` runs. */
async function several(scene: Scene): Promise<void> {
  for (const id of ["e1", "e2", "e3"]) {
    const ref = await scene.claimed(id);
    await scene.settle(ref);
    await scene.store.finishRun(ref);
    await scene.world.advance(100);
  }
  await scene.claimed("w1");
  for (const id of ["q1", "q2"]) {
    await scene.submit(id);
    await scene.world.advance(100);
  }
}

/** What readers are promised, and pruning. */
export const READ_CASES: Readonly<Record<string, Case>> = {
  "runs() gives the newest first, by state, page after page": async (scene) => {
    await several(scene);
    const { store } = scene;
    assertEquals(ids(await store.runs({ limit: 99 })), ["w1", "q2", "q1", "e3", "e2", "e1"]);
    assertEquals(ids(await store.runs({ limit: 2, before: "q1" })), ["e3", "e2"]);
    assertEquals(ids(await store.runs({ limit: 9, states: ["queued"] })), ["q2", "q1"]);
    assertEquals(ids(await store.runs({ limit: 9, states: ["running"] })), ["w1"]);
    assertEquals(ids(await store.runs({ limit: 1, states: ["queued", "succeeded"] })), ["q2"]);
    assertEquals(ids(await store.runs({ limit: 9, states: ["failed", "stopped"] })), []);
    assertEquals(ids(await store.runs({ limit: 9, states: [] })), []);
  },

  "run() finds an id, or the beginning of one": async (scene) => {
    for (const id of ["r1", "r11", "r12", "s1"]) await scene.submit(id);
    const found = async (text: string) => {
      const result = await scene.store.run(text);
      return result.kind === "found" ? result.run.id : result;
    };
    assertEquals(await found("r1"), "r1");
    assertEquals(await found("r11"), "r11");
    assertEquals(await found("s"), "s1");
    assertEquals(await found("r"), { kind: "ambiguous", runIds: ["r1", "r11", "r12"] });
    for (const text of ["", "x", "r13", "%", "r_"]) {
      assertEquals(await found(text), { kind: "none" });
    }
  },

  "counts() says how many there are, how long one has waited, and what is due next": async (
    scene,
  ) => {
    await several(scene);
    const { at, states, oldestDueAt, nextDueAt } = await scene.store.counts();
    assertEquals(states, {
      queued: 2,
      running: 1,
      succeeded: 3,
      failed: 0,
      cancelled: 0,
      stopped: 0,
    });
    assertEquals([at - (oldestDueAt ?? 0), nextDueAt], [200, null]);
  },

  "events() gives what came after an event": async (scene) => {
    const ref = await scene.claimed("r1");
    const [submitted] = await scene.store.events("r1", 0);
    await scene.settle(ref);
    const kinds = async (after: number, limit?: number) =>
      (await scene.store.events("r1", after, limit)).map(({ kind }) => kind);
    const after = submitted?.id ?? 0;
    assertEquals(await kinds(after), ["run-claimed", "attempt-started", "attempt-succeeded"]);
    assertEquals(await kinds(after, 1), ["run-claimed"]);
    assertEquals(await scene.store.events("r2", 0), []);
  },

  "prune() removes the oldest ended runs beyond a number, with all that belongs to them": async (
    scene,
  ) => {
    await several(scene);
    const { store } = scene;
    assertEquals(await store.prune({ keepRuns: 3 }), { runIds: [], more: false });
    assertEquals(await store.prune({ keepRuns: 1, limit: 1 }), { runIds: ["e1"], more: true });
    assertEquals(await store.prune({ keepRuns: 1 }), { runIds: ["e2"], more: false });
    assertEquals(ids(await store.runs({ limit: 9 })), ["w1", "q2", "q1", "e3"]);
    assertEquals([await store.tasks("e1"), await store.attempts("e1")], [[], []]);
    assertEquals([await store.events("e1", 0), await store.manifest("e1")], [[], null]);
  },

  "prune() removes ended runs beyond an age, and never one that has not ended": async (scene) => {
    await several(scene);
    const { store } = scene;
    assertEquals(await store.prune({ keepMs: 400 }), { runIds: ["e1"], more: false });
    await scene.world.advance(1_000_000);
    assertEquals((await store.prune({ keepMs: 400 })).runIds, ["e2", "e3"]);
    assertEquals(ids(await store.runs({ limit: 9 })), ["w1", "q2", "q1"]);
    assertEquals(await store.prune({}), { runIds: [], more: false });
  },

  "checkpoint() loses nothing": async (scene) => {
    await several(scene);
    await scene.store.checkpoint();
    assertEquals((await (await scene.world.connect()).runs({ limit: 9 })).length, 6);
  },
};
