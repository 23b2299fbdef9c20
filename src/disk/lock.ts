import { type Clock, systemClock } from "../clock/clock.ts";
import { tryLock } from "./try_lock.ts";

/** Many may hold a shared lock, or one an exclusive lock. */
export type LockKind = "shared" | "exclusive";

const POLL_MS = 5;

/**
 * An advisory lock on a file, held until {@linkcode FileLock.close} or the death of the process. A child between
 * fork and exec still holds it; a running child does not.
 */
export class FileLock implements Disposable {
  readonly #file: Deno.FsFile;

  private constructor(file: Deno.FsFile) {
    this.#file = file;
  }

  /** Takes a lock at once, or answers `null`; makes the file where there is none. */
  static tryAcquire(path: string, kind: LockKind): FileLock | null {
    if (isSomethingElse(path)) throw new Error(`"${path}" is not a file`);
    const file = Deno.openSync(path, { read: true, write: true, create: true, mode: 0o600 });
    return FileLock.tryOn(file, kind);
  }

  /** Takes a lock on an open file, or closes it and answers `null`. */
  static tryOn(file: Deno.FsFile, kind: LockKind): FileLock | null {
    try {
      if (tryLock(file, kind === "exclusive")) return new FileLock(file);
    } catch (error) {
      file.close();
      throw error;
    }
    file.close();
    return null;
  }

  /**
   * Waits for a lock.
   *
   * @param waitMs how long; 0 tries once.
   * @param giveUp asked between two tries; `true` ends the wait.
   * @returns `null` where it was not to be had.
   */
  static async acquire(
    path: string,
    kind: LockKind,
    waitMs: number,
    giveUp: () => boolean = () => false,
    clock: Clock = systemClock,
  ): Promise<FileLock | null> {
    const deadline = clock.mono() + waitMs;
    for (;;) {
      const lock = FileLock.tryAcquire(path, kind);
      if (lock !== null || giveUp()) return lock;
      const left = deadline - clock.mono();
      if (left <= 0) return null;
      await clock.sleep(Math.min(POLL_MS, left));
    }
  }

  /** The locked file, to be read and written in place. */
  get file(): Deno.FsFile {
    return this.#file;
  }

  /** Lets go. */
  close(): void {
    this.#file.close();
  }

  /** Lets go at the end of a `using` block. */
  [Symbol.dispose](): void {
    this.close();
  }
}

/** A pipe would keep whoever opens it waiting. */
function isSomethingElse(path: string): boolean {
  try {
    return !Deno.statSync(path).isFile;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
