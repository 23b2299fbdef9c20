/**
 * Whether processes are alive, told by a ledger that they write themselves and not by Skein's own search.
 *
 * @module
 */
import { textOf } from "./swarm.ts";

/** Whether this machine tells pids and start times in `/proc`. */
export const HAS_PROC: boolean = Deno.build.os === "linux";

/**
 * A line of shell that writes the shell's own pid and start time into the file that `LEDGER` names. There is no single
 * quote in it.
 */
export const SIGN_LEDGER = 'set -- $(cat /proc/$$/stat); echo "$$ ${22}" >> "$LEDGER"';

/** A process that has signed. */
export interface Signed {
  /** Its pid. */
  readonly pid: number;
  /** Its start time, in the kernel's ticks. */
  readonly startTime: string;
}

/** Everyone who has signed a ledger. */
export function readLedger(path: string): Signed[] {
  return textOf(path).split("\n").slice(0, -1).map((line) => {
    const [pid, startTime = ""] = line.split(" ");
    return { pid: Number(pid), startTime };
  });
}

/** Whether a process is still there and is not only waited for by its parent. */
export function isAlive({ pid, startTime }: Signed): boolean {
  const fields = statOf(pid);
  return fields !== null && fields[19] === startTime && fields[0] !== "Z" && fields[0] !== "X";
}

/** The resident memory of a process in bytes, `null` where it is gone. */
export function residentBytes(pid: number): number | null {
  try {
    const text = Deno.readTextFileSync(`/proc/${pid}/status`);
    const [, kib] = /^VmRSS:\s+(\d+) kB$/m.exec(text) ?? [];
    return kib === undefined ? null : Number(kib) * 1024;
  } catch {
    return null;
  }
}

/** The fields of `/proc/<pid>/stat` from the state on. */
function statOf(pid: number): string[] | null {
  try {
    const text = Deno.readTextFileSync(`/proc/${pid}/stat`);
    return text.slice(text.lastIndexOf(")") + 2).split(" ");
  } catch {
    return null;
  }
}
