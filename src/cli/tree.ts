/**
 * A process tree for `skein prove`: a parent, and a child whose heart beats into a file every 20 ms. Needs nothing but
 * the runtime, so that many of them start quickly.
 *
 * @module
 */

/** Milliseconds between two beats. */
export const BEAT_MS = 20;

/** The hidden word that makes Skein's own executable a tree. */
export const TREE_WORD = "__tree";

/** The words that start one process of a tree from Skein's own executable. */
export function treeArgv(
  role: "parent" | "child",
  folder: string,
  name: string,
  how: "leaves" | "stays",
): string[] {
  const words = [role, folder, name, how];
  return Deno.build.standalone
    ? [Deno.execPath(), TREE_WORD, ...words]
    : [Deno.execPath(), "run", "-A", "-q", "--no-config", "--no-lock", import.meta.url, ...words];
}

/** Lives until it is killed. */
export async function growTree(
  [role = "", folder = "", name = "", how = ""]: readonly string[],
): Promise<number> {
  // Before anything else, so that whoever counts the dead knows of it.
  Deno.writeTextFileSync(`${folder}/${name}.${role}.pid`, String(Deno.pid));
  if (role === "child") return await beat(`${folder}/${name}.beat`);
  const [program = "", ...args] = treeArgv("child", folder, name, "stays");
  const child = new Deno.Command(program, {
    args,
    // A child that leaves its session is what a daemon does.
    detached: how === "leaves",
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  return (await child.status).code;
}

async function beat(path: string): Promise<never> {
  using file = Deno.openSync(path, { write: true, create: true });
  const bytes = new Uint8Array(8);
  const view = new DataView(bytes.buffer);
  for (let count = 1n;; count++) {
    view.setBigUint64(0, count);
    file.seekSync(0, Deno.SeekMode.Start);
    file.writeSync(bytes);
    await new Promise((resolve) => setTimeout(resolve, BEAT_MS));
  }
}

if (import.meta.main) await growTree(Deno.args);
