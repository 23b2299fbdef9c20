import { isClear } from "../fence/state.ts";
import { SkeinError } from "../model/mod.ts";
import type { RetryResult } from "../store/mod.ts";
import { plural } from "../view/progress.ts";
import type { Command, Invocation } from "./command.ts";
import { EXIT } from "./exit.ts";
import { operatorName } from "./operator.ts";
import { answer } from "./output.ts";
import { epochOf, refusedByStop, withQueue } from "./queue.ts";
import { lookUpQueued } from "./run_lookup.ts";

/** `skein retry`. */
export const command: Command = {
  name: "retry",
  summary: "Queue a run again that has ended",
  usage: "<run>",
  words: [1, 1],
  description: [
    "Opens the next round of a run that failed, was cancelled or stopped, at the epoch of now: its crash count begins at",
    "0, its cancellation is forgotten, and every task has its attempts again. Refused while the swarm is stopped, for a",
    "run that has not ended, and for one that has succeeded.",
  ].join("\n"),
  flags: {
    "failed-only": {
      type: "boolean",
      summary: "Keep the tasks that succeeded, with their outputs; only the others run again",
    },
  },
  examples: [
    ["skein retry 20261129t174525123z-5k8h2m0q", "every task again"],
    ["skein retry latest --failed-only", "what is missing of the last run"],
  ],
  exits: [0, 1, 2, 4],
  run: retry,
};

function retry(invocation: Invocation): Promise<number> {
  const [name = ""] = invocation.words;
  const failedOnly = invocation.has("failed-only");
  return withQueue(invocation.stateDir, async (queue, stateDir) => {
    const { store, run: { id: runId } } = await lookUpQueued(queue, stateDir, name);
    if (!isClear(stateDir)) throw refusedByStop("retry a run", stateDir);
    const epoch = await epochOf(store, stateDir);
    const result = await store.retry(runId, { epoch, failedOnly, by: operatorName() });
    if (result.kind === "stopped") throw refusedByStop("retry a run", stateDir);
    if (result.kind !== "requeued") throw refusal(runId, result);
    const { round, reopened } = result;
    answer(invocation, { runId, status: "queued", round, reopened, epoch }, () => {
      return `Run ${runId} is queued again: round ${round}, ${plural(reopened, "task")} reopened`;
    });
    return EXIT.ok;
  });
}

function refusal(
  runId: string,
  result: Extract<RetryResult, { kind: "refused" | "unknown" }>,
): SkeinError {
  const refused = (why: string, next: string) => {
    return new SkeinError("run-refused", `Cannot retry run "${runId}": ${why}`, { next });
  };
  if (result.kind === "unknown") {
    return refused("it was pruned meanwhile", "Submit it again: `skein submit`");
  }
  switch (result.why) {
    case "succeeded":
      return refused("it has succeeded", "Submit it again under another key: `skein submit`");
    case "not-ended":
      return refused(
        `it is ${result.state}`,
        `See why it waits with \`skein explain ${runId}\`, or \`skein cancel\` it first`,
      );
    case "outdated":
      return refused(
        "its epoch is above the current one",
        "EPOCH was restored from an old copy: see `skein status`, then `skein reset --epoch N`",
      );
  }
}
