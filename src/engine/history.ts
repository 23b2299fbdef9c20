import { RUN_ID } from "../clock/mod.ts";
import { readHolders } from "../fence/mod.ts";
import { fileNameOf, type Manifest, messageOf, type Report, SkeinError } from "../model/mod.ts";

/** A run as its folder tells it. */
export interface RunSummary {
  /** The run. */
  readonly runId: string;
  /** Its folder, absolute. */
  readonly folder: string;
  /** The report's status; `running` while its orchestrator lives, `interrupted` when that is gone. */
  readonly status: Report["status"] | "running" | "interrupted" | "unreadable";
  /** What is wrong with the folder, `null` where nothing is. */
  readonly problem: string | null;
  /** The report, `null` before the end. */
  readonly report: Report | null;
}

/** Every run of a state directory, the newest first. */
export function listRuns(stateDir: string): RunSummary[] {
  const live = liveRuns(stateDir);
  return runIds(stateDir).sort().reverse().map((runId) => summarise(stateDir, runId, live));
}

/**
 * One run, by its id, by an unambiguous beginning of it, or by `latest`.
 *
 * @throws {SkeinError} `run-missing` where there is none, or more than one.
 */
export function findRun(stateDir: string, name: string): RunSummary {
  const ids = runIds(stateDir).sort();
  const matches = name === "latest" ? ids.slice(-1) : ids.filter((id) => id.startsWith(name));
  const [runId] = matches;
  if (runId === undefined || matches.length > 1) throw noSuchRun(stateDir, name, matches);
  return summarise(stateDir, runId, liveRuns(stateDir));
}

/**
 * The manifest that a run ran.
 *
 * @throws {SkeinError} `state-corrupt` where it cannot be read.
 */
export function readRunManifest(run: RunSummary): Manifest {
  const path = `${run.folder}/manifest.json`;
  try {
    return JSON.parse(Deno.readTextFileSync(path)) as Manifest;
  } catch (error) {
    throw new SkeinError("state-corrupt", `Cannot read "${path}": ${messageOf(error)}`, {
      where: path,
      next: "The run's folder is damaged; its other files may still be read by hand",
    });
  }
}

/** A file that a pass has written. */
export interface StreamFileName {
  /** The task. */
  readonly taskId: string;
  /** The pass. */
  readonly pass: number;
  /** The attempt. */
  readonly attempt: number;
  /** Which of its streams. */
  readonly stream: "stdout" | "stderr";
  /** The file. */
  readonly path: string;
}

/** What the tasks of a run have written so far, in the manifest's order, then by pass and attempt. */
export function listStreams(run: RunSummary, manifest: Manifest): StreamFileName[] {
  const written = new Map<string, StreamFileName[]>();
  const idOf = new Map(manifest.tasks.map(({ id }) => [fileNameOf(id), id]));
  for (const name of namesIn(`${run.folder}/data`)) {
    const [, task = "", pass, attempt = "1", stream] =
      /^(.+?)\.(\d+)(?:\.(\d+))?\.(stdout|stderr)$/.exec(name) ?? [];
    const taskId = idOf.get(task);
    if (taskId === undefined) continue;
    add(written, {
      taskId,
      pass: Number(pass),
      attempt: Number(attempt),
      stream: stream === "stderr" ? "stderr" : "stdout",
      path: `${run.folder}/data/${name}`,
    });
  }
  for (const name of namesIn(`${run.folder}/output`)) {
    const taskId = idOf.get(name);
    if (taskId === undefined) continue;
    const { pass, attempt } = lastLease(run, name);
    add(written, { taskId, pass, attempt, stream: "stdout", path: `${run.folder}/output/${name}` });
  }
  return manifest.tasks.flatMap(({ id }) => (written.get(id) ?? []).sort(byPass));
}

/** The published output was the standard output of the task's last attempt. */
function lastLease(run: RunSummary, name: string): { pass: number; attempt: number } {
  let last = { pass: 1, attempt: 1 };
  for (const lease of namesIn(`${run.folder}/leases`)) {
    if (!lease.startsWith(`${name}.`)) continue;
    const [, pass, attempt = "1"] = /^\.(\d+)(?:\.(\d+))?\.lease$/.exec(lease.slice(name.length)) ??
      [];
    const found = { pass: Number(pass ?? 0), attempt: Number(attempt) };
    if (found.pass > last.pass || (found.pass === last.pass && found.attempt > last.attempt)) {
      last = found;
    }
  }
  return last;
}

function byPass(a: StreamFileName, b: StreamFileName): number {
  return a.pass - b.pass || a.attempt - b.attempt || a.stream.localeCompare(b.stream);
}

function add(written: Map<string, StreamFileName[]>, file: StreamFileName): void {
  const files = written.get(file.taskId);
  if (files === undefined) written.set(file.taskId, [file]);
  else files.push(file);
}

function summarise(stateDir: string, runId: string, live: ReadonlySet<string>): RunSummary {
  const folder = `${stateDir}/runs/${runId}`;
  const base = { runId, folder, problem: null, report: null };
  try {
    const report = JSON.parse(Deno.readTextFileSync(`${folder}/report.json`)) as Report;
    return { ...base, status: report.status, report };
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) {
      return { ...base, status: "unreadable", problem: `report.json: ${messageOf(error)}` };
    }
    return { ...base, status: live.has(runId) ? "running" : "interrupted" };
  }
}

function liveRuns(stateDir: string): Set<string> {
  return new Set(readHolders(stateDir).live.map(({ record }) => record?.runId ?? ""));
}

function runIds(stateDir: string): string[] {
  return namesIn(`${stateDir}/runs`).filter((name) => RUN_ID.test(name));
}

function namesIn(folder: string): string[] {
  try {
    return Array.from(Deno.readDirSync(folder), (entry) => entry.name);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw new SkeinError("state-unusable", `Cannot read "${folder}": ${messageOf(error)}`, {
      where: folder,
      next: "Mend the folder's permissions, then try again",
    });
  }
}

function noSuchRun(stateDir: string, name: string, matches: readonly string[]): SkeinError {
  const message = matches.length > 1
    ? `Run "${name}" is ambiguous: ${matches.slice(0, 3).join(", ")}${
      matches.length > 3 ? ", …" : ""
    }`
    : `Run "${name}" is not in "${stateDir}"`;
  return new SkeinError("run-missing", message, {
    where: `${stateDir}/runs`,
    next: "List the runs with `skein runs`",
  });
}
