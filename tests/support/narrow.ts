/**
 * Starts programs of this checkout with other permissions than all of them.
 *
 * @module
 */
import { join } from "@std/path";
import { CONFIG, type Result, ROOT } from "./cli.ts";
import type { Running } from "./swarm.ts";

/** Starts a program of this checkout with the flags that say what it may do. */
export function startNarrow(
  flags: readonly string[],
  program: string,
  args: readonly string[],
  cwd: string,
): Running {
  const env = Deno.env.toObject();
  for (const name of Object.keys(env)) if (name.startsWith("SKEIN_")) delete env[name];
  const words = ["run", "-q", "--no-prompt", ...flags, "--config", CONFIG, join(ROOT, program)];
  const child = new Deno.Command(Deno.execPath(), {
    args: [...words, ...args],
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
