import { LINEAGE_VARIABLE, type LineageSegment, parseLineage } from "../model/mod.ts";

const PF_KTHREAD = 0x0020_0000;

/** What `/proc/<pid>/stat` tells. */
export interface Stat {
  /** The process id. */
  readonly pid: number;
  /** The name of its program, at most 15 bytes. */
  readonly name: string;
  /** Its state letter: `Z` and `X` are dead. */
  readonly state: string;
  /** Its parent. */
  readonly parent: number;
  /** Its process group. */
  readonly group: number;
  /** Its session. */
  readonly session: number;
  /** Whether it is a thread of the kernel. */
  readonly kernel: boolean;
  /** Clock ticks since boot. */
  readonly startTime: string;
}

/** One process as a look sees it. */
export interface Seen {
  /** Its stat. */
  readonly stat: Stat;
  /** Its environment as the kernel shows it: entries that end in NUL. */
  readonly environ: string;
  /** The marker in it. */
  readonly lineage: readonly LineageSegment[];
  /** Whether it was executing its program: its environment is empty for that moment, whatever it will be. */
  readonly passing: boolean;
}

/** Reads the text of `/proc/<pid>/stat`: the name may hold spaces and parentheses, so fields count from the last one. */
export function parseStat(text: string): Stat | null {
  const open = text.indexOf("(");
  const close = text.lastIndexOf(")");
  if (open < 0 || close < open) return null;
  const fields = text.slice(close + 2).split(" ");
  const pid = Number(text.slice(0, open));
  const startTime = fields[19];
  if (!Number.isSafeInteger(pid) || startTime === undefined) return null;
  return {
    pid,
    name: text.slice(open + 1, close),
    state: fields[0] ?? "",
    parent: Number(fields[1]),
    group: Number(fields[2]),
    session: Number(fields[3]),
    kernel: (Number(fields[6]) & PF_KTHREAD) !== 0,
    startTime,
  };
}

/** Whether a state letter is that of a process that no longer runs. */
export function isDead(state: string): boolean {
  return state === "Z" || state === "X";
}

/** Reads the marker in the text of `/proc/<pid>/environ`. */
export function lineageIn(environ: string): LineageSegment[] {
  const name = `${LINEAGE_VARIABLE}=`;
  const start = environ.startsWith(name) ? 0 : environ.indexOf(`\0${name}`) + 1;
  if (start === 0 && !environ.startsWith(name)) return [];
  const end = environ.indexOf("\0", start);
  return parseLineage(environ.slice(start + name.length, end < 0 ? undefined : end));
}

/** The pid that was given out last, from `/proc/loadavg`. */
export function parseLastPid(loadavg: string): number {
  return Number(loadavg.trim().split(" ").at(-1));
}
