/**
 * What runs untimed before a sample, so that the sample is of compiled code.
 *
 * @module
 */
import { collectGarbage } from "./in_use.ts";

/** After a collection: with the last object of a kind goes what was compiled for it, which no run that goes on meets. */
const AFTER_COLLECTION_MS = 100;
/** The same for a large graph: memory that the engine has given back meanwhile is asked for again. */
const LARGE_AFTER_COLLECTION_MS = 500;
const LARGE = 100_000;

/** Collects garbage, and then runs a graph of `count` tasks untimed for as long as the compiler needs. */
export async function collectAndWarm(run: () => Promise<unknown>, count: number): Promise<void> {
  collectGarbage();
  await runFor(run, count < LARGE ? AFTER_COLLECTION_MS : LARGE_AFTER_COLLECTION_MS);
}

/** Runs it again and again for some time, at least once. */
export async function runFor(run: () => Promise<unknown>, ms: number): Promise<void> {
  const until = performance.now() + ms;
  do await run(); while (performance.now() < until);
}
