import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { COMMANDS } from "../../src/cli/commands.ts";
import { KEEPS, KINDS } from "../../src/cli/permissions.ts";
import { ROOT } from "../support/cli.ts";

const PAGE = join(ROOT, "docs/security.md");
const DECISION = join(ROOT, "docs/adr/0001-dependencies.md");
const LOCKS = ["deno.lock", "tools/npm/deno.lock"];

const SIGHT = { none: "", always: "yes", late: "from its first look" } as const;

/** The lines between two marks, without them. */
function between(page: string, what: string): { before: string; inside: string; after: string } {
  const [, before = "", inside = "", after = ""] =
    new RegExp(`^([^]*<!-- begin ${what}: [^\\n]* -->\\n)([^]*?)(<!-- end ${what} -->[^]*)$`)
      .exec(page) ?? [];
  assert(after !== "", `docs/security.md has a part "${what}"`);
  return { before, inside, after };
}

/** The rows of a table, without its head. */
function rowsOf(table: string): string[][] {
  return table.trim().split("\n").slice(2).map((line) =>
    line.split("|").slice(1, -1).map((cell) => cell.trim())
  );
}

function tableOfCommands(): string {
  // Nothing keeps these: no column for them.
  const kinds = KINDS.filter((kind) => {
    return Object.values(KEEPS).some((keeps) => keeps.kinds.includes(kind));
  });
  const rows = Object.keys(COMMANDS).map((name) => {
    const { kinds: kept = [], sight = "none" } = KEEPS[name] ?? {};
    const cells = kinds.map((kind) => kept.includes(kind) ? "keeps" : "");
    return [`\`${name}\``, ...cells, SIGHT[sight]];
  });
  const lines = [["command", ...kinds, "sees processes"], kinds.concat([]).map(() => "---")];
  lines[1] = Array.from({ length: kinds.length + 2 }, () => "---");
  return [...lines, ...rows].map((cells) => `| ${cells.join(" | ")} |\n`).join("");
}

Deno.test("docs/security.md tables what each command keeps, as the code has it", async () => {
  const page = await Deno.readTextFile(PAGE);
  const { before, inside, after } = between(page, "commands");
  const wanted = tableOfCommands();
  if (Deno.args.includes("--update")) {
    await Deno.writeTextFile(PAGE, `${before}${wanted}${after}`);
  } else assertEquals(inside, wanted, "Update it: deno task generate");
});

/** `zod@4.6.7` and `@std/path@1.1.5` without the version. */
function nameOf(versioned: string): string {
  return versioned.replace(/(?<=.)@.*$/, "");
}

/** `npm:ajv@8.20.0/dist/standalone/index.js` is of the package `ajv`. */
function packageOf(target: string): string {
  return nameOf(/^\w+:((?:@[^/]+\/)?[^/]+)/.exec(target)?.[1] ?? target);
}

Deno.test("docs/security.md names every package of deno.json and of both lock files, and no other", async () => {
  const { inside } = between(await Deno.readTextFile(PAGE), "dependencies");
  const rows = rowsOf(inside);
  const named = (cell = "") => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name);
  const direct = rows.flatMap(([name]) => named(name));
  const all = new Set([...direct, ...rows.flatMap(([, , , brings]) => named(brings))]);

  const { imports } = JSON.parse(await Deno.readTextFile(join(ROOT, "deno.json")));
  const own = new Set(Object.values(imports as Record<string, string>).map(packageOf));
  assertEquals(direct.filter((name) => name !== "deno-std").sort(), [...own].sort());

  const locked = new Set<string>();
  for (const path of LOCKS) {
    const { jsr = {}, npm = {} } = JSON.parse(await Deno.readTextFile(join(ROOT, path)));
    for (const name of Object.keys({ ...jsr, ...npm })) locked.add(nameOf(name));
  }
  assertEquals([...all].sort(), [...locked].sort());
});

Deno.test("docs/adr/0001-dependencies.md says why each package of deno.json is there", async () => {
  const [table = ""] = /^\|[^]*?\n\n/m.exec(await Deno.readTextFile(DECISION)) ?? [];
  const decided = rowsOf(table).flatMap(([names = ""]) => {
    return [...names.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name.replace(/\/mini$/, ""));
  });
  const { imports } = JSON.parse(await Deno.readTextFile(join(ROOT, "deno.json")));
  const own = new Set(Object.values(imports as Record<string, string>).map(packageOf));
  assertEquals([...new Set(decided)].sort(), [...own].sort());
});
