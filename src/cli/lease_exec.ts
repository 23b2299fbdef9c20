import { messageOf, SkeinError } from "../model/mod.ts";
import { EXIT } from "./exit.ts";
import { Signals } from "./signals.ts";

/**
 * Runs a command with this process's own streams, to its end, and returns its exit code; 128 and the number of the
 * signal that has ended it.
 *
 * @param check asked as soon as it has been started: what it throws kills the command, and is thrown here.
 * @param env variables beside this process's own.
 * @throws {SkeinError} `run-refused` where the command cannot be started.
 */
export async function runWhileHeld(
  argv: readonly string[],
  check: () => void,
  env: Readonly<Record<string, string>> = {},
): Promise<number> {
  // Before it starts: a signal that comes meanwhile must not leave it alone.
  using signals = new Signals();
  const child = start(argv, env);
  try {
    check();
  } catch (error) {
    send(child, "SIGKILL");
    await ended(child);
    throw error;
  }
  follow(signals.cancel, () => passOn(child, signals.code));
  follow(signals.kill, () => send(child, "SIGKILL"));
  return await ended(child);
}

function start(
  [program = "", ...args]: readonly string[],
  env: Readonly<Record<string, string>>,
): Deno.ChildProcess {
  try {
    return new Deno.Command(program, {
      args,
      env,
      stdin: "inherit",
      stdout: "inherit",
      stderr: "inherit",
    }).spawn();
  } catch (error) {
    throw new SkeinError("run-refused", `Cannot start "${program}": ${messageOf(error)}`, {
      next: "Check that the program is there, is executable, and may be started",
      cause: error,
    });
  }
}

/** A terminal gives INT to the command too; the others come to this process alone. */
function passOn(child: Deno.ChildProcess, code: number | null): void {
  if (code === EXIT.terminated) send(child, "SIGTERM");
  if (code === EXIT.hangup) send(child, "SIGHUP");
}

function follow(signal: AbortSignal, act: () => void): void {
  if (signal.aborted) act();
  else signal.addEventListener("abort", act);
}

function send(child: Deno.ChildProcess, signal: Deno.Signal): void {
  try {
    child.kill(signal);
  } catch {
    // It has ended by itself.
  }
}

async function ended(child: Deno.ChildProcess): Promise<number> {
  try {
    return (await child.status).code;
  } catch {
    // A death by a real-time signal has no name that the runtime knows.
    return EXIT.error;
  }
}
