import { absolutePath, isAbsent } from "../disk/path.ts";
import { queuePath } from "../engine/durable/queue_path.ts";
import { type ResetAnswer, resetStop } from "../engine/stop.ts";
import { isClear } from "../fence/mod.ts";
import { SkeinError } from "../model/error.ts";
import { plural } from "../view/progress.ts";
import type { Command, Invocation } from "./command.ts";
import { EXIT } from "./exit.ts";
import { answer } from "./output.ts";
import { sayWait } from "./queue.ts";

/** `skein reset`. */
export const command: Command = {
  name: "reset",
  summary: "Let work start again, at an epoch that was never used",
  usage: "",
  words: [0, 0],
  description: [
    "Clears the latch. Refused while a run holds the state directory or a process of the swarm is alive, and from",
    "inside of one. After a corrupt EPOCH or STOP it needs an epoch above every one that was used. What was queued before",
    "the stop is closed as `stopped` and never starts by itself: `skein retry` queues it again.",
  ].join("\n"),
  flags: {
    force: {
      type: "boolean",
      summary: "Kill what a stopped or dead run has left first, and prove it dead",
    },
    epoch: {
      type: "integer",
      value: "N",
      summary: "The epoch to set after a corrupt EPOCH or STOP, above every one that was used",
      range: [1, Number.MAX_SAFE_INTEGER],
    },
  },
  examples: [
    ["skein reset", "after you have looked at what happened"],
    ["skein reset --force", "when something of the old epoch is still alive"],
    ["skein reset --epoch 12", "after EPOCH was damaged, above every epoch that was used"],
  ],
  exits: [0, 1, 2],
  run: reset,
};

async function reset(invocation: Invocation): Promise<number> {
  const { stateDir } = invocation;
  if (isAbsent(stateDir)) {
    answer(
      invocation,
      { reset: false, stopped: false, epoch: 1 },
      () => "Not stopped: there is no state directory",
    );
    return EXIT.ok;
  }
  const epoch = invocation.integer("epoch");
  const force = invocation.has("force");
  const outcome = await resetStop(stateDir, {
    force,
    onQueueWait: (waitedMs) => sayWait(queuePath(absolutePath(stateDir)), waitedMs),
    ...epoch === undefined ? {} : { epoch },
  });
  const { result, closedRuns } = outcome;
  if (result.kind !== "reset" && result.kind !== "not-stopped") throw refusal(stateDir, outcome);
  const value = { reset: result.kind === "reset", stopped: false, epoch: result.epoch };
  answer(invocation, { ...value, ...closedRuns === 0 ? {} : { closedRuns } }, () => {
    if (!value.reset) return `Not stopped: epoch ${value.epoch}`;
    const closed = `, ${plural(closedRuns, "run")} of the queue closed as stopped`;
    return `Reset: epoch ${value.epoch}${closedRuns === 0 ? "" : closed}`;
  });
  return EXIT.ok;
}

function refusal(stateDir: string, { result, inTheWay }: ResetAnswer): SkeinError {
  const refused = (why: string, next: string) => {
    return new SkeinError("reset-refused", `Cannot reset "${absolutePath(stateDir)}": ${why}`, {
      where: stateDir,
      next,
    });
  };
  switch (result.kind) {
    case "busy":
      if (result.what === "reset") {
        return refused("another stop or reset is going on", "Wait for it to end, then try again");
      }
      if (result.what === "open") {
        return refused(
          `it is not stopped, and runs: ${inTheWay.join(", ")}`,
          "Stop it first: `skein stop`",
        );
      }
      return refused(
        `still alive: ${inTheWay.join(", ") || "something that holds LOCK"}`,
        isClear(absolutePath(stateDir))
          ? "It is not stopped: stop it first, with `skein stop`"
          : "Stop it with `skein stop`, or let `skein reset --force` kill it",
      );
    case "refused":
      return refused(result.problem, result.next);
    case "unwritable":
      return refused("EPOCH cannot be written", "Make room on the disk; the swarm stays stopped");
    case "stopped-again":
      return refused("it was stopped again meanwhile", "Look at `skein status`, then try again");
    case "reset":
    case "not-stopped":
      return refused("nothing is wrong", "");
  }
}
