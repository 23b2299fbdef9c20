import { assert, assertEquals, assertNotEquals } from "@std/assert";
import { manifestSchema } from "../../src/manifest/schema.ts";
import { MANIFEST_LIMITS } from "../../src/model/mod.ts";
import { type Row, rowsOf } from "./docs_table.ts";

Deno.test("manifestSchema() is a JSON Schema that names its draft, with title and description for every key", () => {
  const schema = manifestSchema();
  assertEquals(schema["$schema"], "http://json-schema.org/draft-07/schema#");
  const rows = rowsOf(schema);
  assertEquals(rows.length, 31);
  for (const { key, title, meaning } of rows) {
    assert(title !== "" && meaning !== "", key);
    assert(!meaning.endsWith("."), key);
  }
});

Deno.test("manifestSchema() has the ranges and defaults of the model", () => {
  const row = (key: string): Row | undefined =>
    rowsOf(manifestSchema()).find((each) => each.key === key);
  assertEquals(row("workers")?.range, `0…${MANIFEST_LIMITS.maxWorkers}`);
  assertEquals(row("limits.maxPasses")?.default, `${MANIFEST_LIMITS.maxPasses.default}`);
  assertEquals(row("tasks[].timeoutMs")?.range, `1…${MANIFEST_LIMITS.timeoutMs.most}`);
});

Deno.test("manifestSchema() cannot be changed from outside", () => {
  const schema = manifestSchema();
  schema["title"] = "changed";
  assertNotEquals(manifestSchema()["title"], "changed");
});
