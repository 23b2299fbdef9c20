import { every } from "../clock/mod.ts";
import type { Fence } from "../fence/mod.ts";

/** How often STOP is looked at; the watch is faster, but may miss. */
const POLL_MS = 25;

/** Calls back once when something appears at STOP: a watch on the bell that a stop rings, and polling beneath it. */
export class StopNotice implements Disposable {
  readonly #fence: Fence;
  readonly #onStop: () => void;
  readonly #watcher: Deno.FsWatcher | null;
  readonly #poll: Disposable;
  #over = false;

  /** Starts to watch. */
  constructor(fence: Fence, onStop: () => void) {
    this.#fence = fence;
    this.#onStop = onStop;
    this.#watcher = watch(`${fence.stateDir}/STOP.lock`);
    this.#poll = every(POLL_MS, () => this.#look());
    if (this.#watcher !== null) this.#follow(this.#watcher);
  }

  /** Ends. */
  [Symbol.dispose](): void {
    this.#over = true;
    this.#poll[Symbol.dispose]();
    try {
      this.#watcher?.close();
    } catch (error) {
      if (!(error instanceof Deno.errors.BadResource)) throw error;
    }
  }

  #follow(watcher: Deno.FsWatcher): void {
    const follow = async () => {
      for await (const _ of watcher) this.#look();
    };
    // A watch that ends with an error leaves the polling.
    follow().catch(() => {});
  }

  #look(): void {
    if (this.#over || this.#fence.isClear()) return;
    this[Symbol.dispose]();
    this.#onStop();
  }
}

/**
 * A watch on a file, `null` where the system has no more of them. Never on the state directory: the runtime opens and
 * closes whatever changes under a watch, and by POSIX the close of any file takes from its process every lock on it.
 * SQLite would lose those of `queue.db`, and two processes would write to it at the same time.
 */
function watch(file: string): Deno.FsWatcher | null {
  try {
    return Deno.watchFs(file, { recursive: false });
  } catch {
    return null;
  }
}
