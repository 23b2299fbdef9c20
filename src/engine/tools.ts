import { type Manifest, SkeinError } from "../model/mod.ts";
import { checkInherited, missingTools } from "../proc/mod.ts";

/** Why this process could not end what it would start, for a reader; `null` where it could. */
export function toolsProblem(): string | null {
  const missing = missingTools();
  return missing.length === 0 ? null : problemOf(missing);
}

/**
 * Refuses to start what could not be ended.
 *
 * @throws {SkeinError} `run-refused` where Skein may start some programs only, and those that look at processes and end
 * them are not all among them.
 */
export function refuseWithoutTools(): void {
  const missing = missingTools();
  if (missing.length === 0) return;
  throw new SkeinError(
    "run-refused",
    `Cannot start what could not be ended: ${problemOf(missing)}`,
    { next: `Add them to the programs that it may run: --allow-run=${missing.join(",")},…` },
  );
}

function problemOf(missing: readonly string[]): string {
  return `Skein is not permitted to run ${missing.map((name) => `"${name}"`).join(", ")}`;
}

/**
 * Looks whether the processes of a manifest may be started, and could be ended.
 *
 * @throws {SkeinError} `run-refused` where Skein's permissions leave out what that needs.
 */
export function checkPermissions({ inheritEnv }: Manifest): void {
  refuseWithoutTools();
  checkInherited(inheritEnv);
}
