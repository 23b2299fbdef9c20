/**
 * The library's functions, each loading what it needs when it is first called: who only asks what a lease is worth, or
 * starts the command line, does not pay for the rest.
 *
 * @module
 */
import type { RunOptions } from "./engine/run.ts";
import type { ResetAnswer, ResetOptions, StopAnswer, StopOptions } from "./engine/stop.ts";
import type { Manifest, Report } from "./model/mod.ts";

/**
 * Runs a manifest to its end and returns its report.
 *
 * @throws {StoppedError} when the swarm is stopped: nothing was started. A run that is stopped on the way returns a
 * report with status `stopped`.
 * @throws {SkeinError} when an input is missing, or the state directory is corrupt or cannot be written.
 *
 * @example
 * ```ts ignore
 * import { loadManifest, run } from "@skein/cli";
 *
 * const report = await run(await loadManifest("swarm.json"), { stateDir: ".skein" });
 * if (report.status !== "succeeded") throw new Error(`${report.counts.failed} tasks failed`);
 * ```
 */
export async function run(manifest: Manifest, options: RunOptions = {}): Promise<Report> {
  const engine = await import("./engine/run.ts");
  return await engine.run(manifest, options);
}

/**
 * Sets the latch and nothing more: it promises that nothing starts, not that everything is dead, and so always answers
 * `proven: false`.
 *
 * @throws {SkeinError} `state-unusable` where the latch cannot be set.
 */
export async function requestStop(
  stateDir: string,
  options: StopOptions = {},
): Promise<StopAnswer> {
  const engine = await import("./engine/stop.ts");
  return await engine.requestStop(stateDir, options);
}

/** Clears the latch, at an epoch that was never used, while nothing runs. Refused from inside a process of the swarm. */
export async function resetStop(
  stateDir: string,
  options: ResetOptions = {},
): Promise<ResetAnswer> {
  const engine = await import("./engine/stop.ts");
  return await engine.resetStop(stateDir, options);
}
