import { namesInProc, readProc } from "./linux_files.ts";
import { cLibrary } from "./linux_library.ts";

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
  const library = cLibrary();
  if (library === null) return null;
  // Adopted orphans are given to the thread that leads this process, which is the one that starts processes too.
  const path = `/proc/self/task/${Deno.pid}/children`;
  const children = library.open(path);
  if (children === null) return null;
  if (!library.adoptOrphans()) {
    library.close(children);
    return null;
  }
  // Files that whoever started this process has left open are not for the passes.
  library.keepFiles();
  return {
    children() {
      const text = library.text(children);
      if (text === null) throw new Error(`Cannot read "${path}"`);
      return parseChildren(text);
    },
    reap: (pid) => library.reap(pid),
  };
}

/** The children of a process, over all of its threads. */
export function childrenOf(pid: number): number[] {
  const threads = namesInProc(`/proc/${pid}/task`) ?? [];
  return threads.flatMap((thread) =>
    parseChildren(readProc(`/proc/${pid}/task/${thread}/children`) ?? "")
  );
}

/** Reads a list of pids, each followed by a space. */
export function parseChildren(text: string): number[] {
  return text.split(" ").map(Number).filter((pid) => pid > 0);
}
