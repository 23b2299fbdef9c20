import { assertEquals } from "@std/assert";
import { helpSections, inlineCommands, sectionsOf } from "./commands.ts";

Deno.test("sectionsOf() reads scripts, transcripts and typed lines, with the exit codes that comments state", () => {
  const page = [
    "# Page",
    "Write `swarm.json` first:",
    "",
    "```json",
    '{ "version": 1 }',
    "```",
    "",
    "```sh",
    "# a comment alone",
    "skein run swarm.json   # refused, exit code 4",
    'echo "a # b" # exits with 3',
    "one \\",
    "  two",
    "cat > x <<'END'",
    "a # b",
    "END",
    "```",
    "",
    "**2. Look.** Then look:",
    "",
    "```console",
    "$ skein status",
    '{"stopped":false}',
    "```",
    "",
    "```text",
    "$ is no command here",
    "```",
    "$ skein help",
    "",
    "```powershell",
    "irm x | iex",
    "```",
  ].join("\n");
  assertEquals(
    sectionsOf(page).map(({ heading, shell, commands, files }) => ({
      heading,
      shell,
      commands: commands.map(({ text, line, exit }) => [text, line, exit]),
      files: [...files],
    })),
    [
      {
        heading: "Page",
        shell: "sh",
        commands: [
          ["skein run swarm.json", 10, 4],
          ['echo "a # b"', 11, 3],
          ["one \\\n  two", 12, 0],
          ["cat > x <<'END'\na # b\nEND", 14, 0],
        ],
        files: [["swarm.json", '{ "version": 1 }\n']],
      },
      {
        heading: "2. Look",
        shell: "sh",
        commands: [["skein status", 22, 0], ["skein help", 29, 0]],
        files: [],
      },
      { heading: "2. Look", shell: "powershell", commands: [["irm x | iex", 32, 0]], files: [] },
    ],
  );
});

Deno.test("helpSections() reads the examples of every command", () => {
  const page = [
    "# Commands",
    "## skein a",
    "Examples:",
    "  skein a x",
    "      what it does",
    "  skein a y",
    "      more",
    "",
    "Exit codes:",
    "  0  success",
    "",
    "## skein b",
    "Nothing.",
  ].join("\n");
  assertEquals(
    helpSections(page).map((
      { heading, commands },
    ) => [heading, commands.map(({ text, line }) => [text, line])]),
    [["skein a", [["skein a x", 4], ["skein a y", 6]]]],
  );
});

Deno.test("inlineCommands() reads the command lines of running text alone", () => {
  const page =
    "Use `skein runs --limit 20` or `skein help`, not `skeins`.\n```sh\nskein run\n```\n";
  assertEquals(inlineCommands(page), [["runs", "--limit", "20"], ["help"]]);
});
