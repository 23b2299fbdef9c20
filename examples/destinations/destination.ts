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

/**
 * The command line of a destination. It writes under the lease in the environment.
 *
 * @returns the exit code: 1 where a write was refused or there is nothing to read, 2 where the words make no sense.
 */
export async function runCommand(
  destination: Destination,
  [verb, name = "", text = ""]: readonly string[],
): Promise<number> {
  switch (verb) {
    case "write":
      return await write(destination, name, text);
    case "read": {
      const found = await destination.read(name);
      if (found !== null) console.log(found);
      return found === null ? 1 : 0;
    }
    case "raise":
      await destination.raiseEpoch(Number(name));
      return 0;
    default:
      console.error(`Usage: WHERE ${USAGE}`);
      return 2;
  }
}

async function write(destination: Destination, name: string, text: string): Promise<number> {
  const carried = carriedLease((variable) => Deno.env.get(variable));
  if (!carried.ok) {
    console.error(`refused: ${carried.problem}`);
    return 1;
  }
  const answer = await destination.write(carried.lease, name, text);
  if (answer.written) return 0;
  console.error(`refused: ${answer.why}: ${answer.message}`);
  return 1;
}
