import { readFence } from "../fence/status.ts";
import { readHolders } from "../fence/holders.ts";
import { absolutePath, isAbsent } from "../disk/path.ts";
import { queuePath } from "../engine/durable/queue_path.ts";
import { messageOf } from "../model/error.ts";
import type { Command, Invocation } from "./command.ts";
import { EXIT } from "./exit.ts";
import { printJson, say } from "./output.ts";
import type { QueueStatus } from "./queue_status.ts";

/** `skein status`. */
export const command: Command = {
  name: "status",
  summary: "Say whether the swarm is stopped, its epoch, and how its queue stands",
  usage: "",
  words: [0, 0],
  description: [
    "Always prints JSON: whether the swarm is stopped, the epoch, the record of the stop, the runs that are going on.",
    "Where there is a queue also its runs by state, how long the oldest of them waits, the workers and whether they live,",
    "which of them leads, and who holds the database's write lock, where that is known. Makes nothing. A STOP, an EPOCH",
    "or a queue that cannot be read is a `problem`, and the exit code 1.",
  ].join("\n"),
  flags: {},
  examples: [["skein status", "look before a reset"]],
  exits: [0, 1, 2],
  run: status,
};

async function status({ stateDir }: Invocation): Promise<number> {
  const folder = absolutePath(stateDir);
  if (isAbsent(folder)) {
    say(`skein: there is no state directory "${folder}"`);
    printJson({ stopped: false, epoch: 1 });
    return EXIT.ok;
  }
  const { stopped, epoch, record, problem } = readFence(folder);
  const holders = readHolders(folder);
  const queue = await lookAtQueue(folder);
  const problems = [
    ...problem === null ? [] : [problem],
    ...holders.problems,
    ...queue.problem === undefined ? [] : [queue.problem],
  ];
  printJson({
    stopped,
    epoch,
    ...record === null
      ? {}
      : { reason: record.reason, requestedAt: record.requestedAt, by: record.by },
    ...problems.length === 0 ? {} : { problem: problems.join("; ") },
    runs: holders.live.map((holder) => holder.record?.runId ?? "").filter((run) => run !== ""),
    ...queue.status === undefined ? {} : { queue: queue.status },
    stateDir: folder,
  });
  return problems.length === 0 ? EXIT.ok : EXIT.error;
}

/** Everything of the queue is loaded only where there is one. */
async function lookAtQueue(
  stateDir: string,
): Promise<{ readonly status?: QueueStatus; readonly problem?: string }> {
  if (isAbsent(queuePath(stateDir))) return {};
  try {
    const { openQueue } = await import("./queue.ts");
    const { readQueueStatus } = await import("./queue_status.ts");
    const store = await openQueue(stateDir);
    try {
      return { status: await readQueueStatus(store, stateDir) };
    } finally {
      await store.close();
    }
  } catch (error) {
    return { problem: messageOf(error) };
  }
}
