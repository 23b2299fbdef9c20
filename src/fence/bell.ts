/**
 * The bell: eight bytes at the start of STOP.lock that a stop changes in place before and after it sets the latch. A
 * run that reads them unchanged knows, for a microsecond's cost, that no stop has rung since it last looked at STOP
 * itself. They promise nothing alone: a latch that was set by hand rings no bell, and a disk may refuse the write, so
 * whoever trusts them looks at STOP every few milliseconds all the same.
 *
 * @module
 */
const BYTES = 8;

/** Listens for the bell of a state directory. */
export class BellListener {
  readonly #file: Deno.FsFile | null;
  readonly #heard: Uint32Array;
  readonly #now = new Uint32Array(2);
  readonly #bytes: Uint8Array;

  /** Remembers how the bell stands now. */
  constructor(path: string) {
    this.#bytes = new Uint8Array(this.#now.buffer);
    this.#file = open(path);
    this.#read();
    this.#heard = this.#now.slice();
  }

  /** Whether the bell stands as it did; `false` where it cannot be read. */
  isQuiet(): boolean {
    return this.#read() && this.#now[0] === this.#heard[0] && this.#now[1] === this.#heard[1];
  }

  /** Lets go of the file. */
  close(): void {
    this.#file?.close();
  }

  #read(): boolean {
    if (this.#file === null) return false;
    this.#now.fill(0);
    try {
      this.#file.seekSync(0, Deno.SeekMode.Start);
      this.#file.readSync(this.#bytes);
      return true;
    } catch {
      return false;
    }
  }
}

/** Rings the bell. A disk that refuses it makes runs slower to notice, and keeps no stop from latching. */
export function ringBell(path: string): void {
  const count = new BigUint64Array(1);
  const bytes = new Uint8Array(count.buffer, 0, BYTES);
  try {
    if (!Deno.statSync(path).isFile) return;
    using file = Deno.openSync(path, { read: true, write: true });
    file.readSync(bytes);
    count[0] = (count[0] ?? 0n) + 1n;
    file.seekSync(0, Deno.SeekMode.Start);
    file.writeSync(bytes);
  } catch {
    // The look every few milliseconds notices what this could not tell.
  }
}

function open(path: string): Deno.FsFile | null {
  try {
    if (!Deno.statSync(path).isFile) return null;
    return Deno.openSync(path, { read: true });
  } catch {
    return null;
  }
}
