/**
 * Trees of two processes that do nothing: each writes who it is into a file of its own.
 *
 * @module
 */

/** Trees of one sample. */
export const TREES = 8;

/** The argv of a tree that signs the file that is its last argument. */
export const TREE_ARGV: readonly string[] = ["sh", "-c", 'sleep 1000 & echo "$$ $!" > "$0"; wait'];

/** The file that a tree signs. */
export function signatureOf(folder: string, tree: number): string {
  return `${folder}/tree${tree}`;
}

/** The files of all trees. */
export function signaturesIn(folder: string): string[] {
  return Array.from({ length: TREES }, (_, tree) => signatureOf(folder, tree));
}

/** Waits until every tree has signed, and returns the pids of all their processes. */
export async function waitForTrees(folder: string): Promise<number[]> {
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const pids = signaturesIn(folder).flatMap(pidsIn);
    if (pids.length === 2 * TREES) return pids;
    if (performance.now() > deadline) {
      throw new Error("The trees did not start");
    }
    await sleep(POLL_MS);
  }
}

/** Looks every millisecond until none of some processes is left, and returns when that was. */
export async function untilGone(pids: readonly number[]): Promise<number> {
  const deadline = performance.now() + PATIENCE_MS;
  let left = pids;
  for (;;) {
    left = left.filter(isAlive);
    if (left.length === 0) return performance.now();
    if (performance.now() > deadline) {
      throw new Error(`Processes ${left.join()} are not gone`);
    }
    await sleep(1);
  }
}

const PATIENCE_MS = 30_000;
const POLL_MS = 5;

/** Waits. */
export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function pidsIn(path: string): number[] {
  try {
    const text = Deno.readTextFileSync(path);
    return text.endsWith("\n") ? text.trim().split(" ").map(Number) : [];
  } catch {
    return [];
  }
}

/** A zombie is not alive. */
function isAlive(pid: number): boolean {
  try {
    const stat = Deno.readTextFileSync(`/proc/${pid}/stat`);
    return !/^ [ZX]/.test(stat.slice(stat.lastIndexOf(")") + 1));
  } catch {
    return false;
  }
}
