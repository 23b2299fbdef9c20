/** Signals one process; `false` where there is none. */
export function signalPid(pid: number, signal: Deno.Signal): boolean {
  try {
    Deno.kill(pid, signal);
    return true;
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}

/** Signals a process group by its leader; `false` where there is none, or none yet. */
export function signalGroup(leader: number, signal: Deno.Signal): boolean {
  return signalPid(-leader, signal);
}

function isGone(error: unknown): boolean {
  return error instanceof Deno.errors.NotFound ||
    (error instanceof Error && (error as { code?: unknown }).code === "ESRCH");
}
