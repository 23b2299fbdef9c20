/**
 * The command line: one file a command, the output, the table of exit codes. Owns what a person types and reads;
 * refuses what it does not understand with code 2; composes the rooms that hold the promises.
 *
 * @module
 */
import { messageOf, SkeinError } from "../model/error.ts";
import { nearest } from "../manifest/near.ts";
import { readArgs } from "./args.ts";
import { COMMANDS } from "./commands.ts";
import { EXIT, outranksOutput } from "./exit.ts";
import { giveUp, isSpecialRefused, NOTHING_SPECIAL } from "./give_up.ts";
import { print, say, takeOutputFailure, talkWritten } from "./output.ts";
import { growTree, TREE_WORD } from "./tree.ts";
import { UsageError } from "./usage_error.ts";

/**
 * Runs a command line and returns its exit code. The process gives up what the command does not use.
 *
 * @param narrow what gives it up; a program that goes on after the command brings another.
 */
export async function main(args: readonly string[], narrow = giveUp): Promise<number> {
  const code = await dispatch(args, narrow).catch(explain);
  const failure = takeOutputFailure();
  if (failure !== null) say(`skein: Cannot write to standard output: ${failure}`);
  await talkWritten();
  return failure === null || outranksOutput(code) ? code : EXIT.error;
}

async function dispatch(args: readonly string[], narrow: typeof giveUp): Promise<number> {
  const [word = "help", ...rest] = args;
  if (word === TREE_WORD) {
    await narrow(TREE_WORD);
    return await growTree(rest);
  }
  const name = word === "--help" || word === "-h"
    ? "help"
    : word === "--version" || word === "-V"
    ? "version"
    : word;
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (load === undefined) {
    if (name.startsWith("-")) {
      throw new UsageError(
        `Flag "${name}" stands in front of the command`,
        "Flags stand behind it: `skein <command> [flags]`. See `skein help`",
      );
    }
    const near = nearest(name, Object.keys(COMMANDS));
    throw new UsageError(
      `Command "${name}" is unknown${near === null ? "" : `, did you mean "${near}"?`}`,
    );
  }
  const { command } = await load();
  const invocation = await readArgs(command, rest);
  if (!invocation.has("help")) {
    await narrow(name, invocation.stateDir);
    return await command.run(invocation);
  }
  const { helpOf } = await import("./help.ts");
  print(helpOf(command));
  return EXIT.ok;
}

/** Says what went wrong, where, and what to do next. */
function explain(error: unknown): number {
  if (error instanceof UsageError) {
    say(`skein: ${error.message}\n       ${error.next}`);
    return EXIT.usage;
  }
  if (error instanceof SkeinError) {
    say(`skein: ${error.message}`);
    const next = nextOf(error, error.next);
    if (next !== undefined) say(`       ${next}`);
    if (error.code === "stopped") return EXIT.stopped;
    return error.code === "usage" ? EXIT.usage : EXIT.error;
  }
  if (error instanceof Deno.errors.NotCapable) {
    say(
      `skein: ${error.message}\n       ${nextOf(error, "See docs/security.md for what it needs")}`,
    );
    return EXIT.error;
  }
  say(
    `skein: ${
      messageOf(error)
    }\n       This is a fault of Skein itself, or of the system beneath it`,
  );
  return EXIT.error;
}

/** What helps where a command has given up the permission is not to grant it, as the runtime says. */
function nextOf<T>(error: Error, next: T): T | string {
  return isSpecialRefused(error) ? NOTHING_SPECIAL : next;
}
