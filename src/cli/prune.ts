import { systemClock } from "../clock/mod.ts";
import { isAbsent } from "../disk/path.ts";
import { listRuns, type RunSummary } from "../engine/history.ts";
import { listProcesses } from "../engine/tracked.ts";
import { readHolders } from "../fence/mod.ts";
import type { Store } from "../store/mod.ts";
import { plural } from "../view/progress.ts";
import type { Command, Invocation } from "./command.ts";
import { DURATION_FORM, parseDuration } from "./duration.ts";
import { EXIT } from "./exit.ts";
import { answer } from "./output.ts";
import { withQueue } from "./queue.ts";
import { UsageError } from "./usage_error.ts";

/** `skein prune`. */
export const command: Command = {
  name: "prune",
  summary: "Remove ended runs, with everything they wrote",
  usage: "--keep N | --older-than DURATION",
  words: [0, 0],
  description: [
    "Removes ended runs from the queue, and their folders, those of local runs alike: a run that is beyond either bound",
    "goes. What waits, runs, or has a living process stays, and so does the highest epoch that was used. Runs of the queue",
    "and local ones are counted each for themselves. Workers do the same for the queue by themselves (`work --keep`).",
  ].join("\n"),
  flags: {
    keep: { type: "integer", summary: "Keep the newest so many", range: [0, 1_000_000_000] },
    "older-than": {
      type: "text",
      value: "DURATION",
      summary: `Remove what ended longer ago: ${DURATION_FORM}`,
    },
  },
  examples: [
    ["skein prune --keep 1000", "the newest thousand stay"],
    ["skein prune --older-than 30d", "what ended a month ago goes"],
  ],
  exits: [0, 1, 2],
  run: prune,
};

/** Which ended runs are kept. */
interface Bounds {
  readonly keepRuns?: number;
  readonly keepMs?: number;
}

async function prune(invocation: Invocation): Promise<number> {
  const keep = invocation.integer("keep");
  const older = invocation.text("older-than");
  if (keep === undefined && older === undefined) {
    throw new UsageError(
      'Command "prune" needs --keep or --older-than',
      "See `skein help prune`",
    );
  }
  const bounds = {
    ...keep === undefined ? {} : { keepRuns: keep },
    ...older === undefined ? {} : { keepMs: parseDuration("older-than", older) },
  };
  return await withQueue(invocation.stateDir, async (store, stateDir) => {
    const queued = store === null ? [] : await pruneQueue(store, stateDir, bounds);
    const local = await pruneFolders(store, stateDir, bounds);
    const removed = [...queued, ...local].sort();
    answer(invocation, { removed: removed.length, queued, local }, () => {
      const what = `${queued.length} of the queue, ${local.length} local`;
      return `Removed ${plural(removed.length, "run")}${removed.length === 0 ? "" : ` (${what})`}`;
    });
    return EXIT.ok;
  });
}

/** The rows go first: a folder without one is garbage, and a row without its folder would be damage. */
async function pruneQueue(store: Store, stateDir: string, bounds: Bounds): Promise<string[]> {
  const { removeRunFolders } = await import("../engine/durable/artifacts.ts");
  const removed: string[] = [];
  for (let more = true; more;) {
    const result = await store.prune(bounds);
    removeRunFolders(stateDir, result.runIds);
    removed.push(...result.runIds);
    more = result.more;
  }
  return removed;
}

async function pruneFolders(
  store: Store | null,
  stateDir: string,
  bounds: Bounds,
): Promise<string[]> {
  if (isAbsent(`${stateDir}/runs`)) return [];
  const { removeRunFolders } = await import("../engine/durable/artifacts.ts");
  const ended = await endedRuns(store, stateDir);
  const now = systemClock.wall();
  const { keepRuns = Infinity, keepMs = Infinity } = bounds;
  const beyond = ended.filter((run, index) => index >= keepRuns || now - endOf(run) > keepMs);
  const removed = beyond.map(({ runId }) => runId);
  removeRunFolders(stateDir, removed);
  return removed;
}

/**
 * The local runs that have ended, the newest first. Who lives is asked after the folders were listed: a run has entered
 * before it makes its folder.
 */
async function endedRuns(store: Store | null, stateDir: string): Promise<RunSummary[]> {
  const listed = listRuns(stateDir).filter(({ status }) => status !== "running");
  const alive = new Set(readHolders(stateDir).live.map(({ record }) => record?.runId ?? ""));
  const ended: RunSummary[] = [];
  for (const run of listed) {
    if (!alive.has(run.runId) && !await isQueued(store, run)) ended.push(run);
  }
  if (ended.every(({ report }) => report !== null)) return ended;
  // What an orchestrator that died has left may still write.
  const busy = new Set((await listProcesses(stateDir)).map(({ runId }) => runId));
  return ended.filter(({ runId }) => !busy.has(runId));
}

/** Whether the folder is one of the queue's, which writes no report. */
async function isQueued(store: Store | null, { runId, report }: RunSummary): Promise<boolean> {
  if (store === null || report !== null) return false;
  const found = await store.run(runId);
  return found.kind === "found" && found.run.id === runId;
}

/** When it ended; a run without a report is as old as its beginning, which its id tells. */
function endOf({ runId, report }: RunSummary): number {
  if (report !== null) return Date.parse(report.startedAt) + report.durationMs;
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)t(\d\d)(\d\d)(\d\d)(\d{3})z/.exec(runId) ?? [];
  const [year = 0, month = 1, ...rest] = parts.map(Number);
  return Date.UTC(year, month - 1, ...rest);
}
