/**
 * The lease of a task as the task itself has seen it, and the command line in its environment.
 *
 * @module
 */
import { main } from "./main_here.ts";
import type { Result } from "./cli.ts";
import { captured } from "./streams.ts";
import { textOf } from "./swarm.ts";

/** Variables that carry a lease, or say where it belongs. */
export type LeaseEnv = Readonly<Record<string, string>>;

const NAMES = [
  "SKEIN_RUN_ID",
  "SKEIN_TASK_ID",
  "SKEIN_PASS",
  "SKEIN_ATTEMPT",
  "SKEIN_EPOCH",
  "SKEIN_SEQUENCE",
  "SKEIN_TOKEN",
  "SKEIN_STATE_DIR",
];
const CLEARED = [...NAMES, "SKEIN_STATE"];

/** A line of shell that writes the environment of a task into a file that appears complete. */
export function saveEnv(path: string): string {
  return `env | grep ^SKEIN_ > "${path}.new"; mv "${path}.new" "${path}"`;
}

/**
 * The lease that a task has saved. Without the marker: whoever has copied a lease somewhere else is no process of the
 * run, and no stop kills it.
 */
export function savedLease(path: string): Record<string, string> {
  const lines = textOf(path).split("\n").filter((line) => line !== "");
  const pairs = lines.map((line) => [line.slice(0, line.indexOf("=")), line]);
  return Object.fromEntries(
    pairs.filter(([name = ""]) => NAMES.includes(name)).map((
      [name = "", line = ""],
    ) => [name, line.slice(name.length + 1)]),
  );
}

/** Runs a command line in this process, with a lease in its environment. */
export async function withLease(env: LeaseEnv, ...args: string[]): Promise<Result> {
  const before = CLEARED.map((name) => [name, Deno.env.get(name)] as const);
  let code = -1;
  let stdout = "";
  let stderr = "";
  try {
    for (const name of CLEARED) Deno.env.delete(name);
    for (const [name, value] of Object.entries(env)) Deno.env.set(name, value);
    stderr = await captured("stderr", async () => {
      stdout = await captured("stdout", async () => {
        code = await main(args);
      });
    });
  } finally {
    for (const [name, value] of before) {
      if (value === undefined) Deno.env.delete(name);
      else Deno.env.set(name, value);
    }
  }
  return { code, stdout, stderr };
}
