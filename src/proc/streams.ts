import { openOwnFile } from "../disk/mod.ts";

/** How many bytes one attempt may still write, over all its streams. */
export class OutputBudget {
  #left: number;
  /** Called once, when more arrives than is left. */
  readonly #onExceeded: () => void;
  #exceeded = false;

  /** Makes a budget. */
  constructor(bytes: number, onExceeded: () => void) {
    this.#left = bytes;
    this.#onExceeded = onExceeded;
  }

  /** Whether more arrived than the limit allows. */
  get exceeded(): boolean {
    return this.#exceeded;
  }

  /** Takes what is left of a chunk's length, at most all of it. */
  take(bytes: number): number {
    const taken = Math.min(bytes, this.#left);
    this.#left -= taken;
    if (taken < bytes && !this.#exceeded) {
      this.#exceeded = true;
      this.#onExceeded();
    }
    return taken;
  }
}

/** Carries a stream of a process into a file, which is made with the first byte. */
export class StreamFile {
  readonly #path: string;
  readonly #budget: OutputBudget;
  readonly #reader: ReadableStreamDefaultReader<Uint8Array>;
  #file: Deno.FsFile | null = null;
  #moved = false;
  /** Bytes that were written to the file. */
  written = 0;
  /** Whether the stream has ended. */
  done = false;
  /** Settles when the stream has ended: `null`, or the first error of the file. */
  readonly ended: Promise<unknown>;

  /** Starts to carry. */
  constructor(stream: ReadableStream<Uint8Array>, path: string, budget: OutputBudget) {
    this.#path = path;
    this.#budget = budget;
    this.#reader = stream.getReader();
    this.ended = this.#carry();
  }

  /** Whether anything has arrived since the last time this was asked. */
  moved(): boolean {
    const moved = this.#moved;
    this.#moved = false;
    return moved;
  }

  /** Stops to wait for whoever holds the other end. What has arrived stays. */
  async release(): Promise<void> {
    try {
      await this.#reader.cancel();
    } catch {
      // The stream had failed already: there is nothing to let go of.
    }
  }

  async #carry(): Promise<unknown> {
    try {
      for (;;) {
        const { done, value } = await this.#reader.read();
        if (done) return null;
        this.#moved = true;
        this.#write(value);
      }
    } catch (error) {
      return error;
    } finally {
      this.done = true;
      this.#file?.close();
    }
  }

  #write(chunk: Uint8Array): void {
    const length = this.#budget.take(chunk.length);
    if (length === 0) return;
    // Of this attempt alone: what is there already was put there by somebody else, and may be a link or a pipe.
    this.#file ??= Deno.openSync(this.#path, { write: true, createNew: true, mode: 0o600 });
    for (let written = 0; written < length;) {
      written += this.#file.writeSync(chunk.subarray(written, length));
    }
    this.written += length;
  }
}

/** What a process reads: nothing, bytes, or a file. */
export type Stdin = null | Uint8Array | { readonly path: string };

/** Feeds a process. It may end, or close its input, before it has read all: that is no error. */
export async function feed(
  stdin: Exclude<Stdin, null>,
  into: WritableStream<Uint8Array>,
): Promise<void> {
  try {
    if (stdin instanceof Uint8Array) {
      const writer = into.getWriter();
      await writer.write(stdin);
      await writer.close();
    } else {
      const file = await openOwnFile(stdin.path);
      await file.readable.pipeTo(into);
    }
  } catch (error) {
    if (error instanceof Deno.errors.BrokenPipe || isClosed(error)) return;
    throw error;
  }
}

function isClosed(error: unknown): boolean {
  return error instanceof TypeError || error instanceof Deno.errors.BadResource ||
    error instanceof Deno.errors.Interrupted;
}
