import { assert, assertEquals } from "@std/assert";
import { COMMANDS } from "../../src/cli/commands.ts";
import { loadedBy } from "../arch/loading.ts";
import { ROOT } from "../support/cli.ts";

const DATABASE = /^src\/store\//;
const DURABLE = /^src\/engine\/durable\/(?!queue_path\.ts$)/;

Deno.test("no command loads the database before it opens a queue", () => {
  const entries = Object.keys(COMMANDS).map((name) => `src/cli/${name}.ts`);
  const { files, packages } = loadedBy(ROOT, ["main.ts", "src/cli/main.ts", ...entries]);
  assertEquals(files.filter((file) => DATABASE.test(file)), []);
  assertEquals(packages.filter((name) => name.startsWith("node:")), []);
  const store = loadedBy(ROOT, ["src/store/sqlite/store.ts"]);
  assert(store.packages.includes("node:sqlite"), "a control: it would be found");
});

Deno.test("skein run and reset load nothing of the durable engine where there is no queue", () => {
  for (const name of ["run", "reset"]) {
    const { files } = loadedBy(ROOT, ["main.ts", "src/cli/main.ts", `src/cli/${name}.ts`]);
    assert(files.includes(`src/cli/${name}.ts`));
    assertEquals(files.filter((file) => DATABASE.test(file) || DURABLE.test(file)), []);
  }
});
