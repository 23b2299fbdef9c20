import { assert, assertEquals } from "@std/assert";
import { dirname, join } from "@std/path";
import { importsOf } from "../arch/rules.ts";
import { ROOT } from "../support/cli.ts";

/** Every file, and every module of the runtime, that is loaded as soon as a file is. Types are not. */
function loadedWith(path: string, seen: Set<string> = new Set()): Set<string> {
  if (seen.has(path)) return seen;
  seen.add(path);
  if (!path.endsWith(".ts")) return seen;
  const text = Deno.readTextFileSync(join(ROOT, path)).replaceAll(
    /^(?:import|export) type\b[^;]*;/gm,
    "",
  );
  for (const specifier of importsOf({ path, text }).specifiers) {
    if (specifier.startsWith(".")) loadedWith(join(dirname(path), specifier), seen);
    else seen.add(specifier);
  }
  return seen;
}

const LIGHT = ["run", "stop", "status", "reset", "version"];
const HEAVY = [/^node:/, /^src\/store\//, /^src\/engine\/durable\/(?!queue_path\.ts$)/];

for (const name of LIGHT) {
  Deno.test(`skein ${name} loads neither the store nor the durable engine before there is a queue`, () => {
    const loaded = [...loadedWith(`src/cli/${name}.ts`), ...loadedWith("src/cli/main.ts")];
    assert(loaded.length > 5);
    assertEquals(loaded.filter((path) => HEAVY.some((heavy) => heavy.test(path))), []);
  });
}

Deno.test("the look at what is loaded finds a store that is loaded at once", () => {
  const loaded = [...loadedWith("src/store/sqlite/store.ts")];
  assert(loaded.includes("node:sqlite") && loaded.includes("src/store/sqlite/connection.ts"));
});
