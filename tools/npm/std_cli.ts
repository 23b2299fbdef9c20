/**
 * `@std/cli` from npm, with the signatures of what this project uses.
 *
 * @module
 */
import * as cli from "npm:deno-std@1.4.0/cli/parse_args.js";

/** What {@linkcode parseArgs} is told about the flags. */
export interface ParseOptions {
  /** Puts what follows `--` under the key `--`. */
  "--"?: boolean;
  /** Other names of a flag. */
  alias?: Record<string, string | readonly string[]>;
  /** Flags without a value. */
  boolean?: boolean | string | readonly string[];
  /** Flags whose value is text. */
  string?: string | readonly string[];
  /** Flags that may stand more than once. */
  collect?: string | readonly string[];
  /** Stops at the first word that is not a flag. */
  stopEarly?: boolean;
  /** Called with each word that is not a known flag; `false` leaves it out. */
  unknown?: (arg: string, key?: string, value?: unknown) => unknown;
}

/** Splits command line words into flags and positional words (`_`). */
export const parseArgs: (
  args: string[],
  options?: ParseOptions,
) => { _: (string | number)[]; [name: string]: unknown } = cli.parseArgs;
