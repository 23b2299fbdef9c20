import {
  findRun,
  listStreams,
  readRunManifest,
  type RunSummary,
  type StreamFileName,
} from "../engine/history.ts";
import { type AttemptRow, type Manifest, SkeinError } from "../model/mod.ts";
import type { FoundRun } from "./run_lookup.ts";

/** What the tasks of a run write. */
export interface Streams {
  /** What it runs. */
  readonly manifest: Manifest;
  /** The files so far, in the manifest's order, then by pass and attempt, and whether there will be no more of them. */
  read(): Promise<{ readonly isOver: boolean; readonly files: readonly StreamFileName[] }>;
}

/** The streams of a local run, as its folder has them. */
export function localStreams(stateDir: string, { runId, ...first }: RunSummary): Streams {
  const manifest = readRunManifest({ runId, ...first });
  return {
    manifest,
    read: () => {
      const run = findRun(stateDir, runId);
      const isOver = run.status !== "running";
      return Promise.resolve({ isOver, files: listStreams(run, manifest) });
    },
  };
}

/**
 * The streams of a run of the queue, as its attempts name them.
 *
 * @throws {SkeinError} `run-missing` where it was pruned meanwhile.
 */
export async function queuedStreams(
  stateDir: string,
  { store, run: { id } }: Extract<FoundRun, { kind: "queued" }>,
): Promise<Streams> {
  const { artifactPaths } = await import("../engine/durable/artifacts.ts");
  const manifest = await store.manifest(id);
  if (manifest === null) throw pruned(id);
  const filesOf = (row: AttemptRow): StreamFileName[] => {
    const { taskId, pass, attempt } = row;
    const { stdout, stderr } = artifactPaths(id, row);
    return [
      { taskId, pass, attempt, stream: "stderr", path: `${stateDir}/${stderr}` },
      { taskId, pass, attempt, stream: "stdout", path: `${stateDir}/${stdout}` },
    ];
  };
  return {
    manifest,
    read: async () => {
      // The state first: attempts that were started before the end are among those that are read after it.
      const found = await store.run(id);
      if (found.kind !== "found") throw pruned(id);
      const isOver = found.run.finishedAt !== null;
      const byTask = Map.groupBy(await store.attempts(id), ({ taskId }) => taskId);
      const files = manifest.tasks.flatMap((task) => {
        const rows = [...byTask.get(task.id) ?? []].sort(byPass);
        return rows.flatMap(filesOf);
      });
      return { isOver, files };
    },
  };
}

function byPass(a: AttemptRow, b: AttemptRow): number {
  return a.pass - b.pass || a.attempt - b.attempt;
}

function pruned(runId: string): SkeinError {
  return new SkeinError("run-missing", `Run "${runId}" is no longer in the queue`, {
    next: "List the runs with `skein runs`",
  });
}
