/**
 * Starts the command line, or a program of this checkout, with other permissions than all of them.
 *
 * `SKEIN_START` may hold the words that start the command line in the place of `deno run`, as a JSON list. The word
 * `{flags}` in it stands for the flags that say what it may do, as `deno run` takes them; words without it start what
 * cannot be told, such as a compiled binary.
 *
 * @module
 */
import { join } from "@std/path";
import { cleanEnv, CONFIG, type Result, ROOT } from "./cli.ts";
import type { Running } from "./swarm.ts";

const FLAGS = "{flags}";
const PLAIN = [Deno.execPath(), "run", "-q", "--no-prompt", FLAGS, "--config", CONFIG];
const WORDS = wordsOf(Deno.env.get("SKEIN_START"));

/** Whether the command line can be told what it may do. */
export const START_TAKES_FLAGS: boolean = WORDS.includes(FLAGS);
/** Whether it is the usual one, which then may do nothing else. */
export const START_IS_PLAIN: boolean = Deno.env.get("SKEIN_START") === undefined;

function wordsOf(text: string | undefined): readonly string[] {
  if (text === undefined) return [...PLAIN, join(ROOT, "main.ts")];
  const words: unknown = JSON.parse(text);
  if (Array.isArray(words) && words.length > 0 && words.every((word) => typeof word === "string")) {
    return words;
  }
  throw new Error(`SKEIN_START is no list of words: ${text}`);
}

/** Starts the command line with the flags that say what it may do. */
export function startWith(
  flags: readonly string[],
  args: readonly string[],
  cwd: string,
  env: Readonly<Record<string, string>> = {},
): Running {
  return start([...filled(WORDS, flags), ...args], cwd, env);
}

/** Starts a program of this checkout with the flags that say what it may do. */
export function startNarrow(
  flags: readonly string[],
  program: string,
  args: readonly string[],
  cwd: string,
): Running {
  return start([...filled(PLAIN, flags), join(ROOT, program), ...args], cwd);
}

function filled(words: readonly string[], flags: readonly string[]): readonly string[] {
  return words.flatMap((word) => word === FLAGS ? flags : [word]);
}

function start(
  [program = "", ...args]: readonly string[],
  cwd: string,
  more: Readonly<Record<string, string>> = {},
): Running {
  const env = { ...cleanEnv(), ...more };
  const child = new Deno.Command(program, {
    args,
    cwd,
    env,
    clearEnv: true,
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const decoder = new TextDecoder();
  const result: Promise<Result> = child.output().then(({ code, stdout, stderr }) => ({
    code,
    stdout: decoder.decode(stdout),
    stderr: decoder.decode(stderr),
  }));
  return { pid: child.pid, result, kill: (signal) => child.kill(signal) };
}
