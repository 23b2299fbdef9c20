import { namesInProc, readProc } from "./linux_files.ts";
import { isDead, lineageIn, parseLastPid, parseStat, type Seen } from "./linux_proc.ts";

/** What one look saw. */
export interface Look {
  /** The processes; those that are gone are left out. */
  readonly seen: readonly Seen[];
  /** The pid that had been given out last when the look was over. */
  readonly last: number;
  /** The pids that the look itself has used. */
  readonly own: readonly number[];
}

/** How the processes of the machine are seen. */
export interface Eyes {
  /** Everything that runs now, kernel threads left out. */
  all(): Promise<Look>;
  /** Some processes, none to know the last pid only. */
  some(pids: readonly number[]): Promise<Look>;
}

/** Sees through `/proc`. */
export const procEyes: Eyes = {
  all: () => procEyes.some(allPids()),
  some(pids) {
    const seen = pids.map(look).filter((one) => one !== null);
    const last = parseLastPid(readProc("/proc/loadavg") ?? unreadable("/proc/loadavg"));
    return Promise.resolve({ seen, last, own: [] });
  },
};

/**
 * The pid of every process.
 *
 * @throws where `/proc` cannot be listed: without it nothing can be told.
 */
export function allPids(): number[] {
  const names = namesInProc("/proc") ?? unreadable("/proc");
  return names.map(Number).filter((pid) => pid > 0);
}

function unreadable(path: string): never {
  throw new Error(`Cannot read "${path}"`);
}

function look(pid: number): Seen | null {
  const text = readProc(`/proc/${pid}/stat`);
  const stat = text === null ? null : parseStat(text);
  if (stat === null || stat.kernel) return null;
  const { environ, passing } = readEnvironment(pid);
  // It has gone meanwhile: what it has started since is looked at with what else is new.
  if (passing && isDead(parseStat(readProc(`/proc/${pid}/stat`) ?? "")?.state ?? "X")) return null;
  return {
    stat,
    environ: environ ?? "",
    lineage: lineageIn(environ ?? ""),
    passing,
  };
}

/**
 * The environment of a process, `null` where it may not be read. A process that executes its program, or has just
 * died, shows neither that nor a command line: what it was is not to be told. One that has a command line by then has
 * its environment too, and is read again.
 */
export function readEnvironment(
  pid: number,
): { readonly environ: string | null; readonly passing: boolean } {
  const environ = readProc(`/proc/${pid}/environ`);
  if (environ !== null && environ !== "") return { environ, passing: false };
  const command = readProc(`/proc/${pid}/cmdline`);
  if (command === null || command === "") return { environ, passing: true };
  return { environ: readProc(`/proc/${pid}/environ`), passing: false };
}
