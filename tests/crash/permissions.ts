/**
 * Takes the place of `src/cli/permissions.ts` in the processes that the crash tests start: a fault reads a variable, and
 * signals its own process.
 *
 * @module
 */
import { KEEPS as OWN, type Keeps, type PermissionKind } from "../../src/cli/permissions.ts";

export { KINDS } from "../../src/cli/permissions.ts";

const OF_FAULTS: readonly PermissionKind[] = ["env", "run"];

/** What each command keeps, and what a fault needs. */
export const KEEPS: Readonly<Record<string, Keeps>> = Object.fromEntries(
  Object.entries(OWN).map(([name, { kinds, sight }]) => {
    return [name, { kinds: [...new Set([...kinds, ...OF_FAULTS])], sight }];
  }),
);
