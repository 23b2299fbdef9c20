import type { Command } from "./command.ts";
import { EXIT } from "./exit.ts";
import { print } from "./output.ts";

/** `skein schema`. */
export const command: Command = {
  name: "schema",
  summary: "Print the JSON Schema of a manifest",
  usage: "",
  words: [0, 0],
  description:
    "Prints the JSON Schema that editors use to check and complete a manifest, made from the same definition.",
  flags: {},
  examples: [[
    "skein schema > skein.schema.json",
    'then name it in the manifest: "$schema": "skein.schema.json"',
  ]],
  exits: [0, 2],
  async run() {
    const { manifestSchema } = await import("../manifest/schema.ts");
    print(JSON.stringify(manifestSchema(), null, 2));
    return EXIT.ok;
  },
};
