/**
 * The bell: a stop makes STOP.lock a byte longer before and after it sets the latch. A run that finds nothing behind
 * where it has read to knows, for the cost of one read, that no stop has rung since it entered. It promises nothing
 * alone: a latch that was set by hand rings no bell, and a disk may refuse the write, so whoever trusts it looks at
 * STOP every few milliseconds all the same.
 *
 * @module
 */
const STROKE = new Uint8Array(1);

/** Listens for the bell of a state directory. */
export class BellListener {
  readonly #file: Deno.FsFile | null;
  readonly #heard = new Uint8Array(1);
  #rung = false;

  /** Hears what rings from now on. */
  constructor(path: string) {
    this.#file = open(path);
  }

  /** Whether the bell has not rung; `false` where that cannot be told. */
  isQuiet(): boolean {
    if (this.#file === null || this.#rung) return false;
    try {
      this.#rung = this.#file.readSync(this.#heard) !== null;
    } catch {
      return false;
    }
    return !this.#rung;
  }

  /** Lets go of the file. */
  close(): void {
    this.#file?.close();
  }
}

/** Rings the bell. A disk that refuses it makes runs slower to notice, and keeps no stop from latching. */
export function ringBell(path: string): void {
  try {
    if (!Deno.statSync(path).isFile) return;
    using file = Deno.openSync(path, { append: true });
    file.writeSync(STROKE);
  } catch {
    // The look every few milliseconds notices what this could not tell.
  }
}

/** Opens the file at its end. */
function open(path: string): Deno.FsFile | null {
  try {
    if (!Deno.statSync(path).isFile) return null;
    const file = Deno.openSync(path, { read: true });
    file.seekSync(0, Deno.SeekMode.End);
    return file;
  } catch {
    return null;
  }
}
