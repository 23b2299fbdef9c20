import { unusable } from "../fence/mod.ts";
import { byteLengthOf, type PassInput, type PassOutput } from "./executor.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const EMPTY = new Uint8Array(0);

/** A pass that reads nothing. */
export const noInput: PassInput = {
  path: null,
  bytes: () => Promise.resolve(EMPTY),
  text: () => Promise.resolve(""),
};

/** The output of a pass whose executor never asked for one. */
export const noOutput: PassOutput = { path: null, errorPath: null, write() {} };

/** An output that is open for as long as its attempt runs. */
export interface SealedOutput extends PassOutput {
  /** Its attempt has ended: {@linkcode PassOutput.write} throws from now on. */
  seal(): void;
}

function lateWrite(): Error {
  return new Error("Cannot write to the output of an attempt that has ended");
}

/** A pass that reads a text of the manifest. */
export function inlineInput(text: string): PassInput {
  return {
    path: null,
    bytes: () => Promise.resolve(encoder.encode(text)),
    text: () => Promise.resolve(text),
  };
}

/** A pass that reads a file. */
export class FileInput implements PassInput {
  /** The file. */
  readonly path: string;

  /** Binds a file. */
  constructor(path: string) {
    this.path = path;
  }

  /** All of it. */
  bytes(): Promise<Uint8Array> {
    return Deno.readFile(this.path);
  }

  /** All of it, as text. */
  text(): Promise<string> {
    return Deno.readTextFile(this.path);
  }
}

/** The two files of a pass. Each is made with its first byte. */
export class FileOutput implements SealedOutput {
  /** For standard output. */
  readonly path: string;
  /** For standard error. */
  readonly errorPath: string;
  #begun = false;
  #isSealed = false;

  /** Binds the files. */
  constructor(path: string, errorPath: string) {
    this.path = path;
    this.errorPath = errorPath;
  }

  /** Whether anything was written. */
  get isThere(): boolean {
    return this.#look()?.isFile === true;
  }

  /** Appends to the output file. */
  write(chunk: string | Uint8Array): void {
    if (this.#isSealed) throw lateWrite();
    const bytes = typeof chunk === "string" ? encoder.encode(chunk) : chunk;
    Deno.writeFileSync(this.path, bytes, { append: true, createNew: !this.#begun, mode: 0o600 });
    this.#begun = true;
  }

  /** Takes nothing more. */
  seal(): void {
    this.#isSealed = true;
  }

  /**
   * Makes sure that the output file is there and whole, and returns its size in bytes; `null` where it is not what was
   * written.
   *
   * @param sync writes it through to the disk too.
   * @param written bytes that it must have; `undefined` where that is not known.
   */
  complete(sync: boolean, written: number | undefined): number | null {
    try {
      const found = this.#look();
      const createNew = found === null;
      const size = found?.size ?? 0;
      if (found?.isFile === false || size !== (written ?? size)) return null;
      if (createNew || sync) {
        using file = Deno.openSync(this.path, { read: true, write: true, createNew, mode: 0o600 });
        if (sync) file.syncSync();
      }
      return size;
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return null;
      throw unusable(this.path, error);
    }
  }

  #look(): Deno.FileInfo | null {
    try {
      return Deno.lstatSync(this.path);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return null;
      throw error;
    }
  }
}

/** An output in memory. Most are one text or one piece of bytes, which is kept as it is. */
export class MemoryOutput implements SealedOutput {
  /** There is no file. */
  readonly path = null;
  /** There is no file. */
  readonly errorPath = null;
  #content: string | Uint8Array | null = null;
  #more: Uint8Array[] | null = null;
  #isSealed = false;

  /** Adds to the output. */
  write(chunk: string | Uint8Array): void {
    if (this.#isSealed) throw lateWrite();
    if (this.#content === null) this.#content = typeof chunk === "string" ? chunk : chunk.slice();
    else {(this.#more ??= []).push(
        typeof chunk === "string" ? encoder.encode(chunk) : chunk.slice(),
      );}
  }

  /** Takes nothing more. */
  seal(): void {
    this.#isSealed = true;
  }

  /** Bytes in all. */
  get size(): number {
    const rest = this.#more?.reduce((sum, { length }) => sum + length, 0) ?? 0;
    return rest + (this.#content === null ? 0 : byteLengthOf(this.#content));
  }

  /** The output as another pass reads it. */
  asInput(): PassInput {
    if (this.#content === null) return noInput;
    const bytes = this.#join();
    return {
      path: null,
      bytes: () => Promise.resolve(bytes),
      text: () => Promise.resolve(decoder.decode(bytes)),
    };
  }

  #join(): Uint8Array {
    const content = this.#content ?? EMPTY;
    const first = typeof content === "string" ? encoder.encode(content) : content;
    if (this.#more === null) return this.#content = first;
    const parts = [first, ...this.#more];
    const bytes = new Uint8Array(this.size);
    let offset = 0;
    for (const part of parts) {
      bytes.set(part, offset);
      offset += part.length;
    }
    this.#more = null;
    return this.#content = bytes;
  }
}
