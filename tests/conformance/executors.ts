import { assert, assertEquals, assertRejects } from "@std/assert";
import { SkeinError } from "../../src/model/mod.ts";
import type { Registration } from "../../src/store/mod.ts";
import type { Case } from "./world.ts";

function registration(owner: string): Registration {
  const process = { bootId: "boot", pidNamespace: "ns", pid: 7, startTime: "42" };
  return { owner, host: "here", holderId: `h-${owner}`, process, epoch: 1, concurrency: 4 };
}

/** What executors and roles promise. */
export const EXECUTOR_CASES: Readonly<Record<string, Case>> = {
  "registerExecutor() enters an executor, and its heartbeats are seen": async (
    { store, world },
  ) => {
    await store.registerExecutor(registration("one"));
    const [first] = await store.executors();
    assertEquals(first, {
      ...registration("one"),
      startedAt: first?.startedAt ?? 0,
      seenAt: first?.startedAt ?? 0,
      endedAt: null,
      drainRequestedAt: null,
      holds: 0,
    });
    await world.advance(5);
    assert(await store.heartbeat("one"));
    assertEquals((await store.executors())[0]?.seenAt, (first?.startedAt ?? 0) + 5);
    assert(!await store.heartbeat("two"));
    await assertRejects(() => store.registerExecutor(registration("one")), SkeinError);
  },

  "endExecutor() ends it for good, and what it still holds stays visible": async (scene) => {
    const { store } = scene;
    await store.registerExecutor(registration("one"));
    const ref = await scene.claimed("r1");
    assertEquals((await store.executors())[0]?.holds, 1);
    await store.endExecutor("one");
    assertEquals((await store.executors())[0]?.endedAt, (await store.counts()).at);
    assertEquals((await store.fsck()).map(({ check }) => check), ["claim-of-live-executor"]);
    assert(!await store.heartbeat("one"));
    await store.handBack(ref, "RUN_HANDED_BACK_DRAIN");
    assertEquals(await store.executors(), []);
  },

  "requestDrain() asks one executor, or every one that lives": async ({ store }) => {
    for (const owner of ["one", "two", "three"]) await store.registerExecutor(registration(owner));
    await store.endExecutor("three");
    assertEquals(await store.requestDrain("two"), 1);
    assert(await store.drainRequested("two"));
    assert(!await store.drainRequested("one"));
    assertEquals(await store.requestDrain("two"), 0);
    assertEquals(await store.requestDrain(null), 1);
    assert(await store.drainRequested("one"));
    assertEquals(await store.requestDrain("nobody"), 0);
    assert(!await store.drainRequested("nobody"));
  },

  "acquireRole() gives a role to one at a time, with a token that rises": async (
    { store, world },
  ) => {
    assertEquals(await store.acquireRole("reaper", "one", 100), 1);
    assertEquals(await store.acquireRole("reaper", "two", 100), null);
    assertEquals(await store.acquireRole("other", "two", 100), 1);
    await world.advance(60);
    assertEquals(await store.acquireRole("reaper", "one", 100), 1);
    await world.advance(60);
    assertEquals(await store.acquireRole("reaper", "two", 100), null);
    await world.advance(40);
    assertEquals(await store.acquireRole("reaper", "two", 100), 2);
    const [, reaper] = await store.roles();
    assertEquals([reaper?.name, reaper?.owner, reaper?.token], ["reaper", "two", 2]);
  },

  "renewRole() keeps a role, and never one that has expired": async ({ store, world }) => {
    const token = await store.acquireRole("reaper", "one", 100) ?? 0;
    await world.advance(99);
    assert(await store.renewRole("reaper", "one", token, 100));
    assert(!await store.renewRole("reaper", "two", token, 100));
    assert(!await store.renewRole("reaper", "one", token + 1, 100));
    await world.advance(100);
    assert(!await store.renewRole("reaper", "one", token, 100));
    assertEquals(await store.acquireRole("reaper", "one", 100), token + 1);
  },

  "releaseRole() frees a role at once, and only for who has it": async ({ store }) => {
    const token = await store.acquireRole("reaper", "one", 100) ?? 0;
    assert(!await store.releaseRole("reaper", "two", token));
    assert(!await store.releaseRole("reaper", "one", token + 1));
    assert(await store.releaseRole("reaper", "one", token));
    assertEquals(await store.acquireRole("reaper", "two", 100), token + 1);
    assert(!await store.releaseRole("reaper", "one", token));
  },
};
