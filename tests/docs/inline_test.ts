import { assert, assertEquals } from "@std/assert";
import { join } from "@std/path";
import { type Command, COMMON_FLAGS } from "../../src/cli/command.ts";
import { COMMANDS } from "../../src/cli/commands.ts";
import { ROOT } from "../support/cli.ts";
import { inlineCommands } from "./commands.ts";

/** Flags of the program itself. */
const OWN_FLAGS = ["--help", "--version"];

/** What is wrong with a command line, as far as it can be told without executing it. */
async function problemOf([name = "", ...words]: readonly string[]): Promise<string | null> {
  if (OWN_FLAGS.includes(name)) return null;
  const load = COMMANDS[name];
  if (load === undefined) return `no command "${name}"`;
  const { command }: { command: Command } = await load();
  const flags = { ...COMMON_FLAGS, ...command.flags };
  const unknown = words
    // What follows `--` is another program's; brackets say that a word may be left out.
    .slice(0, words.includes("--") ? words.indexOf("--") : words.length)
    .map((word) => /^\[?--([a-z][a-z-]*)/.exec(word)?.[1])
    .filter((flag) => flag !== undefined && !Object.hasOwn(flags, flag));
  return unknown.length === 0 ? null : `no flag --${unknown.join(", --")}`;
}

Deno.test("every command and flag that the documentation names in its text is there", async () => {
  const pages = ["README.md", "CHANGELOG.md", "examples/README.md"].concat(
    Array.from(Deno.readDirSync(join(ROOT, "docs")))
      .filter(({ name }) => name.endsWith(".md"))
      .map(({ name }) => `docs/${name}`),
  );
  const problems: string[] = [];
  let seen = 0;
  for (const page of pages) {
    for (const words of inlineCommands(Deno.readTextFileSync(join(ROOT, page)))) {
      seen++;
      const problem = await problemOf(words);
      if (problem !== null) problems.push(`${page}: skein ${words.join(" ")}: ${problem}`);
    }
  }
  assertEquals(problems, []);
  assert(seen > 30, `${seen} were found`);
});

Deno.test("a command or a flag that is not there is found", async () => {
  assertEquals(await problemOf(["rnu", "x.json"]), 'no command "rnu"');
  assertEquals(await problemOf(["run", "--wokers", "3"]), "no flag --wokers");
  assertEquals(await problemOf(["stop", "[--wait", "MS]", "--", "--odd"]), null);
});
