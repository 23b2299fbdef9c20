import { nearest } from "../manifest/near.ts";
import type { Command, Invocation } from "./command.ts";
import type { CompletedCommand } from "./completions_table.ts";
import { EXIT } from "./exit.ts";
import { print } from "./output.ts";
import { UsageError } from "./usage_error.ts";

const SHELLS = ["bash", "zsh", "fish"] as const;
type Shell = typeof SHELLS[number];

/** `skein completions`. */
export const command: Command = {
  name: "completions",
  summary: "Print what makes a shell complete the words and flags of skein",
  usage: "bash | zsh | fish",
  words: [1, 1],
  description: [
    "Prints a script for the shell, made from the same table as this help: commands, their flags, and what stands behind",
    "them. It completes a command that is called `skein`, and starts nothing while it does.",
  ].join("\n"),
  flags: {},
  examples: [
    ['eval "$(skein completions bash)"', "in ~/.bashrc"],
    ["source <(skein completions zsh)", "in ~/.zshrc, behind compinit"],
    ["skein completions fish > ~/.config/fish/completions/skein.fish", "once"],
  ],
  exits: [0, 2],
  run: completions,
};

async function completions({ words: [name = ""] }: Invocation): Promise<number> {
  const shell = SHELLS.find((each) => each === name);
  if (shell === undefined) {
    const near = nearest(name, SHELLS);
    const hint = near === null
      ? `: it is one of ${SHELLS.join(", ")}`
      : `, did you mean "${near}"?`;
    throw new UsageError(`Shell "${name}" is unknown${hint}`, "See `skein help completions`");
  }
  const { readTable } = await import("./completions_table.ts");
  print((await scriptOf(shell))(await readTable()));
  return EXIT.ok;
}

/** What makes the script of a shell; the others are not loaded. */
async function scriptOf(
  shell: Shell,
): Promise<(table: readonly CompletedCommand[]) => string> {
  switch (shell) {
    case "bash":
      return (await import("./completions_bash.ts")).bashScript;
    case "zsh":
      return (await import("./completions_zsh.ts")).zshScript;
    case "fish":
      return (await import("./completions_fish.ts")).fishScript;
  }
}
