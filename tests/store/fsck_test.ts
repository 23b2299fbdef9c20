import { assert, assertEquals } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { CHECKS } from "../../src/store/sqlite/fsck/mod.ts";
import type { Registration } from "../../src/store/mod.ts";
import { FAILED, outputOf, Scene, SUCCEEDED, TTL_MS } from "../conformance/world.ts";
import { SqliteWorld } from "./sqlite_world.ts";

const process = { bootId: "", pidNamespace: "", pid: 1, startTime: "" };
const EXECUTOR: Registration = {
  owner: "one",
  host: "here",
  holderId: "h",
  process,
  epoch: 1,
  concurrency: 1,
};

/** What breaks each check, and what fsck must then name. */
const PLANTS: Readonly<Record<string, { readonly sql: string; readonly id: string }>> = {
  "running-run-has-lease": {
    sql: "UPDATE runs SET lease_expires_at = NULL WHERE id = 'running'",
    id: "running",
  },
  "lease-has-running-run": {
    sql: "UPDATE runs SET owner = 'one' WHERE id = 'waiting'",
    id: "waiting",
  },
  "claim-of-live-executor": { sql: "UPDATE executors SET ended_at = started_at", id: "running" },
  "ended-run-has-ended-tasks": {
    sql: "UPDATE tasks SET state = 'pending' WHERE run_id = 'ended' AND id = 'b'",
    id: "ended/b",
  },
  "queued-run-has-no-running-task": {
    sql: "UPDATE tasks SET state = 'running' WHERE run_id = 'waiting' AND id = 'b'",
    id: "waiting/b",
  },
  "verdict-agrees-with-tasks": {
    sql: "UPDATE tasks SET state = 'failed', reason = 'TASK_FAILED_EXIT' WHERE run_id = 'ended'",
    id: "ended",
  },
  "run-is-explained": { sql: "UPDATE runs SET reason = NULL WHERE id = 'failed'", id: "failed" },
  "run-times-are-ordered": {
    sql: "UPDATE runs SET finished_at = started_at - 1 WHERE id = 'ended'",
    id: "ended",
  },
  "keys-are-unique": {
    sql: "DROP INDEX runs_key; UPDATE runs SET key = 'k' WHERE id IN ('ended', 'failed')",
    id: "ended",
  },
  "epoch-is-highest": { sql: "UPDATE meta SET value = 0", id: "ended" },
  "run-has-manifest": { sql: "DELETE FROM manifests WHERE run_id = 'ended'", id: "ended" },
  "one-active-attempt": {
    sql: "UPDATE attempts SET state = 'lost', ended_at = started_at WHERE run_id = 'running'",
    id: "running/a",
  },
  "active-attempt-is-the-tasks": {
    sql: "UPDATE tasks SET attempt = 2 WHERE run_id = 'running'",
    id: "running/a",
  },
  "active-attempt-is-the-claims": {
    sql: "UPDATE runs SET token = 9 WHERE id = 'running'",
    id: "running/a",
  },
  "attempts-are-dense": {
    sql: "UPDATE attempts SET attempt = 3 WHERE run_id = 'failed' AND attempt = 2",
    id: "failed/a",
  },
  "sequences-rise": {
    sql: "UPDATE attempts SET sequence = 1 WHERE run_id = 'failed'",
    id: "failed",
  },
  "needs-have-succeeded": {
    sql: "INSERT INTO needs VALUES ('running', 'a', 'b')",
    id: "running/a",
  },
  "needs-are-acyclic": { sql: "INSERT INTO needs VALUES ('ended', 'a', 'b')", id: "ended" },
  "task-agrees-with-attempts": {
    sql: "UPDATE attempts SET state = 'failed' WHERE run_id = 'ended' AND pass = 2",
    id: "ended/b",
  },
  "task-is-explained": {
    sql: "UPDATE tasks SET reason = 'NO_SUCH_CODE' WHERE run_id = 'failed'",
    id: "failed/a",
  },
  "attempt-is-explained": {
    sql: "UPDATE attempts SET reason = NULL WHERE run_id = 'failed'",
    id: "failed/a",
  },
  "attempt-times-are-ordered": {
    sql: "UPDATE attempts SET ended_at = NULL WHERE run_id = 'ended' AND task_id = 'a'",
    id: "ended/a",
  },
  "output-is-settled": {
    sql: "UPDATE outputs SET digest = 'short' WHERE run_id = 'ended'",
    id: "ended/a",
  },
  "run-events-are-a-chain": {
    sql: "DELETE FROM events WHERE run_id = 'waiting' AND kind = 'run-claimed'",
    id: "waiting",
  },
  "run-is-where-its-events-end": {
    sql: "DELETE FROM events WHERE run_id = 'ended' AND kind = 'run-finished'",
    id: "ended",
  },
  "task-events-are-a-chain": {
    sql: "DELETE FROM events WHERE run_id = 'ended' AND kind = 'attempt-started' AND pass = 2",
    id: "ended/b",
  },
  "task-is-where-its-events-end": {
    sql: "DELETE FROM events WHERE run_id = 'running' AND kind = 'attempt-started'",
    id: "running/a",
  },
  "token-never-falls": {
    sql: "UPDATE events SET token = 0 WHERE run_id = 'ended' AND kind = 'run-finished'",
    id: "ended",
  },
  "token-is-the-events": {
    sql: "UPDATE runs SET token = 0 WHERE id = 'ended'",
    id: "ended",
  },
};

/** A database with runs in several states, and nothing wrong with them. */
async function healthy(): Promise<SqliteWorld> {
  const world = await SqliteWorld.make();
  const scene = new Scene(world);
  await world.store.registerExecutor(EXECUTOR);
  const ended = await scene.claimed("ended", { a: {}, b: { needs: ["a"], passes: 2 } });
  await scene.settle(ended, "a", { ...SUCCEEDED, output: outputOf("ended/a") });
  await scene.settle(ended, "b");
  await scene.settle(ended, "b");
  await world.store.finishRun(ended);
  world.draw(0);
  const failed = await scene.claimed("failed", { a: { maxAttempts: 2 } });
  await scene.settle(failed, "a", FAILED);
  await scene.settle(failed, "a", FAILED);
  await world.store.finishRun(failed);
  await scene.claimed("waiting", { a: {}, b: {} });
  world.advance(TTL_MS);
  await scene.reap();
  await scene.start(await scene.claimed("running", { a: {}, b: {} }));
  return world;
}

Deno.test("fsck() finds nothing in a healthy database", async () => {
  await using world = await healthy();
  assertEquals(await world.store.fsck(), []);
});

for (const { name } of CHECKS) {
  Deno.test(`fsck() finds a planted row: ${name}`, async () => {
    const plant = PLANTS[name];
    assert(plant !== undefined, "No row is planted for it");
    await using world = await healthy();
    {
      using database = new DatabaseSync(world.path, { enableForeignKeyConstraints: false });
      database.exec(plant.sql);
    }
    const found = (await world.store.fsck()).filter(({ check }) => check === name);
    assert(found.some(({ id }) => id === plant.id), `It found ${JSON.stringify(found)}`);
    assert(found.every(({ message }) => /^[A-Z].*[^.]$/.test(message)));
    assert(found.every(({ message }) => !/null|undefined/.test(message)));
  });
}
