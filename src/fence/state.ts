import { readSmallFile } from "../disk/file.ts";
import { isAbsent } from "../disk/path.ts";
import { messageOf, SkeinError } from "../model/error.ts";
import { type EpochSeen, type Look, parseEpoch, parseStop, type StopRecord } from "./record.ts";

/**
 * Where a reset puts what is at STOP until it knows whether that may go. It still is a stop there: a reset that dies
 * meanwhile must not take a latch with it that it has never read.
 */
export const STOP_ASIDE = "STOP.aside";

/**
 * What is at STOP. Any answer of the file system but "there is nothing there" is a stop: an error, a folder, a
 * dangling link. Whoever holds LOCK or STOP.lock sees all of it at once, since no reset moves it then.
 */
export function lookAtStop(stateDir: string): Look {
  const look = lookAt(`${stateDir}/STOP`);
  return look.at === "nothing" ? lookAt(`${stateDir}/${STOP_ASIDE}`) : look;
}

/** What is at a path where a stop may be. */
export function lookAt(path: string): Look {
  for (;;) {
    let info: Deno.FileInfo;
    try {
      info = Deno.lstatSync(path);
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) return { at: "nothing" };
      return unreadable("unknown", `STOP cannot be looked at: ${messageOf(error)}`);
    }
    const identity = `${info.dev}:${info.ino}:${info.mtime?.getTime() ?? 0}:${info.size}`;
    if (!info.isFile) return unreadable(identity, "STOP is not a file");
    try {
      return readStop(identity, Deno.readTextFileSync(path));
    } catch (error) {
      if (error instanceof Deno.errors.NotFound) continue;
      return unreadable(identity, `STOP cannot be read: ${messageOf(error)}`);
    }
  }
}

/**
 * Whether something is seen at STOP. Where nobody can look nothing starts, but that is no latch: whoever can look may
 * see none.
 */
export function isLatched(stateDir: string): boolean {
  return [`${stateDir}/STOP`, `${stateDir}/${STOP_ASIDE}`].some((path) => {
    try {
      Deno.lstatSync(path);
      return true;
    } catch {
      return false;
    }
  });
}

/** Whether nothing is at STOP, at the lowest cost. */
export function isClear(stateDir: string): boolean {
  return isAbsent(`${stateDir}/STOP`) && isAbsent(`${stateDir}/${STOP_ASIDE}`);
}

function readStop(identity: string, text: string): Look {
  const record: StopRecord | null = parseStop(text);
  const problem = record === null && text.trim() !== "" ? "STOP holds no stop record" : null;
  return { at: "something", identity, record, problem };
}

function unreadable(identity: string, problem: string): Look {
  return { at: "something", identity, record: null, problem };
}

/**
 * What is in EPOCH. A folder without EPOCH and ID is at epoch 1; with ID, a missing EPOCH is corrupt, and so is one that
 * is lower than its high-water copy: it was tampered with, or restored from an old copy.
 */
export function readEpoch(stateDir: string): EpochSeen {
  try {
    const epoch = readEpochFile(stateDir) ?? readMissingEpoch(stateDir);
    const highest = readHighWater(stateDir);
    if (highest === null) {
      return { ok: false, problem: "EPOCH.high, the high-water copy of EPOCH, is corrupt" };
    }
    if (!epoch.ok || epoch.epoch >= highest) return epoch;
    // EPOCH is written first: if both were raised meanwhile, it is there now.
    const again = readEpochFile(stateDir) ?? epoch;
    if (!again.ok || again.epoch >= highest) return again;
    return { ok: false, problem: `EPOCH is ${again.epoch}, but ${highest} was used before` };
  } catch (error) {
    return { ok: false, problem: `EPOCH cannot be read: ${messageOf(error)}` };
  }
}

function readMissingEpoch(stateDir: string): EpochSeen {
  if (!exists(`${stateDir}/ID`)) return { ok: true, epoch: 1 };
  // EPOCH is made before ID: if this look at ID was the later one, EPOCH is there now.
  return readEpochFile(stateDir) ?? { ok: false, problem: "EPOCH is missing" };
}

function readEpochFile(stateDir: string): EpochSeen | null {
  try {
    return parseEpoch(readSmallFile(`${stateDir}/EPOCH`));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

/** The high-water copy of EPOCH: 0 without one, `null` where it is corrupt. It survives what happens to the run folders. */
export function readHighWater(stateDir: string): number | null {
  try {
    const seen = parseEpoch(readSmallFile(`${stateDir}/EPOCH.high`));
    return seen.ok ? seen.epoch : null;
  } catch (error) {
    return error instanceof Deno.errors.NotFound ? 0 : null;
  }
}

/** The swarm's id, `null` in a folder without one. */
export function readSwarmId(stateDir: string): string | null {
  let text: string;
  try {
    text = readSmallFile(`${stateDir}/ID`);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw unusable(`${stateDir}/ID`, error);
  }
  if (/^[0-9a-z]{26}\n?$/.test(text)) return text.trim();
  throw new SkeinError(
    "state-corrupt",
    `Cannot read the swarm's id in "${stateDir}/ID": it is corrupt`,
    {
      where: `${stateDir}/ID`,
      next: "Restore the file, or use a new state directory once no process of this one is left",
    },
  );
}

/** A state directory that cannot be used, with the path and the system's reason. */
export function unusable(path: string, error: unknown): SkeinError {
  return new SkeinError("state-unusable", `Cannot use "${path}": ${messageOf(error)}`, {
    where: path,
    next: "Make room, or mend the folder's permissions, then try again",
    cause: error,
  });
}

/** Whether something is at a path; throws where that cannot be told. */
export function exists(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}
