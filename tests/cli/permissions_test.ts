import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { COMMANDS } from "../../src/cli/commands.ts";
import { KEEPS, KINDS, type PermissionKind } from "../../src/cli/permissions.ts";
import { TREE_WORD } from "../../src/cli/tree.ts";
import { cleanEnv, CONFIG, ROOT } from "../support/cli.ts";
import type { Effects, Told } from "../support/effects.ts";
import { Swarm } from "../support/swarm.ts";

const ENTRY = join(ROOT, "tests/support/effects.ts");
/** Modules are loaded when they are asked for, as late as it is possible: with what a command has kept by then. */
const START = ["run", "-A", "-q", "--no-prompt", "--unstable-lazy-dynamic-imports"];

/** The words that each command is tried with, in a swarm that has a local run and two of the queue. */
const WORDS: Readonly<Record<string, (queued: Queued) => string[]>> = {
  run: () => ["swarm.json", "--quiet"],
  validate: () => ["swarm.json"],
  graph: () => ["swarm.json"],
  schema: () => [],
  stop: () => [],
  status: () => [],
  reset: () => ["--force"],
  runs: () => [],
  show: ({ failed }) => [failed],
  logs: ({ failed }) => [failed],
  ps: () => [],
  lease: () => ["check"],
  submit: () => ["swarm.json"],
  work: () => ["--until-idle", "--quiet"],
  cancel: ({ waits }) => [waits],
  retry: ({ failed }) => [failed],
  recover: ({ failed }) => [failed],
  drain: () => ["--all"],
  fsck: () => [],
  explain: ({ failed }) => [failed],
  prune: () => ["--keep", "0"],
  prove: () => ["--trees", "1", "--rounds", "1"],
  doctor: () => [],
  completions: () => ["bash"],
  version: () => [],
  help: () => [],
};

/** The exit codes that are not 0: there is no lease here, and what a doctor finds is the machine's. */
const CODES: Readonly<Record<string, readonly number[]>> = { lease: [1], doctor: [0, 1] };

/** Runs of the queue. */
interface Queued {
  /** One that has failed. */
  readonly failed: string;
  /** One that waits. */
  readonly waits: string;
}

/** What a process told of itself, and what it printed besides. */
interface Heard extends Told {
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs a command to its end in the process that then tells what it may do. */
async function hear(
  swarm: Swarm,
  args: readonly string[],
  env: Record<string, string> = {},
): Promise<Heard> {
  // Nobody listens at this port: what may be imported fails to connect.
  const child = new Deno.Command(Deno.execPath(), {
    args: [...START, "--config", CONFIG, ENTRY, ...args],
    cwd: swarm.folder,
    env: { ...cleanEnv(), PROBE_ADDRESS: "http://127.0.0.1:9", ...env },
    clearEnv: true,
    stdin: "null",
  });
  const output = await child.output();
  const [stdout, stderr] = [output.stdout, output.stderr].map((b) => new TextDecoder().decode(b));
  const last = stderr?.trimEnd().split("\n").at(-1) ?? "";
  assert(last.startsWith("{"), `it did not tell: ${stderr}`);
  return { ...JSON.parse(last), stdout, stderr };
}

/** A swarm with a local run, and two runs of the queue. */
async function prepare(swarm: Swarm): Promise<Queued> {
  swarm.manifest({ a: { sh: "exit 3" } });
  const { runId: failed } = await swarm.json("submit", "swarm.json");
  assertEquals((await swarm.skein(["work", "--until-idle", "--quiet"])).code, 0);
  swarm.manifest({ a: { sh: "cat", stdin: "text" }, b: { sh: "true", needs: ["a"] } });
  await swarm.run("--quiet");
  const { runId: waits } = await swarm.json("submit", "swarm.json");
  return { failed: String(failed), waits: String(waits) };
}

function effectsOf(kinds: readonly PermissionKind[]): Effects {
  return Object.fromEntries(KINDS.map((kind) => [kind, kinds.includes(kind)])) as Effects;
}

Deno.test("every command has its line in the table of what it keeps", () => {
  assertEquals(Object.keys(KEEPS), [...Object.keys(COMMANDS), TREE_WORD]);
  assertEquals(Object.keys(WORDS), Object.keys(COMMANDS));
});

Deno.test("a process that gives nothing up has every kind of permission", async () => {
  await using swarm = new Swarm();
  const { after } = await hear(swarm, []);
  assertEquals(after, effectsOf(KINDS));
});

Deno.test("each command gives up what it does not use, and works without it", async (test) => {
  await using swarm = new Swarm();
  const queued = await prepare(swarm);
  for (const name of Object.keys(COMMANDS)) {
    await test.step(`skein ${name}`, async () => {
      // Each in a copy of its own: what one does to the swarm is not seen by the next.
      await using own = new Swarm();
      copyFolder(swarm.folder, own.folder);
      const words = [name, ...WORDS[name]?.(queued) ?? [], "--state", own.state];
      const { code, after, stderr } = await hear(own, words);
      assert((CODES[name] ?? [0]).includes(code), `${code}: ${stderr}`);
      assertEquals(after, effectsOf(KEEPS[name]?.kinds ?? []));
    });
  }
});

Deno.test("what is wrong with a manifest is said by packages that are loaded after that", async () => {
  await using swarm = new Swarm();
  swarm.write("swarm.jsonc", '{\n  // a comment\n  "version": 1, "blcks": {}, "tasks": []\n}');
  for (const name of ["validate", "graph", "run", "submit"]) {
    const words = [name, "swarm.jsonc", "--state", swarm.state];
    const { code, stderr } = await hear(swarm, words);
    assertEquals(code, 1, stderr);
    assert(
      stderr.includes('swarm.jsonc:3:17: Unknown key "blcks", did you mean "blocks"?'),
      stderr,
    );
  }
});

for (const name of ["run", "work"]) {
  Deno.test(`skein ${name} has given up what it does not use before its first process starts`, async () => {
    await using swarm = new Swarm();
    const probe = swarm.path("probe");
    // The process goes on until its orchestrator has tried everything out, and has taken the file away.
    const sh = `: > "${probe}"; while test -e "${probe}"; do sleep 0.01; done`;
    swarm.manifest({ a: { sh, block: { timeoutMs: 20_000 } } });
    if (name === "work") await swarm.json("submit", "swarm.json");
    const words = name === "run" ? ["swarm.json"] : ["--until-idle"];
    const all = [name, ...words, "--quiet", "--state", swarm.state];
    const { code, during, stderr } = await hear(swarm, all, { PROBE_FILE: probe });
    assertEquals(code, 0, stderr);
    assertEquals(during, effectsOf(KEEPS[name]?.kinds ?? []));
  });
}

function copyFolder(from: string, to: string): void {
  for (const { name, isDirectory } of Deno.readDirSync(from)) {
    if (isDirectory) {
      Deno.mkdirSync(join(to, name));
      copyFolder(join(from, name), join(to, name));
    } else Deno.copyFileSync(join(from, name), join(to, name));
  }
}
