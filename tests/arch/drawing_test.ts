import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { ROOT } from "../support/cli.ts";
import { importsOf, ROOMS, type Source } from "./rules.ts";

const PAGE = Deno.readTextFileSync(join(ROOT, "docs/architecture.md"));
/** Files beside the rooms are one box of the drawing. */
const ENTRIES = "src/*.ts";

/** The boxes of the drawing, row by row. */
const ROWS = PAGE.split("\n").filter((line) => line.startsWith("│")).map((line) =>
  line.split("│").map((cell) => cell.trim().split("  ")[0] ?? "").filter((name) => name !== "")
);

function sourcesIn(folder: string): Source[] {
  return Array.from(Deno.readDirSync(join(ROOT, folder)), ({ name, isDirectory }) => {
    const path = `${folder}/${name}`;
    if (isDirectory) return sourcesIn(path);
    return path.endsWith(".ts") ? [{ path, text: Deno.readTextFileSync(join(ROOT, path)) }] : [];
  }).flat();
}

/** The box of a file. */
function boxOf(path: string): string {
  if (path === "main.ts") return path;
  const room = /^src\/([^/]+)\//.exec(path)?.[1];
  return room === undefined ? ENTRIES : `${room}/`;
}

/** Imports that do not go down in a drawing. */
function upwards(rows: readonly (readonly string[])[], sources: readonly Source[]): string[] {
  const heightOf = (box: string) => rows.findIndex((row) => row.includes(box));
  return sources.flatMap((source) => {
    const from = boxOf(source.path);
    const { specifiers, late } = importsOf(source);
    return [...specifiers, ...late]
      .filter((specifier) => specifier.startsWith(".") && specifier.endsWith(".ts"))
      .map((specifier) => new URL(specifier, `file:///${source.path}`).pathname.slice(1))
      .filter((to) => boxOf(to) !== from && heightOf(boxOf(to)) <= heightOf(from))
      .map((to) => `${source.path} → ${to}`);
  });
}

Deno.test("docs/architecture.md draws every room once, and every import goes down", () => {
  const rooms = ROOMS.map((room) => `${room}/`);
  assertEquals(ROWS.flat().sort(), ["main.ts", ENTRIES, ...rooms].sort());
  const main = { path: "main.ts", text: Deno.readTextFileSync(join(ROOT, "main.ts")) };
  assertEquals(upwards(ROWS, [main, ...sourcesIn("src")]), []);
});

Deno.test("docs/architecture.md tables the rooms in the order that the imports keep", () => {
  const tabled = Array.from(PAGE.matchAll(/^\| `([a-z]+)\/` \| .+ \|$/gm), ([, room]) => room);
  assertEquals(tabled, [...ROOMS]);
});

Deno.test("an import that goes up or sideways in the drawing is found", () => {
  const source = { path: "src/disk/x.ts", text: 'import { a } from "../fence/a.ts";\n' };
  assertEquals(upwards(ROWS, [source]), ["src/disk/x.ts → src/fence/a.ts"]);
  const beside = { path: "src/store/x.ts", text: 'import { a } from "../proc/a.ts";\n' };
  assert(upwards(ROWS, [beside]).length === 1);
});
