import { assertEquals } from "@std/assert";
import { join } from "@std/path";
import * as library from "../main.ts";
import { CONFIG, ROOT, temporaryFolder } from "./support/cli.ts";

Deno.test("the library embeds: a program runs functions in memory and behind the fence, and is stopped (G1, G3)", async () => {
  using folder = temporaryFolder();
  const { code, stdout, stderr } = await new Deno.Command(Deno.execPath(), {
    args: [
      "run",
      "-A",
      "-q",
      "--no-prompt",
      "--config",
      CONFIG,
      join(ROOT, "examples/embed.ts"),
      `${folder.path}/state`,
    ],
    cwd: folder.path,
    env: { NO_COLOR: "1" },
  }).output();
  const decoder = new TextDecoder();
  assertEquals(code, 0, decoder.decode(stderr));
  assertEquals(decoder.decode(stdout).trimEnd().split("\n"), [
    'typo: Unknown key "neds", did you mean "needs"? ($.tasks[0].neds)',
    "in memory: succeeded, 3 of 3",
    "behind the fence: succeeded at epoch 1",
    "  source: let x = 1",
    "  style: let x = 1; style 1; style 2",
    "  types: let x = 1; types 1; types 2",
    "lease of epoch 1: false",
    "stopped: stopped, 0 succeeded",
    "refused: stopped",
    "reset: epoch 2",
    "again: succeeded at epoch 2",
  ]);
  assertEquals(decoder.decode(stderr), "");
  assertEquals(Array.from(Deno.readDirSync(folder.path), ({ name }) => name), ["state"]);
});

Deno.test("the library exports what an embedding program needs, and importing it has no effect", () => {
  const functions = [
    "carriedLease",
    "currentEpoch",
    "formatDiagnostic",
    "functionExecutor",
    "leaseValid",
    "loadManifest",
    "passGate",
    "requestStop",
    "resetStop",
    "run",
    "validateManifest",
  ];
  const classes = ["ManifestError", "SkeinError", "StoppedError"];
  const exported = Object.entries(library).map(([name, value]) => `${typeof value} ${name}`);
  const expected = [
    ...[...functions, ...classes].map((name) => `function ${name}`),
    "object processExecutor",
  ];
  assertEquals(exported.sort(), expected.sort());
});
