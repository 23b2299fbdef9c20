import { systemClock, systemRng } from "../clock/mod.ts";
import { absolutePath } from "../disk/path.ts";
import { mintOwner } from "../engine/durable/owner.ts";
import type { WorkerEnd, WorkerOptions } from "../engine/durable/mod.ts";
import { messageOf, SkeinError } from "../model/mod.ts";
import { plural } from "../view/progress.ts";
import type { Command, Invocation } from "./command.ts";
import { EXIT } from "./exit.ts";
import { becomeInit } from "./init.ts";
import { answer, talkInBackground } from "./output.ts";
import { openQueue, withQueue } from "./queue.ts";
import { lookUpQueued } from "./run_lookup.ts";
import { Signals } from "./signals.ts";
import { UsageError } from "./usage_error.ts";
import { reasonUnclaimed, WorkerTalk } from "./worker_talk.ts";

const DAY_MS = 86_400_000;

/** `skein work`. */
export const command: Command = {
  name: "work",
  summary: "Execute the runs of the queue",
  usage: "[run]",
  words: [0, 1],
  description: [
    "Claims runs of the queue and executes them until it is told to end. INT, TERM, HUP or `skein drain` drain it: it",
    "claims nothing more, lets what runs end within the grace, hands the rest back and exits with 0; a second signal kills",
    "at once and hands back. A stop ends it with 4. One worker of all also takes runs from workers that died. With",
    "`--once` it executes one run, the one that is named where one is, and exits with that run's own code.",
  ].join("\n"),
  flags: {
    concurrency: { type: "integer", summary: "Runs at the same time (1)", range: [1, 4_096] },
    workers: {
      type: "integer",
      summary: "Tasks of one run at the same time, 0: one a processor (the manifest's)",
      range: [0, 65_536],
    },
    "until-idle": { type: "boolean", summary: "End as soon as nothing waits and nothing runs" },
    once: { type: "boolean", summary: "End after one run, or at once where none is due" },
    "lease-ttl": {
      type: "integer",
      value: "MS",
      summary: "How long a claim holds without a renewal (60000)",
      range: [100, DAY_MS],
    },
    grace: {
      type: "integer",
      value: "MS",
      summary: "How long what runs may take to end once it drains (30000)",
      range: [0, DAY_MS],
    },
    poll: {
      type: "integer",
      value: "MS",
      summary: "How often it looks for due runs, cancellations and a drain (2000)",
      range: [10, DAY_MS],
    },
    keep: {
      type: "integer",
      summary: "Keep the newest so many ended runs, and remove the others (10000)",
      range: [0, 1_000_000_000],
    },
    sync: {
      type: "boolean",
      summary: "Sync each commit: a power failure then loses no verdict, at the cost of speed",
    },
    quiet: { type: "boolean", summary: "Nothing on standard error but trouble" },
  },
  examples: [
    ["skein work --concurrency 4", "four runs at a time, until it is told to end"],
    ["skein work --until-idle", "empty the queue, then end"],
    ["skein work --once 20261129t174525123z-5k8h2m0q", "this run, with its own exit code"],
  ],
  exits: [0, 1, 2, 3, 4, 129, 130, 143],
  run: work,
};

async function work(invocation: Invocation): Promise<number> {
  const until = untilOf(invocation);
  const options = optionsOf(invocation);
  const stateDir = absolutePath(invocation.stateDir);
  const runId = await wantedRun(invocation);
  using signals = new Signals();
  using _reaper = becomeInit();
  talkInBackground();
  const { Worker } = await import("../engine/durable/worker.ts");
  const talk = new WorkerTalk(mintOwner(systemClock, systemRng), invocation.has("quiet"));
  const worker = new Worker({
    ...options,
    owner: talk.owner,
    ...runId === undefined ? {} : { runId },
    stateDir,
    until,
    ownsProcess: true,
    openStore: (latch) => openQueue(stateDir, { latch, sync: invocation.has("sync") }),
    onNotice: (notice) => talk.tell(notice),
  });
  const end = await drive(worker, signals, () => talk.begin());
  if (end === null) return signals.code ?? EXIT.error;
  const code = exitOf(end, until);
  answer(invocation, valueOf(talk.owner, end), () => textOf(end));
  return code;
}

/** What of a worker is driven here. */
interface Driven {
  start(): Promise<void>;
  stop(): Promise<WorkerEnd>;
  readonly done: Promise<WorkerEnd>;
}

/** The first signal drains, the second kills. `null` where the second came before the worker had started. */
async function drive(
  worker: Driven,
  signals: Signals,
  onStart: () => void,
): Promise<WorkerEnd | null> {
  const started = worker.start().then(() => true);
  if (!await Promise.race([started, aborted(signals.kill).then(() => false)])) return null;
  onStart();
  // What it comes to is what `done` says.
  const stop = () => void worker.stop().catch(() => {});
  for (const signal of [signals.cancel, signals.kill]) {
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop);
  }
  return await worker.done;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
}

function untilOf(invocation: Invocation): "stopped" | "idle" | "once" {
  const once = invocation.has("once");
  const idle = invocation.has("until-idle");
  const next = "See `skein help work`";
  if (once && idle) {
    throw new UsageError('Flags "--once" and "--until-idle" exclude each other', next);
  }
  if (!once && invocation.words.length > 0) {
    throw new UsageError("A run is named only with --once", next);
  }
  return once ? "once" : idle ? "idle" : "stopped";
}

function optionsOf(invocation: Invocation): Partial<WorkerOptions> {
  const workers = invocation.integer("workers");
  const leaseTtlMs = invocation.integer("lease-ttl");
  const drainGraceMs = invocation.integer("grace");
  const pollIntervalMs = invocation.integer("poll");
  const keepRuns = invocation.integer("keep");
  return {
    concurrency: invocation.integer("concurrency") ?? 1,
    ...workers === undefined ? {} : { workers },
    ...leaseTtlMs === undefined ? {} : { leaseTtlMs },
    ...drainGraceMs === undefined ? {} : { drainGraceMs },
    ...pollIntervalMs === undefined ? {} : { pollIntervalMs },
    ...keepRuns === undefined ? {} : { keep: { keepRuns } },
  };
}

async function wantedRun(invocation: Invocation): Promise<string | undefined> {
  const [name] = invocation.words;
  if (name === undefined) return undefined;
  return await withQueue(invocation.stateDir, async (store, stateDir) => {
    return (await lookUpQueued(store, stateDir, name)).run.id;
  });
}

function valueOf(executor: string, { why, executed, last }: WorkerEnd): Record<string, unknown> {
  // An error is no JSON.
  const told = last?.kind === "handed-back" && last.error !== null
    ? { ...last, error: messageOf(last.error) }
    : last;
  return { executor, why, executed, last: told };
}

function textOf({ why, executed }: WorkerEnd): string {
  const ends = {
    drained: "Drained",
    idle: "Idle: nothing waits",
    once: "Done",
    stopped: "Stopped",
  };
  return `${ends[why]}, ${plural(executed, "run")} executed`;
}

/** A stop beats everything; only with `--once` the run's own verdict counts. */
function exitOf({ why, last }: WorkerEnd, until: "stopped" | "idle" | "once"): number {
  if (why === "stopped") return EXIT.stopped;
  return until === "once" && last !== null ? exitOfRun(last) : EXIT.ok;
}

function exitOfRun(last: NonNullable<WorkerEnd["last"]>): number {
  switch (last.kind) {
    case "finished":
      if (last.state === "stopped") return EXIT.stopped;
      return last.state === "succeeded" ? EXIT.ok : EXIT.failed;
    case "stopped":
      return EXIT.stopped;
    case "handed-back":
      return last.reason === "RUN_HANDED_BACK_DRAIN" ? EXIT.ok : EXIT.error;
    case "lost":
      return EXIT.error;
    case "none":
      return EXIT.ok;
    case "refused":
      throw new SkeinError(
        "run-refused",
        `Cannot execute run "${last.runId}": ${reasonUnclaimed(last)}`,
        { next: `See \`skein explain ${last.runId}\`` },
      );
  }
}
