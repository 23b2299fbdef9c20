import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { ROOT } from "../support/cli.ts";
import {
  cycles,
  exits,
  importsOf,
  outOfOrder,
  readsPlatform,
  readsTime,
  type Source,
  TESTED_GUARANTEES,
  tooLong,
  unreadable,
  untested,
  vague,
  withoutEntry,
} from "./rules.ts";

const OWN = [...read(ROOT, "src"), ...read(ROOT, "main.ts")];
const BAD = [
  ...read(join(ROOT, "tests/fixtures/arch"), "src"),
  // As a file it would not pass the type check.
  { path: "src/cli/lost.ts", text: 'import { lost } from "./nowhere.ts";\n' },
];

function read(root: string, path: string): Source[] {
  const whole = join(root, path);
  if (!Deno.statSync(whole).isDirectory) return [{ path, text: Deno.readTextFileSync(whole) }];
  return Array.from(Deno.readDirSync(whole), ({ name }) => `${path}/${name}`).sort().flatMap((
    one,
  ) => Deno.statSync(join(root, one)).isDirectory || one.endsWith(".ts") ? read(root, one) : []);
}

/** A rule, how it reads as a promise, and exactly what it must find in the bad fixture. */
const RULES: readonly (readonly [string, (sources: readonly Source[]) => string[], string[]])[] = [
  ["every import can be read and is there", unreadable, [
    "src/cli/load.ts: cannot read import(name)",
    "src/cli/load.ts: cannot read \"import { disk } from '../disk/mod.ts';\"",
    "src/cli/lost.ts: src/cli/nowhere.ts is not there",
  ]],
  ["a room imports only rooms above it, and store and proc never each other", outOfOrder, [
    "src/parlour/mod.ts: no room of the table",
    "src/clock/mod.ts imports src/engine/cycle_a.ts",
    "src/disk/mod.ts imports src/mod.ts",
    "src/model/mod.ts imports src/disk/mod.ts",
    "src/store/mod.ts imports src/proc/select.ts",
  ]],
  ["no imports go in a circle", cycles, [
    "src/engine/cycle_a.ts → src/engine/cycle_b.ts → src/engine/cycle_c.ts",
  ]],
  ["only proc/select.ts reads the platform", readsPlatform, ["src/disk/mod.ts"]],
  ["only clock/ reads the time or draws random numbers", readsTime, [
    "src/disk/mod.ts",
    "src/engine/cycle_a.ts",
  ]],
  ["only main.ts ends the process", exits, ["src/cli/load.ts"]],
  ["no name says nothing", vague, ["src/engine/helpers.ts", "src/engine/utils/mod.ts"]],
  ["every room has an entry that says what it is for", withoutEntry, [
    "src/cli: no main.ts",
    "src/engine: no mod.ts",
    "src/model/mod.ts: no @module",
    "src/proc: no mod.ts",
  ]],
];

for (const [promise, rule, expected] of RULES) {
  Deno.test(`architecture: ${promise}`, () => assertEquals(rule(OWN), []));

  Deno.test(`architecture control: it is found in the bad fixture where it is not so that ${promise}`, () => {
    assertEquals(rule(BAD).sort(), expected.sort());
  });
}

Deno.test("architecture: no source file is longer than 400 lines", () => {
  assertEquals(tooLong(OWN), []);
  const of = (lines: number) => [{ path: "src/model/mod.ts", text: "\n".repeat(lines) }];
  assertEquals([tooLong(of(400)), tooLong(of(401))], [[], ["src/model/mod.ts: 401 lines"]]);
});

Deno.test("architecture: the scan of imports understands every form that the code uses", () => {
  const text = [
    'import one from "./one.ts";',
    'import { a, type B } from "./two.ts";',
    'import type {\n  C,\n  D,\n} from "./three.ts";',
    'import * as all from "./four.ts";',
    'import config from "./five.json" with { type: "json" };',
    'import "./six.ts";',
    'export * from "./seven.ts";',
    'export * as names from "./eight.ts";',
    'export type {\n  E,\n} from "./nine.ts";',
    'export { f, type G } from "./ten.ts";',
    "export { own };",
    'export const text = "not from";',
    'const late = await import("./eleven.ts");',
    ' * import { example } from "@skein/cli";',
  ].join("\n");
  const { specifiers, late, problems } = importsOf({ path: "x.ts", text });
  assertEquals(late, ["./eleven.ts"]);
  assertEquals(problems, []);
  assertEquals(specifiers, [
    "./one.ts",
    "./two.ts",
    "./three.ts",
    "./four.ts",
    "./five.json",
    "./six.ts",
    "./seven.ts",
    "./eight.ts",
    "./nine.ts",
    "./ten.ts",
  ]);
});

Deno.test("architecture: every guarantee of the local run stands in the name of a test", () => {
  const tests = read(ROOT, "tests").filter(({ path }) =>
    path.endsWith("_test.ts") && !path.startsWith("tests/arch/")
  );
  assert(tests.length > 10);
  assertEquals(untested(tests), []);
});

Deno.test("architecture control: a guarantee in a comment or in other text is no test", () => {
  const text = [
    "// Deno.test holds G1",
    'const name = "G2";',
    'Deno.test("a promise (G3)", () => {});',
    "Deno.test({\n  name: `another (G4, G5)`,\n  fn() {},\n});",
    'Deno.test("G60 and G111", () => {});',
  ].join("\n");
  const left = TESTED_GUARANTEES.filter((id) => !["G3", "G4", "G5"].includes(id));
  assertEquals(untested([{ path: "x_test.ts", text }]), left);
});
