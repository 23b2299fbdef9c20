/**
 * What the command line asks for, checked before anything is measured.
 *
 * @module
 */
import { parseArgs } from "@std/cli";
import { dirname } from "@std/path";

/** What is asked for. */
export interface Request {
  /** Samples of each candidate. */
  readonly samples: number;
  /** The section to measure; `null`: all. */
  readonly only: string | null;
  /** Where the document goes; `null` where nothing is said of it. */
  readonly out: string | null;
  /** Small sizes. */
  readonly small: boolean;
  /** Whether `apt-get` may install what is missing. */
  readonly install: boolean;
  /** Whether only the usage is asked for. */
  readonly help: boolean;
}

/** Samples of each candidate, where nothing is said of them. */
export const SAMPLES = 15;

/**
 * Reads the words of a command line.
 *
 * @throws {TypeError} where one of them is not understood, or the document could not be written.
 */
export function requestOf(args: readonly string[], sections: readonly string[]): Request {
  const flags = parseArgs([...args], {
    boolean: ["small", "install", "help"],
    string: ["samples", "only", "out"],
    unknown: (word: string, key?: string) => {
      // An empty value comes as a word: it is the flag's fault.
      if (word === "") return;
      throw new TypeError(`The ${key === undefined ? "word" : "flag"} "${word}" is unknown`);
    },
  });
  const only = flags.only === undefined ? null : String(flags.only);
  const out = flags.out === undefined ? null : String(flags.out);
  if (only !== null && !sections.includes(only)) {
    throw new TypeError(`--only is "${only}": it must be one of ${sections.join(", ")}`);
  }
  const problem = out === null ? null : outProblem(out);
  if (problem !== null) throw new TypeError(problem);
  const samples = flags.samples === undefined ? SAMPLES : samplesOf(String(flags.samples));
  const [stray] = flags._;
  if (stray !== undefined) throw new TypeError(`The word "${stray}" is unknown`);
  return {
    samples,
    only,
    out,
    small: flags.small === true,
    install: flags.install === true,
    help: flags.help === true,
  };
}

function samplesOf(text: string): number {
  const samples = Number(text);
  if (/^\d+$/.test(text) && Number.isSafeInteger(samples) && samples > 0) return samples;
  throw new TypeError(`--samples is "${text}": it must be a whole number from 1 on`);
}

/** Why a document cannot be written there: an hour later is too late to say it. */
function outProblem(out: string): string | null {
  if (out === "") return "--out is empty: it must be the path of a file";
  const target = kindOf(out);
  if (target === "folder") return `--out is "${out}", which is a folder: it must be a file`;
  const folder = dirname(out);
  if (target === "other" || kindOf(folder) === "folder") return null;
  return `--out is "${out}", but there is no folder "${folder}"`;
}

function kindOf(path: string): "folder" | "other" | null {
  try {
    return Deno.statSync(path).isDirectory ? "folder" : "other";
  } catch {
    return null;
  }
}
