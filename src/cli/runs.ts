import { systemClock } from "../clock/mod.ts";
import { listRuns, readRunManifest, type RunSummary } from "../engine/history.ts";
import { type QueuedRun, SkeinError } from "../model/mod.ts";
import type { Store } from "../store/mod.ts";
import { formatDuration } from "../view/progress.ts";
import { reportOfQueued, shortOf } from "../view/queued_run.ts";
import { columns } from "../view/report.ts";
import type { Command, Invocation } from "./command.ts";
import { EXIT } from "./exit.ts";
import { answer } from "./output.ts";
import { withQueue } from "./queue.ts";

const PAGE = 1_000;

/** `skein runs`. */
export const command: Command = {
  name: "runs",
  summary: "List the runs of the state directory, the newest first",
  usage: "",
  words: [0, 0],
  description: [
    "Lists every local run and every run of the queue, with how it ended or why it waits. A local run whose orchestrator",
    "is gone without a report is `interrupted`.",
  ].join("\n"),
  flags: { limit: { type: "integer", summary: "At most so many (all)", range: [1, 1_000_000] } },
  examples: [["skein runs --limit 5", "the last five"]],
  exits: [0, 1, 2],
  run: runs,
};

/** A line of the list. */
interface Listed {
  readonly runId: string;
  readonly row: Record<string, unknown>;
  readonly cells: string[];
}

function runs(invocation: Invocation): Promise<number> {
  const limit = invocation.integer("limit") ?? Infinity;
  return withQueue(invocation.stateDir, async (store, stateDir) => {
    // First, so that a run that is queued and claimed meanwhile is no folder that the queue does not know.
    const folders = listRuns(stateDir);
    const queued = await queuedRuns(store, limit);
    const known = new Set(queued.map(({ id }) => id));
    const now = systemClock.wall();
    const list: Listed[] = [
      ...folders.filter(({ runId }) => !known.has(runId)).map(localRun),
      ...queued.map((run) => queuedRun(run, now)),
    ].sort((a, b) => a.runId < b.runId ? 1 : -1).slice(0, limit);
    answer(invocation, list.map(({ row }) => row), () => {
      return list.length === 0 ? "No runs" : columns(list.map(({ cells }) => cells)).join("\n");
    });
    return EXIT.ok;
  });
}

/** The newest runs of the queue, a page at a time. */
async function queuedRuns(store: Store | null, limit: number): Promise<QueuedRun[]> {
  const found: QueuedRun[] = [];
  while (store !== null && found.length < limit) {
    const before = found.at(-1)?.id;
    const page = await store.runs({
      limit: Math.min(PAGE, limit - found.length),
      ...before === undefined ? {} : { before },
    });
    if (page.length === 0) break;
    found.push(...page);
  }
  return found;
}

function localRun(run: RunSummary): Listed {
  const { runId, status, problem, report } = run;
  const row = { runId, status, ...problem === null ? {} : { problem } };
  if (problem !== null) return { runId, row, cells: [runId, status, "", "", problem] };
  if (report === null) return unfinishedRun(run);
  const { name, epoch, startedAt, durationMs, counts } = report;
  const tasks = `${counts.succeeded}/${counts.total} tasks`;
  return {
    runId,
    row: { ...row, name, epoch, startedAt, durationMs, counts },
    cells: [runId, status, tasks, formatDuration(durationMs), `epoch ${epoch}`, name],
  };
}

/** A run without a report, with what its folder says of it: its manifest, and the epoch of any lease. */
function unfinishedRun(run: RunSummary): Listed {
  const { runId, status } = run;
  const name = nameOf(run);
  const epoch = epochIn(`${run.folder}/leases`);
  return {
    runId,
    row: {
      runId,
      status,
      ...name === null ? {} : { name },
      ...epoch === null ? {} : { epoch },
    },
    cells: [runId, status, "", "", epoch === null ? "" : `epoch ${epoch}`, name ?? ""],
  };
}

/** `null` where the manifest cannot be read, which must not hide the other runs. */
function nameOf(run: RunSummary): string | null {
  try {
    return readRunManifest(run).name;
  } catch (error) {
    if (error instanceof SkeinError) return null;
    throw error;
  }
}

/** The epoch that the first of the leases names: all of a local run have the same. `null` where that cannot be read. */
function epochIn(leases: string): number | null {
  try {
    for (const { name } of Deno.readDirSync(leases)) {
      const { epoch } = JSON.parse(Deno.readTextFileSync(`${leases}/${name}`));
      return Number.isInteger(epoch) ? epoch : null;
    }
  } catch {
    // No task has started yet, or the folder is damaged: `show` says more.
  }
  return null;
}

function queuedRun(run: QueuedRun, now: number): Listed {
  const { runId, status, name, epoch, startedAt, durationMs, ...rest } = reportOfQueued(run, now);
  const { reason, round, priority, submittedAt, availableAt } = rest;
  const took = startedAt === null ? "" : formatDuration(durationMs);
  return {
    runId,
    row: {
      runId,
      status,
      name,
      epoch,
      startedAt,
      durationMs,
      queue: { reason, round, priority, submittedAt, availableAt },
    },
    cells: [runId, status, "queue", took, `epoch ${epoch}`, `${name}${shortOf(reason)}`],
  };
}
