import type { Invocation } from "./command.ts";

const encoder = new TextEncoder();

/** Writes data to standard output. A reader that has gone away is no error. */
export function print(text: string): void {
  write(Deno.stdout, encoder.encode(text.endsWith("\n") || text === "" ? text : `${text}\n`));
}

/** Writes bytes to standard output; `false` where the reader has gone away. */
export function printBytes(bytes: Uint8Array): boolean {
  return write(Deno.stdout, bytes);
}

/** Writes talk to standard error. */
export function say(text: string): void {
  write(Deno.stderr, encoder.encode(`${text}\n`));
}

/** Writes to standard error without a newline. */
export function sayRaw(text: string): void {
  write(Deno.stderr, encoder.encode(text));
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

function write(stream: { writeSync(bytes: Uint8Array): number }, bytes: Uint8Array): boolean {
  for (let written = 0; written < bytes.length;) {
    try {
      written += stream.writeSync(bytes.subarray(written));
    } catch (error) {
      if (error instanceof Deno.errors.BrokenPipe) return false;
      // A terminal or a pipe that another program has made non-blocking: it takes more in a moment.
      if (!(error instanceof Deno.errors.WouldBlock)) throw error;
    }
  }
  return true;
}
