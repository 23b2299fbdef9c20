import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { COMMANDS } from "../../src/cli/commands.ts";
import { KEEPS } from "../../src/cli/permissions.ts";
import { permissionsOf } from "../../tools/compile/targets.ts";
import { type Result, ROOT } from "../support/cli.ts";
import { startNarrow } from "../support/narrow.ts";
import { Swarm } from "../support/swarm.ts";

const { permissions: SETS } = JSON.parse(Deno.readTextFileSync(join(ROOT, "deno.json")));
const PAGE = Deno.readTextFileSync(join(ROOT, "docs/security.md"));

function withSet(set: string, swarm: Swarm, ...args: string[]): Promise<Result> {
  const all = [...args, "--state", swarm.state];
  return startNarrow([`-P=${set}`], "main.ts", all, swarm.folder).result;
}

Deno.test("docs/security.md says what each set of deno.json is for", () => {
  const named = [...PAGE.matchAll(/^\| `(\w+)` \| (?:the whole|what only|a program)/gm)];
  assertEquals(named.map(([, name]) => name), Object.keys(SETS));
});

Deno.test("the set `cli` has everything that a command keeps, and a library to load, no more", () => {
  const kept = new Set(Object.values(KEEPS).flatMap(({ kinds }) => kinds));
  assertEquals(Object.keys(SETS.cli).sort(), [...kept, "ffi"].sort());
});

Deno.test("a binary for Linux is compiled with what the set `cli` has", () => {
  const flags = Object.entries(SETS.cli as Record<string, true | string[]>).map(([kind, what]) =>
    what === true ? `--allow-${kind}` : `--allow-${kind}=${what.join(",")}`
  );
  assertEquals(
    [...permissionsOf("x86_64-unknown-linux-gnu")].sort(),
    [...flags, "--no-prompt"].sort(),
  );
});

Deno.test("the set `cli` is enough to run, stop, reset, queue, work and look", async () => {
  await using swarm = new Swarm();
  swarm.write("input", "text");
  swarm.manifest({ a: { argv: ["cat"], stdinFile: "input" }, b: { sh: "true", needs: ["a"] } });
  const steps: [code: number, ...args: string[]][] = [
    [0, "run", "swarm.json", "--quiet"],
    [0, "stop"],
    [4, "run", "swarm.json"],
    [0, "reset"],
    [0, "submit", "swarm.json"],
    [0, "work", "--until-idle", "--quiet"],
    [0, "status"],
    [0, "ps"],
    [0, "fsck"],
    [0, "prune", "--keep", "0"],
  ];
  for (const [wanted, ...args] of steps) {
    const { code, stdout, stderr } = await withSet("cli", swarm, ...args);
    assertEquals(code, wanted, `${args.join(" ")}: ${stderr}`);
    if (args[0] !== "stop") continue;
    const { proven, problems } = JSON.parse(stdout);
    assertEquals([proven, problems], [true, []]);
  }
});

Deno.test("the set `look` is enough for the commands that it is said to be for, and starts nothing", async () => {
  await using swarm = new Swarm();
  swarm.manifest({ a: { sh: "true" } });
  await swarm.run("--quiet");
  const { runId } = await swarm.json("submit", "swarm.json");
  const words: Record<string, string[]> = {
    show: ["latest"],
    logs: ["latest"],
    explain: [String(runId)],
    validate: ["swarm.json"],
    graph: ["swarm.json"],
    completions: ["bash"],
  };
  const [, list = ""] = /^\| `look` \| (.*) \|$/m.exec(PAGE) ?? [];
  const commands = [...list.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name);
  assert(commands.length > 5 && commands.every((name) => Object.hasOwn(COMMANDS, name)));
  for (const name of commands) {
    const { code, stderr } = await withSet("look", swarm, name, ...words[name] ?? []);
    assertEquals(code, 0, `${name}: ${stderr}`);
  }
  const run = await withSet("look", swarm, "run", "swarm.json");
  assertEquals(run.code, 1, run.stderr);
  assert(/not permitted to run/.test(run.stderr), run.stderr);
});

Deno.test("the set `library` is enough for a program that runs processes", async () => {
  await using swarm = new Swarm();
  swarm.manifest({ a: { sh: "echo a" }, b: { argv: ["cat"], needs: ["a"], stdinFrom: "a" } });
  const args = [swarm.path("swarm.json"), swarm.state];
  const { code, stderr } = await startNarrow(
    ["-P=library"],
    "tests/trees/library.ts",
    args,
    swarm.folder,
  ).result;
  assertEquals(code, 0, stderr);
  assertEquals(swarm.read("output", "b"), "a\n");
});
