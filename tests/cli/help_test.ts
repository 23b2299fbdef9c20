import { assert, assertEquals, assertFalse, assertStringIncludes } from "@std/assert";
import { commonFlagsOf, missingForm } from "../../src/cli/command.ts";
import { COMMANDS } from "../../src/cli/commands.ts";
import { EXIT, EXIT_MEANINGS } from "../../src/cli/exit.ts";
import { helpOf } from "../../src/cli/help.ts";
import { main } from "../support/main_here.ts";
import { captured } from "../support/streams.ts";

/** What a command line prints to a stream, with its exit code. */
async function spoken(stream: "stdout" | "stderr", ...args: string[]): Promise<[number, string]> {
  let code = -1;
  const text = await captured(stream, async () => code = await main(args));
  return [code, text];
}

Deno.test("helpOf() says of every command what it does, its flags, examples and exit codes", async () => {
  for (const [name, load] of Object.entries(COMMANDS)) {
    const { command } = await load();
    const help = helpOf(command);
    const running = help.replaceAll(/\s+/g, " ");
    assertEquals(command.name, name);
    assertStringIncludes(running, `skein ${name}: ${command.summary}`);
    assertStringIncludes(running, command.description.replaceAll(/\s+/g, " "));
    assertStringIncludes(help, "Usage: skein " + name);
    for (
      const [flag, { hidden }] of Object.entries({ ...command.flags, ...commonFlagsOf(command) })
    ) {
      assertEquals(help.includes(`  --${flag}`), hidden !== true);
    }
    const missing = missingForm(command);
    if (missing !== null) assertFalse(help.includes(`  --${missing} `), name);
    assert(command.examples.length > 0 && command.exits.length > 0, name);
    for (const [line] of command.examples) {
      assertStringIncludes(line, `skein ${name}`);
      assertStringIncludes(help, line);
    }
    for (const code of command.exits) {
      assertStringIncludes(help, `  ${code}`);
      assertStringIncludes(running, EXIT_MEANINGS[code] ?? "no such code");
    }
    const ending = [EXIT.ok, EXIT.usage].every((code) => command.exits.includes(code));
    assert(ending, `"${name}" can succeed and be misused`);
  }
});

Deno.test("skein help fits a terminal of 80 columns", async () => {
  const pages = await Promise.all(
    [[], ...Object.keys(COMMANDS).map((name) => [name])].map((words) => {
      return spoken("stdout", "help", ...words);
    }),
  );
  const lines = pages.flatMap(([, help]) => help.split("\n"));
  assertEquals(lines.filter((line) => line.length > 80), []);
});

Deno.test("helpOf() names the choices of a flag", async () => {
  for (const [name, part] of [["logs", "--stream stdout|stderr"], ["graph", "mermaid|dot|json"]]) {
    assertStringIncludes((await spoken("stdout", "help", name ?? ""))[1], part ?? "");
  }
});

Deno.test("main() prints the same help for a name and for a flag", async () => {
  for (const name of ["run", "stop"]) {
    const [code, help] = await spoken("stdout", "help", name);
    assertEquals(code, 0);
    assertEquals(await spoken("stdout", name, "--help"), [0, help]);
    assertEquals(await spoken("stdout", name, "-h"), [0, help]);
  }
});

Deno.test("main() lists every command and every exit code without a name", async () => {
  const [code, help] = await spoken("stdout");
  assertEquals(code, 0);
  for (const args of [["help"], ["--help"], ["-h"]]) {
    assertEquals(await spoken("stdout", ...args), [0, help]);
  }
  for (const name of Object.keys(COMMANDS)) assertStringIncludes(help, `\n  ${name} `);
  for (const code of Object.values(EXIT)) assertStringIncludes(help, `\n  ${code} `);
});

Deno.test("main() refuses a command that it does not know, and says which was meant", async () => {
  const unknown: [string[], string][] = [
    [["statsu"], 'Command "statsu" is unknown, did you mean "status"?'],
    [["help", "statsu"], 'Command "statsu" is unknown, did you mean "status"?'],
    [["explode"], 'Command "explode" is unknown'],
    [["constructor"], 'Command "constructor" is unknown'],
    [["help", "__proto__"], 'Command "__proto__" is unknown'],
    [["--nope"], 'Flag "--nope" stands in front of the command'],
    [["--json", "status"], 'Flag "--json" stands in front of the command'],
  ];
  for (const [args, message] of unknown) {
    const [code, text] = await spoken("stderr", ...args);
    assertEquals([code, text.split("\n")[0]], [2, `skein: ${message}`]);
    assertStringIncludes(text, "See `skein help`");
  }
});

Deno.test("main() prints the version, in text and in JSON", async () => {
  const [code, json] = await spoken("stdout", "version", "--json");
  const { skein, deno, os, arch } = JSON.parse(json);
  assertEquals([code, deno, os, arch], [0, Deno.version.deno, Deno.build.os, Deno.build.arch]);
  const config = JSON.parse(Deno.readTextFileSync(new URL("../../deno.json", import.meta.url)));
  assertEquals(skein, config.version);
  assertStringIncludes((await spoken("stdout", "version", "--text"))[1], `skein ${skein} (deno `);
  assertEquals((await spoken("stdout", "--version"))[0], 0);
});

Deno.test("EXIT has a meaning for each of its codes", () => {
  assertEquals(Object.keys(EXIT_MEANINGS).map(Number), Object.values(EXIT));
});
