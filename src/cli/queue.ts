import { absolutePath, isAbsent } from "../disk/path.ts";
import { queuePath } from "../engine/durable/queue_path.ts";
import { SkeinError } from "../model/error.ts";
import type { Latch, Store } from "../store/mod.ts";
import { formatDuration } from "../view/progress.ts";
import { say } from "./output.ts";

/** How a command opens the queue. */
export interface OpenOptions {
  /** The fence as the store asks it; the files of the state directory by default. */
  readonly latch?: Latch;
  /** Whether each commit is on the disk before it is answered; it is by default. */
  readonly sync?: boolean;
}

/** Opens the queue of a state directory, which must be there. A long wait for the write lock is said. */
export async function openQueue(stateDir: string, options: OpenOptions = {}): Promise<Store> {
  const { latch, sync = true } = options;
  // Late: SQLite is loaded only where there is, or is to be, a queue.
  const site = await import("../engine/durable/site.ts");
  return await site.openQueue(stateDir, {
    durability: sync ? "full" : "normal",
    onWait: ({ path, waitedMs }) => sayWait(path, waitedMs),
    ...latch === undefined ? {} : { latch },
  });
}

/** Does something with the queue of a state directory, with `null` where there is none: nothing is made. */
export async function withQueue<T>(
  stateDir: string,
  use: (store: Store | null, stateDir: string) => Promise<T>,
): Promise<T> {
  const folder = absolutePath(stateDir);
  if (isAbsent(queuePath(folder))) return await use(null, folder);
  const store = await openQueue(folder);
  try {
    return await use(store, folder);
  } finally {
    await store.close();
  }
}

/**
 * The current epoch, for what is queued or claimed under it.
 *
 * @throws {SkeinError} `state-corrupt` where it cannot be read, or the queue has seen a higher one.
 */
export async function epochOf(store: Store, stateDir: string): Promise<number> {
  const { currentEpoch } = await import("../fence/current.ts");
  const epoch = currentEpoch(stateDir);
  const highest = await store.highestEpoch();
  if (highest <= epoch) return epoch;
  throw new SkeinError(
    "state-corrupt",
    `Cannot use the queue of "${stateDir}": EPOCH is ${epoch}, but the queue has seen ${highest}`,
    {
      where: `${stateDir}/EPOCH`,
      next: `Inspect the folder, then name an epoch above it: \`skein reset --epoch ${
        highest + 1
      }\``,
    },
  );
}

/** The error of what is refused while the swarm is stopped. */
export function refusedByStop(action: string, stateDir: string): SkeinError {
  return new SkeinError("stopped", `Cannot ${action} in "${stateDir}": the swarm is stopped`, {
    where: stateDir,
    next: "Inspect it with `skein status`, then run `skein reset`",
  });
}

/** Says that the write lock of a queue is waited for. */
export function sayWait(path: string, waitedMs: number): void {
  say(
    `skein: has waited ${formatDuration(waitedMs)} for the write lock of "${path}" and goes on; ` +
      "`skein status` names who holds it",
  );
}
