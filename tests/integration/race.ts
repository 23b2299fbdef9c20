/**
 * Writers in processes of their own, and what must hold of what they came to.
 *
 * @module
 */
import { fromFileUrl } from "@std/path";
import type { WriteAnswer } from "../../examples/destinations/destination.ts";
import { CONFIG } from "../support/cli.ts";
import type { Orders } from "./writer.ts";

const WRITER = fromFileUrl(new URL("writer.ts", import.meta.url));

/** A writer that has been started; it is ended with its test, whatever becomes of that. */
export interface Writer extends AsyncDisposable {
  /** What its writes came to, in order, once it has been told to end. */
  readonly answers: Promise<WriteAnswer[]>;
}

/** Starts a writer; it writes until the file of its orders is there. */
export function startWriter(orders: Orders): Writer {
  const child = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "-q", "--no-prompt", "--config", CONFIG, WRITER, JSON.stringify(orders)],
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const answers = child.output().then(({ success, stdout, stderr }) => {
    const decoder = new TextDecoder();
    if (!success) throw new Error(`The writer failed: ${decoder.decode(stderr)}`);
    return JSON.parse(decoder.decode(stdout));
  });
  // Who disposes of it may have failed before it has asked.
  const ended = answers.then(() => {}, () => {});
  return {
    answers,
    async [Symbol.asyncDispose]() {
      try {
        child.kill("SIGKILL");
      } catch {
        // It has ended by itself.
      }
      await ended;
    },
  };
}

/** The revisions of the writes that were taken. */
export function revisionsOf(answers: readonly WriteAnswer[]): number[] {
  return answers.flatMap((answer) => answer.written ? [answer.revision] : []);
}

/** Why the others were refused, each reason once. */
export function refusalsOf(answers: readonly WriteAnswer[]): string[] {
  return [...new Set(answers.flatMap((answer) => answer.written ? [] : [answer.why]))];
}

/**
 * What is wrong with two writers of which the second has the later lease: every write of the first that was taken when
 * one of the second had been, and every revision that two writes share.
 */
export function lateWrites(
  stale: readonly WriteAnswer[],
  fresh: readonly WriteAnswer[],
): number[] {
  const [old, young] = [revisionsOf(stale), revisionsOf(fresh)];
  const first = Math.min(...young);
  const all = [...old, ...young];
  const shared = all.filter((revision, index) => all.indexOf(revision) !== index);
  return [...new Set([...old.filter((revision) => revision > first), ...shared])];
}
