import { RUN_ID } from "../clock/mod.ts";
import { readHolders } from "../fence/mod.ts";
import {
  fileNameOf,
  type Manifest,
  messageOf,
  type Report,
  SkeinError,
  type Task,
  type TaskReport,
  type TaskStatus,
} from "../model/mod.ts";

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
  const matches = runIdsNamed(stateDir, name);
  const [runId] = matches;
  if (runId === undefined || matches.length > 1) throw noSuchRun(stateDir, name, matches);
  return summarise(stateDir, runId, liveRuns(stateDir));
}

/** The ids of the run folders that a name may mean: an id, the beginning of one, or `latest`. */
export function runIdsNamed(stateDir: string, name: string): string[] {
  const ids = runIds(stateDir).sort();
  return name === "latest" ? ids.slice(-1) : ids.filter((id) => id.startsWith(name));
}

/**
 * The manifest that a run ran.
 *
 * @throws {SkeinError} `state-corrupt` where it cannot be read.
 */
export function readRunManifest(run: RunSummary): Manifest {
  const path = `${run.folder}/manifest.json`;
  try {
    return checked<Manifest>(JSON.parse(Deno.readTextFileSync(path)), isManifest);
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
    const text = Deno.readTextFileSync(`${folder}/report.json`);
    const report = checked<Report>(JSON.parse(text), isReport);
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

/** The error of a name that means no run, or more than one. */
export function noSuchRun(
  stateDir: string,
  name: string,
  matches: readonly string[],
): SkeinError {
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

/** What a value is not, and where in it. */
interface Problem {
  readonly expected: string;
  readonly place: string;
}

/** `null` where a value is what it should be. */
type Check = (value: unknown) => Problem | null;

const isText = isOf("a text", (value) => typeof value === "string");
const isTextOrNull = isOf("a text or null", (value) => value === null || typeof value === "string");
const isNumber = isOf("a number", (value) => typeof value === "number");
const isNumberOrNull = isOf(
  "a number or null",
  (value) => value === null || typeof value === "number",
);

/** What is read of a report. */
const isReport = membersOf<Report>({
  runId: isText,
  name: isText,
  status: oneOf<Report["status"]>({ succeeded: 1, failed: 1, stopped: 1, cancelled: 1 }),
  reason: isTextOrNull,
  epoch: isNumber,
  folder: isTextOrNull,
  startedAt: isText,
  durationMs: isNumber,
  counts: membersOf<Report["counts"]>({
    total: isNumber,
    succeeded: isNumber,
    failed: isNumber,
    skipped: isNumber,
    stopped: isNumber,
    cancelled: isNumber,
  }),
  eventsError: isTextOrNull,
  tasks: listOf(membersOf<TaskReport>({
    id: isText,
    status: oneOf<TaskStatus>({ succeeded: 1, failed: 1, skipped: 1, stopped: 1, cancelled: 1 }),
    reason: isTextOrNull,
    message: isTextOrNull,
    passes: isNumber,
    attempts: isNumber,
    durationMs: isNumber,
    outputBytes: isNumberOrNull,
  })),
});

/** What is read of a run's manifest. */
const isManifest = membersOf<Manifest>({
  name: isText,
  tasks: listOf(membersOf<Task>({ id: isText, block: isText, needs: listOf(isText) })),
});

/** A value that has passed its check. A file that was damaged must not read as a healthy run. */
function checked<T>(value: unknown, check: Check): T {
  const problem = check(value);
  if (problem === null) return value as T;
  throw new Error(`Expected ${problem.expected} at $${problem.place}`);
}

function isOf(expected: string, holds: (value: unknown) => boolean): Check {
  return (value) => holds(value) ? null : { expected, place: "" };
}

/** The texts are the keys of a table, so that none can be forgotten. */
function oneOf<T extends string>(texts: Readonly<Record<T, 1>>): Check {
  const holds = (value: unknown) => typeof value === "string" && Object.hasOwn(texts, value);
  return isOf(`one of ${Object.keys(texts).join(", ")}`, holds);
}

function listOf(check: Check): Check {
  return (value) => {
    if (!Array.isArray(value)) return { expected: "a list", place: "" };
    for (const [index, each] of value.entries()) {
      const problem = check(each);
      if (problem !== null) return { ...problem, place: `[${index}]${problem.place}` };
    }
    return null;
  };
}

function membersOf<T>(checks: Readonly<Partial<Record<keyof T & string, Check>>>): Check {
  const entries = Object.entries(checks) as [string, Check][];
  return (value) => {
    if (typeof value !== "object" || value === null) return { expected: "an object", place: "" };
    const members = value as Readonly<Record<string, unknown>>;
    for (const [name, check] of entries) {
      const problem = check(members[name]);
      if (problem !== null) return { ...problem, place: `.${name}${problem.place}` };
    }
    return null;
  };
}
