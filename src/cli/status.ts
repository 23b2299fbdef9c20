import { readFence } from "../fence/latch.ts";
import { readHolders } from "../fence/holders.ts";
import { absolutePath, isAbsent } from "../disk/path.ts";
import type { Command, Invocation } from "./command.ts";
import { EXIT } from "./exit.ts";
import { printJson } from "./output.ts";

/** `skein status`. */
export const command: Command = {
  name: "status",
  summary: "Say whether the swarm is stopped, and its epoch",
  usage: "",
  words: [0, 0],
  description: [
    "Always prints JSON: whether the swarm is stopped, the epoch, the record of the stop, the runs that are going on.",
    "Makes nothing. A STOP or EPOCH that cannot be read is a `problem`, and the exit code 1.",
  ].join("\n"),
  flags: {},
  examples: [["skein status", "look before a reset"]],
  exits: [0, 1, 2],
  run: status,
};

function status({ stateDir }: Invocation): number {
  const folder = absolutePath(stateDir);
  if (isAbsent(folder)) {
    printJson({ stopped: false, epoch: 1 });
    return EXIT.ok;
  }
  const { stopped, epoch, record, problem } = readFence(folder);
  const holders = readHolders(folder);
  const problems = [...problem === null ? [] : [problem], ...holders.problems];
  printJson({
    stopped,
    epoch,
    ...record === null
      ? {}
      : { reason: record.reason, requestedAt: record.requestedAt, by: record.by },
    ...problems.length === 0 ? {} : { problem: problems.join("; ") },
    runs: holders.live.map((holder) => holder.record?.runId ?? "").filter((run) => run !== ""),
    stateDir: folder,
  });
  return problems.length === 0 ? EXIT.ok : EXIT.error;
}
