import config from "../../deno.json" with { type: "json" };
import type { Command } from "./command.ts";
import { EXIT } from "./exit.ts";
import { answer } from "./output.ts";

/** `skein version`. */
export const command: Command = {
  name: "version",
  summary: "Print the version of Skein and of what it runs on",
  usage: "",
  words: [0, 0],
  description: "Prints the version of Skein, of the runtime and the system.",
  flags: {},
  examples: [["skein version", "for a bug report"]],
  exits: [0, 2],
  run(invocation) {
    const { version } = config;
    const { os, arch } = Deno.build;
    const value = { skein: version, deno: Deno.version.deno, os, arch };
    answer(invocation, value, () => `skein ${version} (deno ${value.deno}, ${os} ${arch})`);
    return EXIT.ok;
  },
};
