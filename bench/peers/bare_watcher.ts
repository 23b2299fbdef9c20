/**
 * The least that answers a stop: starts the trees, each in a session of its own, watches a folder, and kills their
 * groups when anything happens in it.
 *
 * @module
 */
import { signaturesIn, TREE_ARGV } from "./trees.ts";

const [folder = "", watched = ""] = Deno.args;
const [program = "", ...args] = TREE_ARGV;

const children = signaturesIn(folder).map((path) => {
  const streams = { stdin: "null", stdout: "null", stderr: "null" } as const;
  return new Deno.Command(program, { args: [...args, path], detached: true, ...streams }).spawn();
});
using watcher = Deno.watchFs(watched);
const event = watcher[Symbol.asyncIterator]().next();
Deno.stdout.writeSync(new TextEncoder().encode("watching\n"));
await event;
for (const { pid } of children) Deno.kill(-pid, "SIGKILL");
await Promise.all(children.map(({ status }) => status));
