import { assert, assertEquals, assertRejects } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { SkeinError } from "../../src/model/mod.ts";
import { openStore } from "../../src/store/mod.ts";
import { Connection } from "../../src/store/sqlite/connection.ts";
import { migrate, type Migration, MIGRATIONS } from "../../src/store/sqlite/migrations.ts";
import { Scene } from "../conformance/world.ts";
import { sha256 } from "../support/digest.ts";
import { SqliteWorld } from "./sqlite_world.ts";

const encoder = new TextEncoder();

/** A world whose database is not opened yet. */
function fresh(): SqliteWorld {
  return new SqliteWorld();
}

function plant(path: string, sql: string): void {
  using database = new DatabaseSync(path);
  database.exec(sql);
}

async function refusal(world: SqliteWorld): Promise<SkeinError> {
  return await assertRejects(() => openStore(world.options), SkeinError);
}

Deno.test("migrations are pinned by their checksums", async () => {
  for (const { name, sql, checksum } of MIGRATIONS) {
    assertEquals(await sha256(encoder.encode(sql)), checksum, `Migration "${name}" was changed`);
  }
});

Deno.test("openStore() makes the database for its user alone, in WAL mode", async () => {
  await using world = await SqliteWorld.make();
  await new Scene(world).submit("r1");
  for (const { name } of Deno.readDirSync(world.folder)) {
    assertEquals((Deno.statSync(`${world.folder}/${name}`).mode ?? 0) & 0o777, 0o600, name);
  }
  using database = new DatabaseSync(world.path);
  assertEquals(database.prepare("PRAGMA journal_mode").get()?.journal_mode, "wal");
});

Deno.test("openStore() applies what is missing once, and keeps what is there", async () => {
  await using world = await SqliteWorld.make();
  await new Scene(world).submit("r1");
  const again = await world.connect();
  assertEquals((await again.runs({ limit: 9 })).map(({ id }) => id), ["r1"]);
  using database = new DatabaseSync(world.path);
  const applied = database.prepare("SELECT version, name FROM migrations").all();
  assertEquals(applied.length, MIGRATIONS.length);
});

Deno.test("migrate() goes forward by the steps that are missing", async () => {
  await using world = await SqliteWorld.make();
  await new Scene(world).submit("r1");
  const connection = new Connection(world.options);
  const next: Migration = {
    name: "a colour",
    sql: "ALTER TABLE runs ADD COLUMN colour TEXT",
    checksum: "c",
  };
  await migrate(connection, [...MIGRATIONS, next]);
  assertEquals(connection.get("SELECT colour FROM runs")?.colour, null);
  await migrate(connection, [...MIGRATIONS, next]);
  connection.close();
  const { code, message } = await refusal(world);
  assertEquals(code, "state-unusable");
  assert(message.includes(`its schema is ${MIGRATIONS.length + 1}`), message);
});

Deno.test("migrate() that fails leaves the database as it was", async () => {
  await using world = await SqliteWorld.make();
  const connection = new Connection(world.options);
  const bad = {
    name: "bad",
    sql: "CREATE TABLE fine (a TEXT); CREATE TABLE runs (a)",
    checksum: "",
  };
  await assertRejects(() => migrate(connection, [...MIGRATIONS, bad]), SkeinError);
  assertEquals(connection.get("SELECT 1 FROM sqlite_schema WHERE name = 'fine'"), undefined);
  connection.close();
  assertEquals(await (await world.connect()).fsck(), []);
});

Deno.test("openStore() by several at once makes one database", async () => {
  await using world = fresh();
  const stores = await Promise.all(Array.from({ length: 4 }, () => world.connect()));
  await new Scene(world).submit("r1");
  for (const store of stores) assertEquals((await store.runs({ limit: 9 })).length, 1);
});

Deno.test("openStore() refuses a migration that is not what was applied", async () => {
  await using world = await SqliteWorld.make();
  plant(world.path, "UPDATE migrations SET checksum = 'other'");
  const { code, message } = await refusal(world);
  assertEquals(code, "state-corrupt");
  assert(message.includes('its migration 1, "the queue"'), message);
});

Deno.test("openStore() refuses what is no queue of Skein's, and leaves it alone", async () => {
  await using world = fresh();
  plant(world.path, "CREATE TABLE theirs (a TEXT)");
  assertEquals((await refusal(world)).code, "state-corrupt");
  using database = new DatabaseSync(world.path);
  const tables = database.prepare("SELECT name FROM sqlite_schema").all();
  assertEquals(tables.map(({ name }) => name), ["theirs"]);
  assertEquals(database.prepare("PRAGMA journal_mode").get()?.journal_mode, "delete");
});

Deno.test("openStore() refuses what is no database, and says where", async () => {
  await using world = fresh();
  Deno.writeTextFileSync(world.path, "no database, but long enough to be read as one".repeat(100));
  const { code, where, next } = await refusal(world);
  assertEquals([code, where], ["state-corrupt", world.path]);
  assert(next !== undefined);
});

Deno.test("openStore() refuses a folder that is not there", async () => {
  await using world = fresh();
  const options = { ...world.options, path: `${world.folder}/none/queue.db` };
  const { code } = await assertRejects(() => openStore(options), SkeinError);
  assertEquals(code, "state-unusable");
});
