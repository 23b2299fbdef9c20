import { isPositiveInteger } from "../model/mod.ts";
import { readHighWater } from "./state.ts";

/**
 * The highest epoch that was ever used, as far as the high-water copy and the run folders tell. A run folder that
 * cannot be read is passed over: the number is a floor for a person's choice, not a proof.
 */
export function highestEpoch(stateDir: string): number {
  let highest = readHighWater(stateDir) ?? 0;
  for (const run of namesIn(`${stateDir}/runs`)) {
    highest = Math.max(highest, epochOfRun(`${stateDir}/runs/${run}`));
  }
  return highest;
}

/** Every lease of a run carries the same epoch, and the report repeats it. */
function epochOfRun(folder: string): number {
  const fromReport = epochIn(`${folder}/report.json`);
  if (fromReport > 0) return fromReport;
  for (const lease of namesIn(`${folder}/leases`)) {
    const epoch = epochIn(`${folder}/leases/${lease}`);
    if (epoch > 0) return epoch;
  }
  return 0;
}

function epochIn(path: string): number {
  try {
    const { epoch } = JSON.parse(Deno.readTextFileSync(path)) as { epoch?: unknown };
    return isPositiveInteger(epoch) ? epoch : 0;
  } catch {
    return 0;
  }
}

function namesIn(folder: string): string[] {
  try {
    return Array.from(Deno.readDirSync(folder), (entry) => entry.name);
  } catch {
    return [];
  }
}
