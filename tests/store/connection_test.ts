import { assert, assertEquals, assertRejects } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { type Clock, seededRng, systemClock } from "../../src/clock/mod.ts";
import { SkeinError } from "../../src/model/mod.ts";
import { openStore, type StoreWait } from "../../src/store/mod.ts";
import { Connection } from "../../src/store/sqlite/connection.ts";
import { needing } from "../support/capability.ts";
import { exists } from "../support/swarm.ts";
import { manifestOf, Scene, SUCCEEDED } from "../conformance/world.ts";
import { SqliteWorld } from "./sqlite_world.ts";

/** Somebody else's transaction that writes. */
class ForeignLock implements Disposable {
  readonly #database: DatabaseSync;

  constructor(path: string) {
    this.#database = new DatabaseSync(path, { timeout: 0 });
    this.#database.exec("BEGIN IMMEDIATE");
  }

  [Symbol.dispose](): void {
    this.#database.close();
  }
}

/** A clock on which each wait takes as long as it says, at once. */
function hastyClock(waits: number[]): Clock {
  let now = 1_800_000_000_000;
  return {
    wall: () => now,
    mono: () => now,
    sleep: (ms, signal) => {
      if (!signal?.aborted) waits.push(ms);
      now += ms;
      // Now and then the event loop has its turn.
      if (waits.length % 50 > 0) return Promise.resolve();
      return new Promise((resolve) => setTimeout(resolve, 0));
    },
  };
}

function submission(runId: string) {
  return { runId, key: null, priority: 0, epoch: 1, manifest: manifestOf({ a: {} }) };
}

Deno.test("a write waits while somebody else holds the lock, and says so once a wait", async () => {
  await using world = await SqliteWorld.make();
  const waits: number[] = [];
  const told: StoreWait[] = [];
  const onWait = (wait: StoreWait) => void told.push(wait);
  const store = await openStore({ ...world.options, clock: hastyClock(waits), onWait });
  try {
    for (const round of [1, 2]) {
      const lock = new ForeignLock(world.path);
      const pending = Promise.all(
        ["a", "b"].map((id) => store.submit(submission(`${id}${round}`))),
      );
      while (told.length < round) await new Promise((resolve) => setTimeout(resolve, 1));
      const before = waits.length;
      while (waits.length < before + 500) await new Promise((resolve) => setTimeout(resolve, 1));
      lock[Symbol.dispose]();
      assertEquals((await pending).map(({ kind }) => kind), ["submitted", "submitted"]);
    }
    assertEquals(told.map(({ path, what }) => [path, what]), [[world.path, "submit"], [
      world.path,
      "submit",
    ]]);
    assert(told.every(({ waitedMs }) => waitedMs >= 1_000 && waitedMs < 1_100));
  } finally {
    await store.close();
  }
});

Deno.test("the pauses between two tries are below a millisecond, and grow with a long wait", async () => {
  await using world = await SqliteWorld.make();
  const waits: number[] = [];
  const options = { ...world.options, rng: seededRng(7), clock: hastyClock(waits) };
  const store = await openStore(options);
  const lock = new ForeignLock(world.path);
  const pending = store.submit(submission("r1"));
  while (waits.length < 2_000) await new Promise((resolve) => setTimeout(resolve, 1));
  lock[Symbol.dispose]();
  await pending;
  await store.close();
  const first = waits.slice(0, 200);
  assert(first.every((wait) => wait >= 0.1 && wait <= 0.5));
  assert(new Set(first).size > 190, "The pauses are not drawn");
  assert(waits.slice(1_900, 2_000).every((wait) => wait >= 2 && wait <= 10));
});

Deno.test("close() ends a wait for the lock", async () => {
  await using world = await SqliteWorld.make();
  const store = await openStore({ ...world.options, clock: systemClock });
  using _lock = new ForeignLock(world.path);
  const pending = store.submit(submission("r1"));
  await store.close();
  const error = await assertRejects(() => pending, SkeinError);
  assertEquals([error.code, error.message.endsWith("the store is closed")], [
    "state-unusable",
    true,
  ]);
  await assertRejects(() => store.counts(), SkeinError, "the store is closed");
  await store.close();
});

Deno.test("a read does not wait for who writes", async () => {
  await using world = await SqliteWorld.make();
  await new Scene(world).submit("r1");
  using _lock = new ForeignLock(world.path);
  assertEquals((await world.store.runs({ limit: 9 })).length, 1);
  assertEquals(await world.store.fsck(), []);
});

Deno.test("the latch is asked inside the transaction that writes (G1, G3)", async () => {
  await using world = await SqliteWorld.make();
  const scene = new Scene(world);
  await scene.submit("r1");
  const seen: boolean[] = [];
  world.latch.isClear = () => {
    seen.push(isLocked(world.path));
    return true;
  };
  const { ref } = await scene.claim();
  const attempt = await scene.start(ref);
  await world.store.settleTask(ref, attempt, SUCCEEDED);
  await world.store.finishRun(ref);
  assertEquals(seen, [true, true, true, true]);
});

Deno.test("a latch that cannot be read ends the transaction without a trace", async () => {
  await using world = await SqliteWorld.make();
  const scene = new Scene(world);
  await scene.submit("r1");
  const { isClear } = world.latch;
  world.latch.isClear = () => {
    throw new Error("no such folder");
  };
  await scene.unchanged("r1", async () => {
    await assertRejects(() => scene.claimResult(), Error, "no such folder");
  });
  world.latch.isClear = isClear;
  assertEquals((await scene.claim()).ref.token, 1);
});

Deno.test("what SQLite refuses is told apart: a wrong statement is no outage", async () => {
  await using world = await SqliteWorld.make();
  const connection = new Connection(world.options);
  const codeOf = async (sql: string) => {
    const write = () => connection.write("upkeep", () => connection.change(sql));
    return (await assertRejects(write, SkeinError)).code;
  };
  assertEquals(await codeOf("SELEC 1"), "internal");
  assertEquals(await codeOf("INSERT INTO needs VALUES ('r', 'a', 'b')"), "internal");
  connection.script("PRAGMA max_page_count = 1");
  const large = "CREATE TABLE large AS SELECT zeroblob(9999999) AS a";
  assertEquals(await codeOf(large), "state-unusable");
  connection.close();
});

function isLocked(path: string): boolean {
  try {
    new ForeignLock(path)[Symbol.dispose]();
    return false;
  } catch {
    return true;
  }
}

/** Locks on a file, as the system tells them. */
function locksOn(path: string): number {
  const { ino } = Deno.statSync(path);
  const lines = Deno.readTextFileSync("/proc/locks").split("\n");
  return lines.filter((line) => line.includes(`:${ino} `)).length;
}

Deno.test({
  ...needing("opening a second store takes no lock from the first one of the same process (G7)", {
    "/proc/locks": exists("/proc/locks"),
  }),
  async fn() {
    await using world = await SqliteWorld.make();
    await world.store.submit(submission("a"));
    assertEquals(locksOn(world.path), 1);
    const second = await openStore(world.options);
    assertEquals(locksOn(world.path), 1);
    await second.close();
    assertEquals(locksOn(world.path), 1);
  },
});
