// deno-lint-ignore-file no-console -- a command line
/**
 * What the three destinations have in common: what they are asked for, and a command line that a task can use.
 *
 * @module
 */
import { carriedLease, type GateLease, type GateRefusal } from "@skein/cli/lease";

/** What a write came to. */
export type WriteAnswer =
  | {
    readonly written: true;
    /** Rises with every write to the destination. */
    readonly revision: number;
  }
  | { readonly written: false; readonly why: GateRefusal; readonly message: string };

/** A place outside of Skein that keeps texts by name, and refuses a write whose lease is out of date. */
export interface Destination {
  /** Writes a text, if the lease passes the gate. */
  write(lease: GateLease, name: string, text: string): Promise<WriteAnswer>;
  /** The text of a name, `null` without one. */
  read(name: string): Promise<string | null>;
  /** Tells it the current epoch: once this has returned, no lease of an older one writes. A lower one changes nothing. */
  raiseEpoch(epoch: number): Promise<void>;
}

/** What the command lines take, behind where the destination is. */
export const USAGE = "write NAME TEXT | read NAME | raise EPOCH";
/** The exit code of a write that was refused: neither a shell nor the runtime has it for what could not be started. */
const REFUSED = 4;

/** What a command line asks of a destination; it returns the exit code. */
type Action = (destination: Destination) => Promise<number>;

/**
 * The command line of a destination: where it is, and what to do there. It writes under the lease in the environment.
 *
 * @returns the exit code: 4 where a write was refused, 1 where there is nothing to read or the destination fails, 2 where
 * the words make no sense.
 */
export async function runCommand(
  open: (where: string) => Destination,
  [where = "", ...words]: readonly string[],
): Promise<number> {
  const action = actionOf(words);
  if (where === "" || action === null) return usage(`WHERE ${USAGE}`);
  return await attempt(() => action(open(where)));
}

/** What a command comes to: where it throws, one line says why, and the exit code is 1. */
export async function attempt(command: () => Promise<number>): Promise<number> {
  try {
    return await command();
  } catch (error) {
    console.error(`failed: ${error instanceof Error ? error.message : error}`);
    return 1;
  }
}

/** Says how a command line is written. */
export function usage(words: string): 2 {
  console.error(`Usage: ${words}`);
  return 2;
}

function actionOf([verb, first = "", second, ...more]: readonly string[]): Action | null {
  if (first === "" || more.length > 0) return null;
  if (verb === "write") {
    return second === undefined ? null : (destination) => write(destination, first, second);
  }
  if (second !== undefined) return null;
  if (verb === "read") return (destination) => read(destination, first);
  return verb === "raise" && isEpoch(first) ? (destination) => raise(destination, first) : null;
}

function isEpoch(word: string): boolean {
  return /^[1-9]\d*$/.test(word) && Number.isSafeInteger(Number(word));
}

async function raise(destination: Destination, epoch: string): Promise<number> {
  await destination.raiseEpoch(Number(epoch));
  return 0;
}

async function read(destination: Destination, name: string): Promise<number> {
  const found = await destination.read(name);
  if (found !== null) console.log(found);
  return found === null ? 1 : 0;
}

async function write(destination: Destination, name: string, text: string): Promise<number> {
  const carried = carriedLease((variable) => Deno.env.get(variable));
  if (!carried.ok) return refused(carried.problem);
  const answer = await destination.write(carried.lease, name, text);
  return answer.written ? 0 : refused(`${answer.why}: ${answer.message}`);
}

function refused(why: string): number {
  console.error(`refused: ${why}`);
  return REFUSED;
}
