import { type RunState, SkeinError } from "../model/mod.ts";
import type { Command, Invocation } from "./command.ts";
import { EXIT } from "./exit.ts";
import { operatorName } from "./operator.ts";
import { answer } from "./output.ts";
import { withQueue } from "./queue.ts";
import { lookUpQueued } from "./run_lookup.ts";

/** `skein cancel`. */
export const command: Command = {
  name: "cancel",
  summary: "Cancel a run of the queue",
  usage: "<run>",
  words: [1, 1],
  description: [
    "A run that waits is cancelled at once. Of one that runs the cancellation is requested: its worker sees it within",
    "`--poll`, asks its processes to end and kills them after a grace; no new attempt starts meanwhile. A request stands",
    "until the run has ended, also where its worker dies first. A local run is ended by Ctrl-C, or by `skein ps --kill`.",
  ].join("\n"),
  flags: {},
  examples: [["skein cancel 20261129t174525123z-5k8h2m0q", "it is not wanted any more"]],
  exits: [0, 1, 2],
  run: cancel,
};

function cancel(invocation: Invocation): Promise<number> {
  const [name = ""] = invocation.words;
  return withQueue(invocation.stateDir, async (queue, stateDir) => {
    const { store, run: { id: runId } } = await lookUpQueued(queue, stateDir, name);
    const result = await store.cancel(runId, operatorName());
    switch (result.kind) {
      case "cancelled":
        return told(invocation, runId, "cancelled", `Cancelled run ${runId}`);
      case "requested":
        return told(invocation, runId, "requested", `Run ${runId} is asked to end`);
      case "already":
        return told(invocation, runId, "requested", `Run ${runId} was asked to end before`);
      case "ended":
        if (result.state !== "cancelled") throw ended(runId, result.state);
        return told(invocation, runId, "cancelled", `Run ${runId} was cancelled before`);
      case "unknown":
        throw ended(runId, "pruned");
    }
  });
}

function told(
  invocation: Invocation,
  runId: string,
  cancelled: "cancelled" | "requested",
  text: string,
): number {
  answer(invocation, { runId, status: cancelled }, () => text);
  return EXIT.ok;
}

function ended(runId: string, state: RunState | "pruned"): SkeinError {
  return new SkeinError("run-refused", `Cannot cancel run "${runId}": it has ended, ${state}`, {
    next: `Look at it: \`skein show ${runId}\``,
  });
}
