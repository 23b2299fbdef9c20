/**
 * Whole commands, timed from their start to their end.
 *
 * @module
 */

/** How a command is started. */
export interface CommandOptions {
  /** Its folder. */
  readonly cwd: string;
  /** What it reads. */
  readonly stdin?: string;
}

/** What a command came to. */
export interface Finished {
  /** Milliseconds from just before its start until it had ended and its output was read. */
  readonly ms: number;
  /** Its standard output. */
  readonly stdout: string;
}

/** The variables of this process, without those that change how Skein or Python works. */
export function plainEnv(): Record<string, string> {
  const names = Object.keys(Deno.env.toObject());
  const kept = names.filter((name) => !name.startsWith("SKEIN_") && !name.startsWith("PYTHON"));
  const env = Object.fromEntries(kept.map((name) => [name, Deno.env.get(name) ?? ""]));
  return { ...env, NO_COLOR: "1" };
}

/** Starts a command; the caller waits for its end. */
export function start(
  [program = "", ...args]: readonly string[],
  { cwd, stdin }: CommandOptions,
): Deno.ChildProcess {
  return new Deno.Command(program, {
    args,
    cwd,
    env: ENV,
    clearEnv: true,
    stdin: stdin === undefined ? "null" : "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
}

/** Runs a command to its end. One that fails is an error. */
export async function finish(argv: readonly string[], options: CommandOptions): Promise<Finished> {
  const started = performance.now();
  const child = start(argv, options);
  const writing = options.stdin === undefined ? null : write(child, options.stdin);
  const output = await child.output();
  const ms = performance.now() - started;
  await writing;
  const decoder = new TextDecoder();
  if (output.success) return { ms, stdout: decoder.decode(output.stdout) };
  throw new Error(`exit code ${output.code}: ${decoder.decode(output.stderr).trim()}`);
}

const ENV = plainEnv();

async function write(child: Deno.ChildProcess, text: string): Promise<void> {
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(text));
  await writer.close();
}
