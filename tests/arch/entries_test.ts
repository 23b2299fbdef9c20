import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { ROOT } from "../support/cli.ts";
import { report } from "../support/figures.ts";
import { loadedBy } from "./loading.ts";
import { importsOf } from "./rules.ts";

const CONFIG = JSON.parse(Deno.readTextFileSync(join(ROOT, "deno.json")));
const EXPORTS: Readonly<Record<string, string>> = CONFIG.exports;

/** What an entry reaches in all, also what it loads late: what a program that imports it fetches or bundles. */
function reachedBy(entry: string): { files: string[]; packages: string[] } {
  const files = new Set([entry]);
  const packages = new Set<string>();
  for (const path of files) {
    if (!path.endsWith(".ts")) continue;
    const { specifiers, late } = importsOf({ path, text: Deno.readTextFileSync(join(ROOT, path)) });
    for (const specifier of [...specifiers, ...late]) {
      if (!specifier.startsWith(".")) packages.add(specifier);
      else files.add(new URL(specifier, `file:///${path}`).pathname.slice(1));
    }
  }
  return { files: [...files], packages: [...packages].sort() };
}

/** What an entry must never reach, its packages, and the most files that it loads at once and reaches in all. */
interface Bounds {
  readonly never: RegExp;
  readonly packages: readonly string[];
  readonly atOnce: number;
  readonly inAll: number;
}

const BOUNDS: Readonly<Record<string, Bounds>> = {
  "./lib": {
    never: /^(?:main\.ts|src\/cli\/|src\/view\/)/,
    // A reset closes what the queue had.
    packages: ["@std/path", "jsonc-parser", "node:crypto", "node:sqlite", "zod/mini"],
    atOnce: 80,
    inAll: 190,
  },
  "./manifest": {
    never: /^(?:main\.ts|src\/(?:cli|view|store|proc|fence|engine|clock)\/)/,
    packages: ["@std/path", "jsonc-parser", "zod/mini"],
    atOnce: 12,
    inAll: 50,
  },
  "./lease": {
    never: /^(?:main\.ts|src\/(?:cli|view|store|proc|engine|manifest)\/)/,
    packages: [],
    atOnce: 40,
    inAll: 40,
  },
};

Deno.test("every entry of the package but the whole one has bounds, and is the file that the package names", () => {
  assertEquals(Object.keys(EXPORTS), [".", ...Object.keys(BOUNDS)]);
  assertEquals(EXPORTS["."], "./main.ts");
});

for (const [name, { never, packages, atOnce, inAll }] of Object.entries(BOUNDS)) {
  Deno.test(`@skein/cli${name.slice(1)} loads little at once, and reaches only what it is for`, () => {
    const entry = (EXPORTS[name] ?? "").slice(2);
    const first = loadedBy(ROOT, [entry]);
    const all = reachedBy(entry);
    report(`${name}: ${first.files.length} modules at once, ${all.files.length} in all`);
    assertEquals(first.packages, [], "no package before it is needed");
    assertEquals(all.packages.filter((one) => !packages.includes(one)), []);
    assertEquals(all.files.filter((file) => never.test(file)), []);
    assert(first.files.length <= atOnce, `${first.files.length}: ${first.files.join(", ")}`);
    assert(all.files.length <= inAll, `${all.files.length}: ${all.files.join(", ")}`);
  });
}

Deno.test("reachedBy() finds what is loaded late: the whole entry reaches the command line and the database", () => {
  const { files, packages } = reachedBy("main.ts");
  assert(files.includes("src/cli/run.ts") && files.some((file) => file.startsWith("src/store/")));
  assert(packages.includes("node:sqlite"));
});

Deno.test("the entries are one library: a class of one is the class of another", async () => {
  const entries = await Promise.all(Object.values(EXPORTS).map((path) => import(`../../${path}`)));
  const [whole, ...others] = entries;
  for (const entry of others) {
    for (const [name, value] of Object.entries(entry)) {
      assert(whole[name] === value, `${name} is another one in the whole entry`);
    }
  }
});
