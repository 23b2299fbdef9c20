import { systemClock } from "../clock/mod.ts";
import { isAbsent } from "../disk/mod.ts";
import { queuePath } from "../engine/durable/queue_path.ts";
import { isUsed, lookAtStop, readHolders, readSwarmId } from "../fence/mod.ts";
import { readEpoch } from "../fence/state.ts";
import { messageOf, SkeinError } from "../model/mod.ts";
import { type Check, tried } from "./doctor_check.ts";
import { demandExecutable } from "./executable.ts";
import {
  type IdFacts,
  judgeEpoch,
  judgeHolders,
  judgeId,
  judgeQueue,
  judgeStop,
  type QueueFacts,
} from "./doctor_state_verdicts.ts";

/** How long a queue that is locked is waited for, in milliseconds. */
const LOCKED_MS = 5_000;

/** Looks at the files of a state directory that is there, one after another. Changes nothing. */
export async function* examineState(stateDir: string): AsyncGenerator<Check> {
  yield judgeId(lookAtId(stateDir));
  yield judgeStop(lookAtStop(stateDir));
  yield judgeEpoch(readEpoch(stateDir));
  yield judgeHolders(readHolders(stateDir));
  const queue = await tried(() => lookAtQueue(stateDir));
  // Afterwards: a reset raises EPOCH before it raises the queue's.
  yield judgeQueue(queue, readEpoch(stateDir));
}

function lookAtId(stateDir: string): IdFacts {
  try {
    if (readSwarmId(stateDir) !== null) return { is: "there" };
    return { is: "missing", used: isUsed(stateDir) };
  } catch (error) {
    return { is: "unreadable", problem: messageOf(error) };
  }
}

async function lookAtQueue(stateDir: string): Promise<QueueFacts> {
  if (isAbsent(queuePath(stateDir))) return { is: "none" };
  await demandExecutable();
  const overdue = new AbortController();
  const late = systemClock.sleep(LOCKED_MS, overdue.signal).then((): QueueFacts => {
    return { is: "locked", waitedMs: LOCKED_MS };
  });
  try {
    return await openAndCheck(stateDir, late, overdue);
  } catch (error) {
    const next = error instanceof SkeinError ? error.next ?? null : null;
    return { is: "unusable", problem: messageOf(error), next };
  } finally {
    overdue.abort();
  }
}

/** Only the opening waits for a lock; to check a large queue may take long. */
async function openAndCheck(
  stateDir: string,
  late: Promise<QueueFacts>,
  overdue: AbortController,
): Promise<QueueFacts> {
  const { openQueue } = await import("./queue.ts");
  const opening = openQueue(stateDir);
  const first = await Promise.race([opening, late]);
  if ("is" in first) {
    // It is closed should it come after all.
    opening.then((store) => store.close(), () => {});
    return first;
  }
  overdue.abort();
  try {
    const { checkOutputs } = await import("../engine/durable/outputs_check.ts");
    const violations = [...await first.fsck(), ...await checkOutputs(first, stateDir)];
    return { is: "open", highest: await first.highestEpoch(), violations };
  } finally {
    await first.close();
  }
}
