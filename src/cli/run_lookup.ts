import { findRun, noSuchRun, runIdsNamed, type RunSummary } from "../engine/history.ts";
import { type QueuedRun, SkeinError } from "../model/mod.ts";
import type { Store } from "../store/mod.ts";

/** A run that was found: one of the queue, or a local one in its folder. */
export type FoundRun =
  | { readonly kind: "queued"; readonly store: Store; readonly run: QueuedRun }
  | { readonly kind: "local"; readonly run: RunSummary };

/**
 * One run of the queue or a local one, by its id, by an unambiguous beginning of it, or by `latest`.
 *
 * @param store the queue, `null` where there is none.
 * @throws {SkeinError} `run-missing` where there is none, or more than one.
 */
export async function lookUpRun(
  store: Store | null,
  stateDir: string,
  name: string,
): Promise<FoundRun> {
  if (store === null) return { kind: "local", run: findRun(stateDir, name) };
  // The folder of a run of the queue has the run's own id.
  const ids = new Set([...await queuedIds(store, name), ...runIdsNamed(stateDir, name)]);
  const matches = name === LATEST ? [...ids].sort().slice(-1) : ids.has(name) ? [name] : [...ids];
  const [runId] = matches;
  if (runId === undefined || matches.length > 1) throw noSuchRun(stateDir, name, matches);
  const found = await store.run(runId);
  return found.kind === "found" && found.run.id === runId
    ? { kind: "queued", store, run: found.run }
    : { kind: "local", run: findRun(stateDir, runId) };
}

/**
 * One run of the queue.
 *
 * @throws {SkeinError} `run-missing` where there is none, or more than one; `run-refused` where it is a local one.
 */
export async function lookUpQueued(
  store: Store | null,
  stateDir: string,
  name: string,
): Promise<Extract<FoundRun, { kind: "queued" }>> {
  const found = await lookUpRun(store, stateDir, name);
  if (found.kind === "queued") return found;
  const { runId } = found.run;
  throw new SkeinError("run-refused", `Run "${runId}" is a local run, and not one of the queue`, {
    where: stateDir,
    next: "End a local run with Ctrl-C or `skein ps --kill`; start it again with `skein run`",
  });
}

const LATEST = "latest";

async function queuedIds(store: Store, name: string): Promise<readonly string[]> {
  if (name === LATEST) return (await store.runs({ limit: 1 })).map(({ id }) => id);
  const found = await store.run(name);
  switch (found.kind) {
    case "none":
      return [];
    case "found":
      return [found.run.id];
    case "ambiguous":
      return found.runIds;
  }
}
