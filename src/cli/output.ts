import { messageOf } from "../model/error.ts";
import type { Invocation } from "./command.ts";

/** How long the end of a command waits for a reader of standard error that has stalled. */
const PATIENCE_MS = 500;

const encoder = new TextEncoder();
const nothing = new Int32Array(new SharedArrayBuffer(4));

/** Why data did not reach standard output. */
let failure: string | null = null;

/** Who writes to standard error, `null` while talk is written at once. */
let background: BackgroundTalk | null = null;

/** Writes data to standard output. A reader that has gone away is no error; any other failure is kept for the end. */
export function print(text: string): void {
  printBytes(encoder.encode(text.endsWith("\n") || text === "" ? text : `${text}\n`));
}

/** Writes bytes to standard output; `false` where the reader has gone away, or the writing has failed. */
export function printBytes(bytes: Uint8Array): boolean {
  for (let written = 0; written < bytes.length;) {
    try {
      written += Deno.stdout.writeSync(bytes.subarray(written));
    } catch (error) {
      if (!(error instanceof Deno.errors.WouldBlock)) return printFailed(error);
      // A terminal or a pipe that another program has made non-blocking: it takes more in a moment.
      Atomics.wait(nothing, 0, 0, 1);
    }
  }
  return true;
}

/** Why data could not be written since this was asked last, `null` where all was. */
export function takeOutputFailure(): string | null {
  const taken = failure;
  failure = null;
  return taken;
}

/** Writes talk to standard error. It never throws: what nobody can read must not end what goes on. */
export function say(text: string): void {
  sayRaw(`${text}\n`);
}

/** Writes to standard error without a newline. */
export function sayRaw(text: string): void {
  const bytes = encoder.encode(text);
  if (background === null) sayNow(bytes);
  else background.add(bytes);
}

/** Writes to standard error what will soon be out of date: left out while an earlier write is not through. */
export function sayPassing(text: string): void {
  if (background?.busy !== true) sayRaw(text);
}

/**
 * From now on talk is written in the background: a reader of standard error that stalls must not hold up a run, whose
 * signals, timeouts and stop this thread serves.
 */
export function talkInBackground(): void {
  background ??= new BackgroundTalk();
}

/** Waits until what was said is written, but not for a reader that has stalled. */
export async function talkWritten(): Promise<void> {
  await background?.written();
}

/** Prints a value as one line of JSON. */
export function printJson(value: unknown): void {
  print(JSON.stringify(value));
}

/** Whether an answer is to be in JSON: asked for, or not read on a terminal. */
export function wantsJson(invocation: Invocation): boolean {
  if (invocation.has("json")) return true;
  return !invocation.has("text") && !Deno.stdout.isTerminal();
}

/** Prints a value as JSON or as text. */
export function answer(invocation: Invocation, value: unknown, text: () => string): void {
  if (wantsJson(invocation)) printJson(value);
  else print(text());
}

/** Writes to standard error one text after another, without holding up this thread. */
class BackgroundTalk {
  readonly #waiting: Uint8Array[] = [];
  #writing: Promise<void> | null = null;

  /** Whether something is not written yet. */
  get busy(): boolean {
    return this.#writing !== null;
  }

  /** Takes a text. */
  add(bytes: Uint8Array): void {
    this.#waiting.push(bytes);
    this.#writing ??= this.#writeAll();
  }

  /** Resolves when all is written, or too slowly. */
  async written(): Promise<void> {
    if (this.#writing === null) return;
    const { systemClock } = await import("../clock/clock.ts");
    const over = new AbortController();
    await Promise.race([this.#writing, systemClock.sleep(PATIENCE_MS, over.signal)]);
    over.abort();
  }

  async #writeAll(): Promise<void> {
    for (let next = this.#waiting.shift(); next !== undefined; next = this.#waiting.shift()) {
      await sayLater(next);
    }
    this.#writing = null;
  }
}

async function sayLater(bytes: Uint8Array): Promise<void> {
  try {
    for (let written = 0; written < bytes.length;) {
      written += await Deno.stderr.write(bytes.subarray(written));
    }
  } catch {
    // A full disk, a dead terminal, a reader that is gone: there is nobody to tell.
  }
}

function sayNow(bytes: Uint8Array): void {
  try {
    for (let written = 0; written < bytes.length;) {
      written += Deno.stderr.writeSync(bytes.subarray(written));
    }
  } catch {
    // As above.
  }
}

function printFailed(error: unknown): false {
  if (!(error instanceof Deno.errors.BrokenPipe)) failure ??= messageOf(error);
  return false;
}
