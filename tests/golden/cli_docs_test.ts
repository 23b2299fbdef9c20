import { assertEquals } from "@std/assert";
import { COMMANDS } from "../../src/cli/commands.ts";
import { helpOf } from "../../src/cli/help.ts";

const PAGE = new URL("../../docs/cli.md", import.meta.url);

Deno.test("docs/cli.md is what the commands say of themselves", async () => {
  const parts = [
    "# The command line",
    "",
    "Data goes to standard output, talk to standard error. Commands that answer with data answer in JSON where",
    "standard output is no terminal, or with `--json`; `--text` asks for text. The state directory is `--state`, else",
    "`SKEIN_STATE`, else inside a task the run's own (`SKEIN_STATE_DIR`), else `.skein`.",
    "",
    "This page is generated: `deno task generate`.",
  ];
  for (const load of Object.values(COMMANDS)) {
    const { command } = await load();
    parts.push("", `## skein ${command.name}`, "", "```text", helpOf(command), "```");
  }
  const wanted = `${parts.join("\n")}\n`;
  if (Deno.args.includes("--update")) await Deno.writeTextFile(PAGE, wanted);
  assertEquals(await Deno.readTextFile(PAGE), wanted, "Update it: deno task generate");
});
