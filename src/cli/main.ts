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
import { print, say, takeOutputFailure, talkWritten } from "./output.ts";
import { growTree, TREE_WORD } from "./tree.ts";
import { UsageError } from "./usage_error.ts";

/** Runs a command line and returns its exit code. */
export async function main(args: readonly string[]): Promise<number> {
  const code = await dispatch(args).catch(explain);
  const failure = takeOutputFailure();
  if (failure !== null) say(`skein: Cannot write to standard output: ${failure}`);
  await talkWritten();
  return failure === null || outranksOutput(code) ? code : EXIT.error;
}

async function dispatch(args: readonly string[]): Promise<number> {
  const [word = "help", ...rest] = args;
  if (word === TREE_WORD) return await growTree(rest);
  const name = word === "--help" || word === "-h"
    ? "help"
    : word === "--version" || word === "-V"
    ? "version"
    : word;
  const load = Object.hasOwn(COMMANDS, name) ? COMMANDS[name] : undefined;
  if (load === undefined) {
    const near = nearest(name, Object.keys(COMMANDS));
    throw new UsageError(
      `Command "${name}" is unknown${near === null ? "" : `, did you mean "${near}"?`}`,
    );
  }
  const { command } = await load();
  const invocation = await readArgs(command, rest);
  if (!invocation.has("help")) return await command.run(invocation);
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
    if (error.next !== undefined) say(`       ${error.next}`);
    if (error.code === "stopped") return EXIT.stopped;
    return error.code === "usage" ? EXIT.usage : EXIT.error;
  }
  say(
    `skein: ${
      messageOf(error)
    }\n       This is a fault of Skein itself, or of the system beneath it`,
  );
  return EXIT.error;
}
