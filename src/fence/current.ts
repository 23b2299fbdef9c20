import { SkeinError } from "../model/error.ts";
import { stopEpoch } from "./decide.ts";
import { lookAtStop, readEpoch } from "./state.ts";

/**
 * The current epoch of a state directory: a valid STOP with a non-zero epoch wins; else EPOCH; 1 where there is no
 * folder.
 *
 * @throws {SkeinError} `state-corrupt` where EPOCH is corrupt and STOP does not name one.
 */
export function currentEpoch(stateDir: string): number {
  const look = lookAtStop(stateDir);
  const epoch = readEpoch(stateDir);
  const fromStop = stopEpoch(look, epoch);
  if (fromStop > 0) return fromStop;
  if (epoch.ok) return epoch.epoch;
  throw new SkeinError(
    "state-corrupt",
    `Cannot read the epoch of "${stateDir}": ${epoch.problem}`,
    {
      where: `${stateDir}/EPOCH`,
      next:
        "Inspect the folder, then name an epoch above every one that was used: `skein reset --epoch N`",
    },
  );
}
