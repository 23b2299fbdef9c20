/** Signals one process; `false` where there is none. */
export function signalPid(pid: number, signal: Deno.Signal): boolean {
  try {
    Deno.kill(pid, signal);
    return true;
  } catch (error) {
    if (isGone(error)) return false;
    if (error instanceof Deno.errors.NotCapable) return signalThroughKill(pid, signal);
    throw error;
  }
}

/** Signals a process group by its leader; `false` where there is none, or none yet. */
export function signalGroup(leader: number, signal: Deno.Signal): boolean {
  return signalPid(-leader, signal);
}

/** With a list of permitted programs the runtime signals nothing but its own children; `kill` does. */
function signalThroughKill(pid: number, signal: Deno.Signal): boolean {
  return new Deno.Command("kill", {
    args: ["-s", signal.replace(/^SIG/, ""), "--", String(pid)],
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).outputSync().success;
}

function isGone(error: unknown): boolean {
  return error instanceof Deno.errors.NotFound ||
    (error instanceof Error && (error as { code?: unknown }).code === "ESRCH");
}
