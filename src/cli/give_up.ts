import { absolutePath } from "../disk/path.ts";
import { SkeinError } from "../model/error.ts";
import { KEEPS, KINDS, type Sight } from "./permissions.ts";

/** Whether the runtime has refused a file of those folders. */
export function isSpecialRefused(error: Error): boolean {
  return error.message.includes("Requires all access to ");
}

/** Where Skein was started from an address, modules that are loaded late come from there. */
const IS_FILE = import.meta.url.startsWith("file:");

/** Folders whose files the runtime opens only for whoever may do all. */
const SPECIAL = /^\/(?:dev|proc|sys)(?:\/|$)/;
/** What helps there. */
export const NOTHING_SPECIAL =
  "A command that has given up what it does not use may open no file in /dev, /proc and /sys: use another folder";

/**
 * Gives up every permission that a command does not use, for as long as this process lives; a command that is in no table
 * keeps nothing. What was granted as a list stays that list.
 *
 * @throws {SkeinError} `state-unusable` where the command could not open its state directory after that.
 */
export async function giveUp(command: string, stateDir?: string): Promise<void> {
  const { kinds, sight } = KEEPS[command] ?? { kinds: [], sight: "none" };
  if (stateDir !== undefined && kinds.includes("write")) checkPlace(absolutePath(stateDir));
  const loadsLater = await prepare(sight);
  for (const name of KINDS) {
    if (kinds.includes(name) || name === "import" && !IS_FILE) continue;
    // Given up with the load of the C library.
    if (name === "ffi" && loadsLater) continue;
    Deno.permissions.revokeSync({ name });
  }
}

/** A STOP that cannot be looked at would count as one. */
function checkPlace(stateDir: string): void {
  if (!SPECIAL.test(stateDir)) return;
  throw new SkeinError("state-unusable", `Cannot keep a swarm's state in "${stateDir}"`, {
    where: stateDir,
    next: NOTHING_SPECIAL,
  });
}

/** Sees to it that processes can be looked at; answers whether a library is loaded for that later. */
async function prepare(sight: Sight): Promise<boolean> {
  if (sight === "none") return false;
  const { keepSight, keepSightLate } = await import("../proc/sight.ts");
  if (sight === "late") return keepSightLate();
  keepSight();
  return false;
}
