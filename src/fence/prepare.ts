import { mintSwarmId, type Rng, systemRng } from "../clock/mod.ts";
import { createOnce } from "../disk/mod.ts";
import { SkeinError } from "../model/mod.ts";
import { formatEpoch } from "./record.ts";
import { exists, readSwarmId, unusable } from "./state.ts";

const SPARE_BYTES = 4096;
/** Its block is there before a disk is full: the bell rings in it for some two thousand stops. */
const BELL_AT_REST = "\0".repeat(8);

/**
 * Makes what a state directory needs, EPOCH before ID, and returns the swarm's id. What is there is kept.
 *
 * @throws {SkeinError} `state-unusable` where something cannot be made, with its path and the reason.
 */
export function prepareStateDir(stateDir: string, rng: Rng = systemRng): string {
  let making = stateDir;
  try {
    Deno.mkdirSync(stateDir, { recursive: true, mode: 0o700 });
    for (const folder of ["holders", "runs"]) {
      making = `${stateDir}/${folder}`;
      Deno.mkdirSync(making, { recursive: true, mode: 0o700 });
    }
    if (!exists(`${stateDir}/ID`)) {
      if (isUsed(stateDir)) throw idMissing(stateDir);
      making = `${stateDir}/EPOCH`;
      if (!exists(making)) createOnce(stateDir, "EPOCH", formatEpoch(1));
      making = `${stateDir}/ID`;
      createOnce(stateDir, "ID", `${mintSwarmId(rng)}\n`);
    }
    making = `${stateDir}/STOP.spare`;
    if (!exists(making)) createOnce(stateDir, "STOP.spare", " ".repeat(SPARE_BYTES));
    making = `${stateDir}/STOP.lock`;
    if (!exists(making)) createOnce(stateDir, "STOP.lock", BELL_AT_REST);
  } catch (error) {
    throw error instanceof SkeinError ? error : unusable(making, error);
  }
  const id = readSwarmId(stateDir);
  if (id !== null) return id;
  throw unusable(`${stateDir}/ID`, new Error("it vanished"));
}

/** Whether processes were started from here: a folder with runs or holders has had an id. */
export function isUsed(stateDir: string): boolean {
  return [`${stateDir}/runs`, `${stateDir}/holders`].some((folder) => {
    try {
      for (const _ of Deno.readDirSync(folder)) return true;
      return false;
    } catch (error) {
      return !(error instanceof Deno.errors.NotFound);
    }
  });
}

function idMissing(stateDir: string): SkeinError {
  return new SkeinError(
    "state-corrupt",
    `Cannot use "${stateDir}": its ID is missing, and the processes of its runs cannot be told without`,
    {
      where: `${stateDir}/ID`,
      next: "Restore the file, or use a new state directory once no process of this one is left",
    },
  );
}
