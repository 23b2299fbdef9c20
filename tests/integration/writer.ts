/**
 * A process that writes to a destination under one lease, over and over until a file appears, and then prints what its
 * writes came to. It asks nobody whether its lease is still worth anything: the destination has to.
 *
 * @module
 */
import type { Destination, WriteAnswer } from "../../examples/destinations/destination.ts";
import { FileDestination } from "../../examples/destinations/file.ts";
import { HttpDestination } from "../../examples/destinations/http.ts";
import { SqlDestination } from "../../examples/destinations/sql.ts";
import type { GateLease } from "../../src/model/mod.ts";

/** Milliseconds between two writes: others want the lock, too. */
const PAUSE_MS = 1;

/** How each kind is opened. */
const OPEN: Readonly<Record<string, (where: string) => Destination>> = {
  sql: (path) => new SqlDestination(path),
  http: (address) => new HttpDestination(address),
  file: (folder) => new FileDestination(folder),
};

/** What a writer is told. */
export interface Orders {
  /** Which destination. */
  readonly kind: string;
  /** Where it is. */
  readonly where: string;
  /** The lease. */
  readonly lease: GateLease;
  /** What it writes. */
  readonly text: string;
  /** The file that ends it. */
  readonly over: string;
}

/** Writes until it is told to end. */
export async function write({ kind, where, lease, text, over }: Orders): Promise<WriteAnswer[]> {
  const destination = OPEN[kind]?.(where);
  if (destination === undefined) throw new Error(`No destination "${kind}"`);
  const answers: WriteAnswer[] = [];
  while (!isThere(over)) {
    answers.push(await destination.write(lease, "thing", text));
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS));
  }
  return answers;
}

function isThere(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch {
    return false;
  }
}

if (import.meta.main) {
  const answers = await write(JSON.parse(Deno.args[0] ?? "{}"));
  Deno.stdout.writeSync(new TextEncoder().encode(JSON.stringify(answers)));
}
