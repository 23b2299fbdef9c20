import { assert, assertEquals } from "@std/assert";
import { DatabaseSync, type StatementSync } from "node:sqlite";
import { Scene } from "../conformance/world.ts";
import { SqliteWorld } from "./sqlite_world.ts";

/** What is small however much has ended: what lives has an index of its own. */
const SMALL = /runs_(?:queued|running)|SCAN (?:dependents|migrations|sqlite_)/;
/** A statement that does read a table as a whole. */
const CONTROL = "SELECT id FROM runs WHERE crash_count = 1";

/** The statements that a store prepares. */
async function statements(
  world: SqliteWorld,
  use: (scene: Scene) => Promise<void>,
): Promise<string[]> {
  const found = new Set<string>();
  const { prepare } = DatabaseSync.prototype;
  DatabaseSync.prototype.prepare = function (this: DatabaseSync, sql: string): StatementSync {
    found.add(sql);
    return prepare.call(this, sql);
  };
  try {
    await world.connect();
    await use(new Scene(world));
  } finally {
    DatabaseSync.prototype.prepare = prepare;
  }
  return [...found].filter((sql) => /^\s*(?:SELECT|WITH|UPDATE|DELETE)/.test(sql));
}

/** The statements that read a table as a whole. */
function wholeReads(database: DatabaseSync, sql: readonly string[]): string[] {
  return sql.filter((each) => {
    const plan = database.prepare(`EXPLAIN QUERY PLAN ${each}`).all();
    return plan.some(({ detail }) => /^SCAN \w+/.test(`${detail}`) && !SMALL.test(`${detail}`));
  });
}

Deno.test("the queue's statements read no table as a whole: what has ended costs nothing", async () => {
  await using world = new SqliteWorld();
  const found = await statements(world, async (scene) => {
    const ref = await scene.claimed("r1", { a: {}, b: { needs: ["a"] } });
    await scene.claimResult();
    await scene.settle(ref, "a");
    await scene.settle(ref, "b");
    await scene.store.renew([ref], 1);
    await scene.store.cancelRequested([ref]);
    await scene.store.finishRun(ref);
    await scene.claimed("r2");
    await scene.world.advance(1_000_000);
    await scene.reap();
    await scene.store.closeStopped(1);
    await scene.store.runs({ limit: 9, states: ["queued"] });
    await scene.store.runs({ limit: 9, states: ["running"] });
    await scene.store.run("r");
    await scene.store.events("r1", 0);
    await scene.store.cancel("r2", "me");
  });
  assert(found.length > 15);
  using database = new DatabaseSync(world.path);
  assertEquals(wholeReads(database, [CONTROL]), [CONTROL]);
  assertEquals(wholeReads(database, found), []);
});
