import { assertEquals } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { SqliteWorld } from "./sqlite_world.ts";

const GOLDEN = new URL("./golden_schema.sql", import.meta.url);

Deno.test("the migrations lead to the golden schema", async () => {
  await using world = await SqliteWorld.make();
  using database = new DatabaseSync(world.path);
  const rows = database.prepare(
    "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY type DESC, name",
  ).all();
  const schema = rows.map(({ sql }) => `${sql};\n`).join("\n");
  if (Deno.args.includes("--update")) await Deno.writeTextFile(GOLDEN, schema);
  assertEquals(schema, await Deno.readTextFile(GOLDEN), "Update it: deno test … -- --update");
});
