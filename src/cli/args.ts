import { type Command, commonFlagsOf, type Flag, type Invocation, missingForm } from "./command.ts";
import { meant, nearest } from "../manifest/near.ts";
import { KEEPS } from "./permissions.ts";
import { UsageError } from "./usage_error.ts";

/**
 * Reads a command's words. Unknown, repeated and contradictory flags, missing and unknown values and wrong numbers are
 * refused.
 */
export async function readArgs(command: Command, args: readonly string[]): Promise<Invocation> {
  const flags: Readonly<Record<string, Flag>> = { ...commonFlagsOf(command), ...command.flags };
  const valued = Object.keys(flags).filter((name) => flags[name]?.type !== "boolean");
  const parsed = parsePlain(flags, args) ?? await parse(command, flags, args);
  const values = new Map<string, string>();
  for (const name of valued) {
    const given = (parsed[name] ?? []) as string[];
    if (given.length > 1) throw usage(command, `Flag "--${name}" stands ${given.length} times`);
    if (given[0] === "") throw usage(command, `Flag "--${name}" needs a value`);
    if (given[0] === undefined) continue;
    checkChoice(command, name, flags[name], given[0]);
    values.set(name, given[0]);
  }
  if (parsed.json === true && parsed.text === true) {
    throw usage(command, 'Flags "--json" and "--text" exclude each other');
  }
  // What follows `--` is a word, whatever it begins with.
  const words = [...parsed._, ...parsed["--"]].map(String);
  if (parsed.help !== true) checkWords(command, words);
  let stateDir = values.get("state");
  return {
    words,
    has: (name) => parsed[name] === true,
    text: (name) => values.get(name),
    integer: (name) => integerOf(command, name, flags[name], values.get(name)),
    get stateDir() {
      return stateDir ??= defaultStateDir(command);
    },
  };
}

/** Flags by their names, and words. */
export interface Parsed {
  readonly _: readonly (string | number)[];
  readonly "--": readonly string[];
  readonly [flag: string]: unknown;
}

/**
 * What almost every command line consists of, words and known flags with values that look like none, is not worth the
 * loading of a parser. `null` for everything else: it is the parser's to take or to refuse.
 */
export function parsePlain(
  flags: Readonly<Record<string, Flag>>,
  args: readonly string[],
): Parsed | null {
  const words: string[] = [];
  const values: Record<string, true | string[]> = {};
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (!arg.startsWith("-")) {
      words.push(arg);
      continue;
    }
    const name = arg.slice(2);
    if (!arg.startsWith("--") || !Object.hasOwn(flags, name)) return null;
    const next = args[at + 1] ?? "";
    if (flags[name]?.type === "boolean") {
      if (next === "true" || next === "false") return null;
      values[name] = true;
      continue;
    }
    if (next === "" || next.startsWith("-")) return null;
    const known = values[name];
    values[name] = Array.isArray(known) ? [...known, next] : [next];
    at++;
  }
  return { ...values, _: words, "--": [] };
}

/** The parser, for every form that a flag may have. */
export async function parse(
  command: Command,
  flags: Readonly<Record<string, Flag>>,
  given: readonly string[],
): Promise<Parsed> {
  const args = joinNegatives(flags, given);
  const names = Object.keys(flags);
  const valued = names.filter((name) => flags[name]?.type !== "boolean");
  checkBooleans(command, flags, args);
  const { parseArgs } = await import("@std/cli");
  const parsed = parseArgs(args, {
    "--": true,
    boolean: names.filter((name) => flags[name]?.type === "boolean"),
    string: [...valued, "_"],
    collect: valued,
    alias: { help: "h" },
    unknown: (word: string, key?: string) => {
      if (key !== undefined) throw unknownFlag(command, word, names);
    },
  });
  return { ...parsed, "--": parsed["--"] as string[] };
}

/** A flag that takes a number takes a negative one that follows it, too, which the parser would take for a flag. */
function joinNegatives(
  flags: Readonly<Record<string, Flag>>,
  args: readonly string[],
): string[] {
  const end = args.indexOf("--");
  const joined: string[] = [];
  for (const [index, arg] of args.entries()) {
    const name = args[index - 1]?.replace(/^--/, "") ?? "";
    const isValue = (end < 0 || index < end) && /^-\d/.test(arg) &&
      args[index - 1] === `--${name}` && Object.hasOwn(flags, name) &&
      flags[name]?.type === "integer";
    if (isValue) joined.push(`${joined.pop()}=${arg}`);
    else joined.push(arg);
  }
  return joined;
}

/**
 * SKEIN_STATE, else the folder of the run that this command is a part of, else `.skein`; that too, without a look at the
 * environment, for a command that has nothing to do with a state directory.
 */
function defaultStateDir({ name }: Command): string {
  if (KEEPS[name]?.kinds.includes("write") === false) return ".skein";
  return Deno.env.get("SKEIN_STATE") || Deno.env.get("SKEIN_STATE_DIR") || ".skein";
}

function integerOf(
  command: Command,
  name: string,
  flag: Flag | undefined,
  text: string | undefined,
): number | undefined {
  if (text === undefined) return undefined;
  const value = /^-?\d{1,16}$/.test(text) ? Number(text) : NaN;
  const [least, most] = flag?.range ?? [0, Number.MAX_SAFE_INTEGER];
  if (value >= least && value <= most) return value;
  throw usage(
    command,
    `Flag "--${name}" must be a whole number from ${least} to ${most}, not "${text}"`,
  );
}

function checkChoice(
  command: Command,
  name: string,
  flag: Flag | undefined,
  text: string,
): void {
  const choices = flag?.choices;
  if (choices === undefined || choices.includes(text)) return;
  throw usage(
    command,
    `Flag "--${name}" must be one of ${choices.join(", ")}, not "${text}"${meant(text, choices)}`,
  );
}

/**
 * A flag that takes no value and is given one would stand for "yes" whatever the value says, or for what the next word
 * says: the parser takes `true` and `false` for its value.
 */
function checkBooleans(
  command: Command,
  flags: Readonly<Record<string, Flag>>,
  args: readonly string[],
): void {
  for (const [index, arg] of args.entries()) {
    if (arg === "--") return;
    const [, name = "", equals] = /^--([^=]+)(=)?/.exec(arg) ?? [];
    if (equals === undefined && !/^(?:true|false)$/.test(args[index + 1] ?? "")) continue;
    if (Object.hasOwn(flags, name) && flags[name]?.type === "boolean") {
      throw usage(command, `Flag "--${name}" takes no value`);
    }
  }
}

function checkWords(command: Command, words: readonly string[]): void {
  const [least, most] = command.words;
  if (words.length < least) {
    throw usage(command, `Command "${command.name}" needs ${command.usage}`);
  }
  if (words.length > most) throw usage(command, `Word "${words[most] ?? ""}" is one too many`);
}

function unknownFlag(command: Command, word: string, names: readonly string[]): UsageError {
  const name = word.replace(/^-+/, "").replace(/=.*$/, "");
  const missing = missingForm(command);
  if (name === missing) {
    const form = missing === "json" ? "text" : "JSON";
    return usage(
      command,
      `Command "${command.name}" always answers in ${form}, not with "--${name}"`,
    );
  }
  // Of `--state-dir` the front is a flag.
  const near = nearest(name, names) ?? names.find((each) => name.startsWith(`${each}-`)) ?? null;
  const hint = near === null ? "" : `, did you mean "--${near}"?`;
  return usage(command, `Flag "${word.replace(/=.*$/, "")}" is unknown${hint}`);
}

function usage(command: Command, message: string): UsageError {
  return new UsageError(message, `See \`skein help ${command.name}\``);
}
