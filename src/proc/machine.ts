import { messageOf } from "../model/mod.ts";

/** What is mounted somewhere. */
export interface Mount {
  /** The file system's type as the system names it, such as `ext4` or `nfs4`. */
  readonly type: string;
  /** Where it is mounted. */
  readonly at: string;
  /** The options of the mount and of the file system. */
  readonly options: readonly string[];
}

/** Where a process stands. */
export interface Standing {
  /** Its process group. */
  readonly group: number;
  /** Its session, `null` where the system does not tell. */
  readonly session: number | null;
}

/** What `/proc` shows. */
export interface ProcSeen {
  /** Who reads it: this process, `grep` in its place, which needs fewer permissions, or nobody. */
  readonly reader: "itself" | "grep" | "nobody";
  /** Whether it numbers processes as this process does; `null` where that cannot be told. */
  readonly ownNumbers: boolean | null;
  /** The environment of the process that was asked for, entries that end in NUL; `null` where it may not be read. */
  readonly environment: string | null;
  /** The mount option of this name, `null` without one. */
  readonly hidepid: string | null;
}

/** A program of the system that looks at processes or ends them. */
export interface ToolSeen {
  /** Its name. */
  readonly name: string;
  /** What is wrong with it, `null` where it did what it is needed for. */
  readonly problem: string | null;
}

/** How a machine is examined. Nothing here changes anything. */
export interface Machine {
  /** The system's name, for a reader. */
  readonly name: string;
  /** What a stop cannot do on this system, whatever the machine, as a sentence; `null` where there is nothing to say. */
  readonly limit: string | null;
  /** Whose environment the system shows to the user whose it is: every process's, that of some, or none. */
  readonly shows: "all" | "some" | "none";
  /** The mount that an absolute path without links is on, `null` where the system does not tell. */
  mountOf(path: string): Mount | null;
  /** Where a process stands, `null` where that is not told. */
  standingOf(pid: number): Standing | null;
  /** What `/proc` shows, among it one process; `null` on a system without it. */
  procOf(pid: number): ProcSeen | null;
  /** Tries every program that Skein may need here on this process, and does it no harm. */
  tools(): Promise<readonly ToolSeen[]>;
}

/** Tries a program; what it throws is its problem. */
export async function tryTool(
  name: string,
  attempt: () => Promise<string | null>,
): Promise<ToolSeen> {
  try {
    return { name, problem: await attempt() };
  } catch (error) {
    const missing = error instanceof Deno.errors.NotFound;
    return { name, problem: missing ? "it is not there" : messageOf(error) };
  }
}
