import { SkeinError } from "../model/error.ts";
import { thisMachine } from "../proc/this_machine.ts";

/** Where Linux names what a process was started from. */
const EXECUTABLE = "/proc/self/exe";
/** What `grep` exits with where it cannot open a file. */
const CANNOT_OPEN = 2;

/**
 * Demands that the runtime can find its own executable. Where it cannot, it does not throw: it ends at once, with all
 * that was found until then. The modules of Node ask for it when they are loaded.
 *
 * @throws {SkeinError} `internal` where it could not.
 */
export async function demandExecutable(): Promise<void> {
  const machine = await thisMachine();
  const hasNoProc = machine.procOf(Deno.pid) === null;
  if (hasNoProc || await isThere()) return;
  throw new SkeinError(
    "internal",
    `there is no ${EXECUTABLE}, and without it Deno ends at once`,
    { next: "Mount /proc, and see what `skein doctor` says" },
  );
}

async function isThere(): Promise<boolean> {
  const { linkInProc, mayReadProc } = await import("../proc/linux_files.ts");
  try {
    if (mayReadProc()) return linkInProc(EXECUTABLE) !== null;
  } catch {
    return false;
  }
  try {
    const args = ["-s", "-q", "", EXECUTABLE];
    const { code } = await new Deno.Command("grep", { args, stdin: "null" }).output();
    return code !== CANNOT_OPEN;
  } catch {
    // Nobody may look, which says nothing of it.
    return true;
  }
}
