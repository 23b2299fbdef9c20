/**
 * Both proofs on every way that this machine has to start Skein: from the sources, as an executable that is compiled
 * here, and as the package by its name. The last line has the numbers.
 *
 * @module
 */
import { join } from "@std/path";
import { messageOf } from "../../src/model/error.ts";
import { compileAnywhere, describe } from "../compile/compile.ts";
import { ROOT } from "../compile/copy.ts";
import { differencesOf } from "../compile/differences.ts";
import { registryConfig } from "../registry.ts";
import { layOutPackage } from "./package.ts";
import { lead, type Proof, proofsOf, say } from "./main.ts";
import { demand, Start } from "./start.ts";

/** A way to start Skein: its words, or why this machine does not have it. */
export interface Way {
  /** For a reader. */
  readonly name: string;
  /** The words, made when they are needed. */
  readonly words: () => Promise<readonly string[] | { readonly missing: string }>;
  /** What is proved besides. */
  readonly more?: readonly Proof[];
}

/** What came of the proofs. */
export interface Tally {
  passed: number;
  failed: number;
  skipped: number;
}

/** Leads every proof on every way. A way that cannot be made ready fails; one that the machine lacks is skipped. */
export async function proveEverywhere(ways: readonly Way[]): Promise<Tally> {
  const tally = { passed: 0, failed: 0, skipped: 0 };
  for (const { name, words, more = [] } of ways) {
    say(`\n${name}`);
    const proofs = [...proofsOf(), ...more];
    try {
      const found = await words();
      if ("missing" in found) {
        tally.skipped += proofs.length;
        say(`SKIPPED ${proofs.map(([proof]) => proof).join(", ")}: ${found.missing}`);
        continue;
      }
      const start = new Start(found, ROOT);
      for (const proof of proofs) tally[await lead(proof, start) ? "passed" : "failed"]++;
    } catch (error) {
      tally.failed += proofs.length;
      say(`FAILED  ${proofs.map(([proof]) => proof).join(", ")}: ${messageOf(error)}`);
    }
  }
  return tally;
}

/** The last line: the numbers as `.ci/run` reads them. */
export function tallyLine({ passed, failed, skipped }: Tally): string {
  return `proofs | ${passed} passed | ${failed} failed | ${skipped} skipped`;
}

/** The ways of this machine; what they need is made in a folder. */
async function waysHere(folder: string): Promise<readonly Way[]> {
  const config = join(ROOT, await registryConfig());
  const flags = ["-A", "-q", "--no-prompt", "--config", config];
  return [
    {
      name: "deno run main.ts",
      words: () => Promise.resolve([Deno.execPath(), "run", ...flags, join(ROOT, "main.ts")]),
    },
    compiledWay(folder, config),
    {
      name: "the package by its name, from a local path",
      words: () => Promise.resolve(layOutPackage(folder, config)),
    },
  ];
}

function compiledWay(folder: string, config: string): Way {
  const compileIn = async (place: string) => {
    const binary = await compileAnywhere(join(folder, place), config);
    if ("missing" in binary) return binary;
    say(`  ${describe(binary)}`);
    return [binary.path];
  };
  const compare = async ({ words: [first = ""] }: Start) => {
    const again = await compileIn("another place, at another time");
    if ("missing" in again) throw new Error(again.missing);
    const differences = differencesOf(Deno.readFileSync(first), Deno.readFileSync(again[0] ?? ""));
    const parts = differences.map(({ offset, around }) => `${offset}: ${around}`).join("; ");
    demand(differences.length === 0, `They differ at ${parts}`);
  };
  return {
    name: "a compiled executable",
    words: () => compileIn("binary"),
    more: [
      ["a second compile is the same, byte by byte", compare],
      ["its permissions hold", () => testPermissions(join(folder, "narrow"), config)],
    ],
  };
}

/** Each has a folder, and with that permissions, of its own: a compile takes seconds. */
const NARROW = [
  "with --allow-run=sh refuses",
  "program is on no list",
  "environment loads a library",
  "cannot make the orchestrator read",
  "makes the orchestrator connect",
];

/** Runs the tests of what a manifest cannot make Skein do on executables that are compiled with fewer permissions. */
async function testPermissions(folder: string, config: string): Promise<void> {
  Deno.mkdirSync(folder);
  const starter = join(ROOT, "tests/support/compiled_start.ts");
  const run = [Deno.execPath(), "run", "-A", "-q", "--config", config];
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: [
      ...["test", "-A", "-q", "--no-prompt", "--config", config, "tests/e2e/narrow_test.ts"],
      ...["--filter", `/${NARROW.join("|")}/`],
    ],
    cwd: ROOT,
    env: {
      NO_COLOR: "1",
      COMPILED_SKEIN: folder,
      SKEIN_START: JSON.stringify([...run, starter, "{flags}", "--"]),
    },
    stderr: "inherit",
  }).output();
  const text = new TextDecoder().decode(stdout);
  const passed = /^ok \| (\d+) passed \| 0 failed/m.exec(text)?.[1] ?? "0";
  demand(Number(passed) > NARROW.length, text);
}

async function main(): Promise<number> {
  const folder = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "skein-proofs-" }));
  try {
    const tally = await proveEverywhere(await waysHere(folder));
    say(`\n${tallyLine(tally)}`);
    return tally.failed === 0 ? 0 : 1;
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

if (import.meta.main) Deno.exitCode = await main();
