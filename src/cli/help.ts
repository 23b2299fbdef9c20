import { nearest } from "../manifest/near.ts";
import { fill } from "../view/fill.ts";
import {
  type Command,
  COMMON_FLAGS,
  commonFlagsOf,
  type Flag,
  type Invocation,
  placeOf,
} from "./command.ts";
import { COMMANDS } from "./commands.ts";
import { EXIT, EXIT_MEANINGS } from "./exit.ts";
import { print } from "./output.ts";
import { UsageError } from "./usage_error.ts";

const MARGIN = "  ";
/** What a terminal shows at least without breaking lines itself. */
const COLUMNS = 80;

/** `skein help [command]`. */
export const command: Command = {
  name: "help",
  summary: "Explain Skein, or one command",
  usage: "[command]",
  words: [0, 1],
  description:
    "Prints what a command does, its flags, examples and exit codes; without a name, every command.",
  flags: {},
  examples: [["skein help run", "everything about `run`"]],
  exits: [0, 2],
  run: help,
};

async function help({ words: [name] }: Invocation): Promise<number> {
  if (name === undefined) {
    print(await overview());
    return EXIT.ok;
  }
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (load === undefined) {
    const near = nearest(name, Object.keys(COMMANDS));
    throw new UsageError(
      `Command "${name}" is unknown${near === null ? "" : `, did you mean "${near}"?`}`,
    );
  }
  print(helpOf((await load()).command));
  return EXIT.ok;
}

async function overview(): Promise<string> {
  const commands = await Promise.all(Object.values(COMMANDS).map((load) => load()));
  return [
    "Skein runs graphs of commands, and stops all of them for sure.",
    "",
    "  skein run swarm.json               run a manifest",
    "  skein submit swarm.json            put it into the queue",
    "  skein work                         execute what is in the queue",
    '  skein stop --reason "why"          stop everything, and prove it',
    "  skein reset                        let work start again, at the next epoch",
    "",
    "Commands:",
    ...table(commands.map(({ command: { name, summary } }) => [name, summary])),
    "",
    "Common flags:",
    ...table(flagRows(COMMON_FLAGS)),
    "",
    "Exit codes:",
    ...table(Object.entries(EXIT_MEANINGS)),
    "",
    "More about a command: skein help <command>",
  ].join("\n");
}

/** The help text of a command. */
export function helpOf(command: Command): string {
  const { name, summary, usage, description, flags, examples, exits } = command;
  const own = flagRows(flags);
  return [
    ...fill(`skein ${name}: ${summary}`, COLUMNS),
    "",
    `Usage: skein ${name} ${usageOf(usage)}`,
    "",
    ...fill(description, COLUMNS),
    ...own.length === 0 ? [] : ["", "Flags:", ...table(own)],
    "",
    "Common flags:",
    ...table(flagRows(commonFlagsOf(command))),
    "",
    "Examples:",
    ...examples.flatMap(([line, what]) => [`  ${line}`, `      ${what}`]),
    "",
    "Exit codes:",
    ...table(exits.map((code) => [String(code), EXIT_MEANINGS[code] ?? ""])),
  ].join("\n");
}

/** What stands behind `--` is another command's. */
function usageOf(usage: string): string {
  return usage.includes("-- ") ? `[flags] ${usage}` : `${usage} [flags]`.trim();
}

function flagRows(flags: Readonly<Record<string, Flag>>): [string, string][] {
  return Object.entries(flags).filter(([, { hidden }]) => hidden !== true).map(([name, flag]) => [
    `--${name}${flag.type === "boolean" ? "" : ` ${placeOf(flag)}`}`,
    flag.summary,
  ]);
}

function table(rows: readonly (readonly [string, string])[]): string[] {
  const width = Math.max(...rows.map(([left]) => left.length));
  return rows.flatMap(([left, right]) => {
    return fill(right, COLUMNS - width - MARGIN.length * 2).map((line, index) => {
      return `${MARGIN}${(index === 0 ? left : "").padEnd(width)}${MARGIN}${line}`.trimEnd();
    });
  });
}
