import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { readTable } from "../../src/cli/completions_table.ts";
import { zshScript } from "../../src/cli/completions_zsh.ts";
import { fishScript } from "../../src/cli/completions_fish.ts";
import { readArgs } from "../../src/cli/args.ts";
import { command } from "../../src/cli/completions.ts";
import { UsageError } from "../../src/cli/usage_error.ts";
import { needing, succeeds } from "../support/capability.ts";
import { temporaryFolder } from "../support/cli.ts";
import { captured } from "../support/streams.ts";

const TABLE = await readTable();
const NAMES = TABLE.map(({ name }) => name);

/** A folder with the scripts, and with files to complete. */
async function scripts(): Promise<{ readonly path: string } & Disposable> {
  const folder = temporaryFolder();
  for (const shell of ["bash", "zsh", "fish"]) {
    const text = await captured("stdout", async () => {
      assertEquals(await command.run(await readArgs(command, [shell])), 0);
    });
    Deno.writeTextFileSync(`${folder.path}/_skein.${shell}`, text);
  }
  Deno.mkdirSync(`${folder.path}/here/state`, { recursive: true });
  for (const name of ["swarm.json", "second swarm.json"]) {
    Deno.writeTextFileSync(`${folder.path}/here/${name}`, "{}");
  }
  return folder;
}

/** What a shell prints, a line each, sorted. */
async function linesOf(folder: string, program: string, ...args: string[]): Promise<string[]> {
  const { code, stdout, stderr } = await new Deno.Command(program, {
    args,
    cwd: `${folder}/here`,
    env: { HOME: folder, LC_ALL: "C.UTF-8" },
    stdin: "null",
  }).output();
  const decoder = new TextDecoder();
  assertEquals([code, decoder.decode(stderr)], [0, ""]);
  return decoder.decode(stdout).split("\n").filter((line) => line !== "").sort();
}

const ASK_BASH = `
source "$1"; shift
complete -p skein > /dev/null || exit
COMP_WORDS=("$@") COMP_CWORD=$(( $# - 1 ))
_skein
printf '%s\\n' "\${COMPREPLY[@]}"`;

/** What bash completes the last of some words to, behind \`skein\`. Its own way of taking words apart is the caller's. */
function inBash(folder: string, ...words: string[]): Promise<string[]> {
  const script = `${folder}/_skein.bash`;
  return linesOf(folder, "bash", "--norc", "-c", ASK_BASH, "bash", script, "skein", ...words);
}

Deno.test("skein completions bash completes every command, and every flag of each", async () => {
  using folder = await scripts();
  assertEquals(await inBash(folder.path, ""), [...NAMES, "--help", "--version"].sort());
  assertEquals(await inBash(folder.path, "sta"), ["status"]);
  assertEquals(await inBash(folder.path, "nothing"), []);
  assert(TABLE.length > 20);
  for (const { name, flags } of TABLE) {
    assertEquals(await inBash(folder.path, name, "--"), flags.map((flag) => flag.name).sort());
  }
  assertEquals(await inBash(folder.path, "stop", "--no"), ["--no-wait"]);
  assertEquals(await inBash(folder.path, "stop", "--reason", "why", "--js"), ["--json"]);
});

Deno.test("skein completions bash completes what stands behind a command or a flag", async () => {
  using folder = await scripts();
  const asked: [string[], string[]][] = [
    [["run", ""], ["second swarm.json", "state", "swarm.json"]],
    [["run", "--workers", "3", "swa"], ["swarm.json"]],
    [["run", "swarm.json", ""], []],
    [["run", "--workers", ""], []],
    [["logs", "latest", "--stream", ""], ["stderr", "stdout"]],
    [["logs", "--stream", "=", "stdo"], ["stdout"]],
    [["graph", "--format", ""], ["dot", "json", "mermaid"]],
    [["graph", "--format", "dot", "swa"], ["swarm.json"]],
    [["prove", "--manifest", "s"], ["second swarm.json", "state", "swarm.json"]],
    [["status", "--state", ""], ["state"]],
    // As bash hands over what is typed as one word.
    [["status", "--state", "="], ["state"]],
    [["status", "--state", "=", "st"], ["state"]],
    [["run", "--state", "=", "state", "swarm"], ["swarm.json"]],
    [["help", "pr"], ["prove", "prune"]],
    [["completions", ""], ["bash", "fish", "zsh"]],
    [["completions", "bash", ""], []],
    [["lease", ""], ["check", "exec"]],
    [["lease", "exec", "--", "sw"], ["swarm.json"]],
    [["status", ""], []],
    [["show", ""], []],
    [["unknown", "--"], []],
  ];
  for (const [words, expected] of asked) {
    assertEquals(await inBash(folder.path, ...words), expected, words.join(" "));
  }
});

const SCRIPT = succeeds("script", "-qec", "true", "/dev/null");
const TYPED = [
  "skein sto\t --no-\t",
  "skein run seco\t",
  "skein completions fi\t",
  "skein status --state sta\t",
  "skein graph --format do\t",
];
const GOT = [
  "got <stop --no-wait>",
  "got <run second swarm.json>",
  "got <completions fish>",
  // Some shells take the slash away again.
  "got <status --state state",
  "got <graph --format dot",
];

/** What a shell prints that is typed to: `skein` prints the words that it is given. */
async function typeInto(
  folder: string,
  shell: string,
  lines: readonly string[],
): Promise<string> {
  const [before = "", ...typed] = lines;
  const keys = [before, 'skein() { echo "got <$*>"; }', ...typed, "exit", ""].join("\n");
  const child = new Deno.Command("script", {
    args: ["-qec", shell, "/dev/null"],
    cwd: `${folder}/here`,
    env: { HOME: folder, ZDOTDIR: folder, TERM: "dumb", INPUTRC: "/dev/null", LC_ALL: "C.UTF-8" },
    stdin: "piped",
    stdout: "piped",
    stderr: "null",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(keys));
  await writer.close();
  const { stdout } = await child.output();
  return new TextDecoder().decode(stdout);
}

Deno.test({
  ...needing("skein completions bash completes a line that is typed", { script: SCRIPT }),
  async fn() {
    using folder = await scripts();
    const source = `source '${folder.path}/_skein.bash'`;
    const screen = await typeInto(folder.path, "bash --norc --noprofile -i", [source, ...TYPED]);
    for (const line of GOT) assertStringIncludes(screen, line);
  },
});

Deno.test({
  ...needing("skein completions zsh completes a line that is typed", {
    script: SCRIPT,
    zsh: succeeds("zsh", "--version"),
  }),
  async fn() {
    using folder = await scripts();
    const script = `${folder.path}/_skein.zsh`;
    const source = `autoload -Uz compinit && compinit -u -D && source '${script}'`;
    const listed = TABLE.map(({ name }) => `skein ${name} --\t`);
    const screen = await typeInto(folder.path, "zsh -f -i", [source, ...TYPED, ...listed]);
    for (const line of GOT) assertStringIncludes(screen, line);
    for (const flag of TABLE.flatMap(({ flags }) => flags)) {
      assertStringIncludes(screen, `${flag.name} `);
    }
  },
});

Deno.test({
  ...needing("skein completions fish completes commands, flags and what stands behind them", {
    fish: succeeds("fish", "--version"),
  }),
  async fn() {
    using folder = await scripts();
    const inFish = async (line: string) => {
      const ask = `source ../_skein.fish; complete -C '${line}'`;
      const lines = await linesOf(folder.path, "fish", "--no-config", "-c", ask);
      return lines.map((each) => each.split("\t")[0] ?? "");
    };
    assertEquals(await inFish("skein "), NAMES.toSorted());
    for (const { name, flags } of TABLE) {
      assertEquals(await inFish(`skein ${name} --`), flags.map((flag) => flag.name).sort());
    }
    assertEquals(await inFish("skein run swa"), ["swarm.json"]);
    assertEquals(await inFish("skein status --state "), ["state/"]);
    assertEquals(await inFish("skein status "), []);
    assertEquals(await inFish("skein help pr"), ["prove", "prune"]);
    assertEquals(await inFish("skein logs latest --stream "), ["stderr", "stdout"]);
    assertEquals(await inFish("skein graph --format d"), ["dot"]);
  },
});

Deno.test("skein completions refuses a shell that it does not know", async () => {
  const refused: [string[], string][] = [
    [["fihs"], 'Shell "fihs" is unknown, did you mean "fish"?'],
    [["powershell"], 'Shell "powershell" is unknown: it is one of bash, zsh, fish'],
    [[], 'Command "completions" needs bash | zsh | fish'],
  ];
  for (const [words, message] of refused) {
    const act = async () => await command.run(await readArgs(command, words));
    assertEquals((await assertRejects(act, UsageError)).message, message);
  }
});

Deno.test("the scripts for zsh and fish quote what a summary may hold", () => {
  const flag = {
    name: "--odd",
    summary: "It's [a] b: c\\d",
    value: "FILE",
    takes: { kind: "files" } as const,
  };
  const odd = {
    name: "odd",
    summary: "Who's there",
    word: { kind: "words", words: [] } as const,
    flags: [flag],
  };
  assertStringIncludes(zshScript([odd]), `'--odd=[It'\\''s \\[a\\] b\\: c\\\\d]:FILE:_files'`);
  assertStringIncludes(zshScript([odd]), `'odd:Who'\\''s there'`);
  assertStringIncludes(fishScript([odd]), `-l odd -d 'It\\'s [a] b: c\\\\d' -r -F`);
});
