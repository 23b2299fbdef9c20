/**
 * Starts the command line of this checkout as a process, with the registry that the tests themselves run on.
 *
 * @module
 */
import { fromFileUrl, join } from "@std/path";
import { registryConfig } from "../../tools/registry.ts";

/** The checkout. */
export const ROOT: string = fromFileUrl(new URL("../..", import.meta.url));

/** The configuration that is passed on. */
export const CONFIG: string = join(ROOT, await registryConfig());

/** Whether the long form of the tests runs: hundreds of rounds, thousands of seeds. */
export const LONG: boolean = Deno.env.get("SKEIN_TEST_LONG") === "1";

/** What a command line came to. */
export interface Result {
  /** Its exit code. */
  readonly code: number;
  /** Its standard output. */
  readonly stdout: string;
  /** Its standard error. */
  readonly stderr: string;
}

/** How a command line is started. */
export interface StartOptions {
  /** Its folder. */
  readonly cwd?: string;
  /** Variables beside those of the tests. */
  readonly env?: Record<string, string>;
  /** What it reads. */
  readonly stdin?: string;
  /** An import map in the place of the configuration's own, such as one that swaps `faults/`. */
  readonly importMap?: string;
  /** A program that starts it, with its arguments, such as one that takes rights away. */
  readonly through?: readonly string[];
}

/** The words that start the command line. */
export function skeinArgs(args: readonly string[], { importMap }: StartOptions = {}): string[] {
  const map = importMap === undefined ? [] : ["--import-map", importMap];
  return [
    "run",
    "-A",
    "-q",
    "--no-prompt",
    "--config",
    CONFIG,
    ...map,
    join(ROOT, "main.ts"),
    ...args,
  ];
}

/** Starts the command line; the caller ends it. */
export function startSkein(args: readonly string[], options: StartOptions = {}): Deno.ChildProcess {
  const { cwd = ROOT, env = {}, stdin, through = [] } = options;
  const [program = "", ...words] = [...through, Deno.execPath(), ...skeinArgs(args, options)];
  return new Deno.Command(program, {
    args: words,
    cwd,
    env: { ...cleanEnv(), ...env },
    clearEnv: true,
    stdin: stdin === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

/** Runs the command line to its end. */
export async function skein(args: readonly string[], options: StartOptions = {}): Promise<Result> {
  const child = startSkein(args, options);
  if (options.stdin !== undefined) {
    const writer = child.stdin.getWriter();
    await writer.write(new TextEncoder().encode(options.stdin));
    await writer.close();
  }
  const { code, stdout, stderr } = await child.output();
  const decoder = new TextDecoder();
  return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
}

/** A folder that is removed at the end of a `using` block. */
export function temporaryFolder(): { readonly path: string } & Disposable {
  const path = Deno.makeTempDirSync({ prefix: "skein-test-" });
  return { path, [Symbol.dispose]: () => Deno.removeSync(path, { recursive: true }) };
}

/** Waits until something holds, or fails: for what another process does. */
export async function eventually(what: string, holds: () => boolean, ms = 20_000): Promise<void> {
  const deadline = performance.now() + ms;
  while (!holds()) {
    if (performance.now() > deadline) throw new Error(`Waited ${ms} ms in vain until ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

/** The variables of the tests themselves, without those of Skein. */
export function cleanEnv(): Record<string, string> {
  const env = Deno.env.toObject();
  for (const name of Object.keys(env)) if (name.startsWith("SKEIN_")) delete env[name];
  return env;
}
