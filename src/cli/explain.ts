import { systemClock } from "../clock/mod.ts";
import { readFence } from "../fence/mod.ts";
import { nearest } from "../manifest/near.ts";
import { SkeinError } from "../model/mod.ts";
import { isReasonCode, type ReasonCode, REASONS } from "../reason/mod.ts";
import { reportsOfTasks } from "../view/queued_run.ts";
import { columns } from "../view/report.ts";
import type { Command, Invocation } from "./command.ts";
import { EXIT } from "./exit.ts";
import { explainLocal, explainQueued, type Explanation, type TaskNote } from "./explanation.ts";
import { answer } from "./output.ts";
import { withQueue } from "./queue.ts";
import { type FoundRun, lookUpRun } from "./run_lookup.ts";

/** `skein explain`. */
export const command: Command = {
  name: "explain",
  summary: "Say why a run is as it is and what to do, or what a reason code means",
  usage: "[run | code]",
  words: [0, 1],
  description: [
    "Of a run, local or of the queue: its state, why it is in it or what it waits for, what can be done about it, and the",
    "tasks that did not succeed, run, or wait. Of a code of the catalogue of reasons: what happened, and the remedy.",
    "Without a word it lists every code.",
  ].join("\n"),
  flags: {},
  examples: [
    ["skein explain latest", "why the last run is as it is"],
    ["skein explain RUN_FAILED_POISON", "what this code means"],
    ["skein explain", "every code"],
  ],
  exits: [0, 1, 2],
  run: explain,
};

async function explain(invocation: Invocation): Promise<number> {
  const [name] = invocation.words;
  if (name === undefined) return listCodes(invocation);
  // No id of a run has an upper-case letter.
  if (/^[A-Z_]+$/.test(name)) return explainCode(invocation, name);
  return await withQueue(invocation.stateDir, async (store, stateDir) => {
    const found = await lookUpRun(store, stateDir, name);
    const explanation = found.kind === "local"
      ? explainLocal(found.run, readFence(stateDir).stopped)
      : await explainFound(found, stateDir);
    answer(invocation, explanation, () => textOf(explanation));
    return EXIT.ok;
  });
}

function listCodes(invocation: Invocation): number {
  const codes = Object.entries(REASONS).map(([code, reason]) => ({ code, ...reason }));
  answer(
    invocation,
    codes,
    () => columns(codes.map(({ code, level, short }) => [code, level, short])).join("\n"),
  );
  return EXIT.ok;
}

function explainCode(invocation: Invocation, code: string): number {
  if (!isReasonCode(code)) {
    const near = nearest(code, Object.keys(REASONS));
    throw new SkeinError(
      "usage",
      `Code "${code}" is unknown${near === null ? "" : `, did you mean "${near}"?`}`,
      { next: "List the codes with `skein explain`" },
    );
  }
  answer(invocation, { code, ...REASONS[code] }, () => textOfCode(code));
  return EXIT.ok;
}

function textOfCode(code: ReasonCode): string {
  const { level, short, explanation, remedy } = REASONS[code];
  return [`${code} (${level}): ${short}`, `  ${explanation}`, `  → ${remedy}`].join("\n");
}

async function explainFound(
  { store, run }: Extract<FoundRun, { kind: "queued" }>,
  stateDir: string,
): Promise<Explanation> {
  // Late: it looks which workers live.
  const { executorsOf } = await import("./queue_status.ts");
  const now = systemClock.wall();
  const { stopped, epoch } = readFence(stateDir);
  return explainQueued(run, {
    now,
    stopped,
    epoch,
    executors: executorsOf(await store.executors(), stateDir),
    running: (await store.runs({ states: ["running"], limit: MOST_RUNNING })).length,
    tasks: reportsOfTasks(await store.tasks(run.id), await store.attempts(run.id), now),
  });
}

/** More than any worker holds. */
const MOST_RUNNING = 100_000;

function textOf({ runId, status, name, reason, why, next, tasks }: Explanation): string {
  return [
    `Run ${runId}${name === "" ? "" : `, ${name}`}: ${status}${
      reason === null ? "" : ` (${reason})`
    }`,
    ...why.map((line) => `  ${line}`),
    ...next.map((line) => `  → ${line}`),
    ...tasks.length === 0 ? [] : ["", ...columns(tasks.map(cellsOf))],
  ].join("\n");
}

function cellsOf({ id, status, reason, message }: TaskNote): string[] {
  const short = reason !== null && isReasonCode(reason) ? REASONS[reason].short : "";
  return [id, status, reason ?? "", [short, message ?? ""].filter(Boolean).join(": ")];
}
