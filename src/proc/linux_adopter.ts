import { readProc } from "./linux_files.ts";

const PR_SET_CHILD_SUBREAPER = 36;
const WNOHANG = 1;
const CLOSE_RANGE_CLOEXEC = 4;
/** The first file descriptor after the three standard streams. */
const FIRST_FILE = 3;
const LAST_FILE = 0xffff_ffff;

/** Takes in the orphans of this process's descendants, so that none is out of reach while this process lives. */
export interface Adopter {
  /** The children of this process: those that it has started, and those that it has adopted. */
  children(): number[];
  /** Takes a dead child off the process table. Only one that nobody else waits for. */
  reap(pid: number): void;
}

/**
 * Makes this process the subreaper of its descendants: an orphan becomes its child and not that of process 1, whatever
 * it did to its environment, its session and its parents. `null` where the C library or the kernel's list of children
 * is not to be had.
 */
export function becomeAdopter(): Adopter | null {
  // Adopted orphans are given to the thread that leads this process, which is the one that starts processes too.
  const children = openChildren(`/proc/self/task/${Deno.pid}/children`);
  if (children === null) return null;
  const library = openLibrary();
  if (library === null || library.symbols.prctl(PR_SET_CHILD_SUBREAPER, 1n, 0n, 0n, 0n) !== 0) {
    children.close();
    return null;
  }
  // Files that whoever started this process has left open are not for the passes.
  library.symbols.close_range?.(FIRST_FILE, LAST_FILE, CLOSE_RANGE_CLOEXEC);
  const buffer = new Uint8Array(65_536);
  const decoder = new TextDecoder();
  return {
    children() {
      children.seekSync(0, Deno.SeekMode.Start);
      let text = "";
      for (let read = children.readSync(buffer); read !== null; read = children.readSync(buffer)) {
        text += decoder.decode(buffer.subarray(0, read));
      }
      return parseChildren(text);
    },
    reap: (pid) => void library.symbols.waitpid(pid, null, WNOHANG),
  };
}

/** The children of a process, over all of its threads. */
export function childrenOf(pid: number): number[] {
  try {
    const threads = Array.from(Deno.readDirSync(`/proc/${pid}/task`), ({ name }) => name);
    return threads.flatMap((thread) =>
      parseChildren(readProc(`/proc/${pid}/task/${thread}/children`) ?? "")
    );
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

/** Reads a list of pids, each followed by a space. */
export function parseChildren(text: string): number[] {
  return text.split(" ").map(Number).filter((pid) => pid > 0);
}

function openChildren(path: string): Deno.FsFile | null {
  try {
    return Deno.openSync(path, { read: true });
  } catch {
    return null;
  }
}

const SYMBOLS = {
  prctl: { parameters: ["i32", "u64", "u64", "u64", "u64"], result: "i32" },
  close_range: { parameters: ["u32", "u32", "i32"], result: "i32", optional: true },
  waitpid: { parameters: ["i32", "pointer", "i32"], result: "i32" },
} as const;

function openLibrary(): Deno.DynamicLibrary<typeof SYMBOLS> | null {
  try {
    return Deno.dlopen("libc.so.6", SYMBOLS);
  } catch {
    return null;
  }
}
