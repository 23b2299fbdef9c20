import { type RunState, SkeinError } from "../model/mod.ts";
import type { RecoverResult } from "../store/mod.ts";
import { formatDuration } from "../view/progress.ts";
import type { Command, Invocation } from "./command.ts";
import { EXIT } from "./exit.ts";
import { answer, say } from "./output.ts";
import { refusedByStop, withQueue } from "./queue.ts";
import { lookUpQueued } from "./run_lookup.ts";
import { Signals } from "./signals.ts";
import { describeNotice } from "./worker_talk.ts";

/** `skein recover`. */
export const command: Command = {
  name: "recover",
  summary: "Take a run from a worker that died, without waiting for a reaper",
  usage: "<run>",
  words: [1, 1],
  description: [
    "Waits for the abandoned claim to expire, closes every attempt that it left running as lost, ends what is still alive",
    "of them on this machine, and queues the run again. A claim that is renewed meanwhile is not abandoned: code 1. A run",
    "that is not running is left as it is. A worker's reaper does the same by itself; this is for a queue without one.",
  ].join("\n"),
  flags: {
    "lease-ttl": {
      type: "integer",
      value: "MS",
      summary: "As its worker has it (60000); a twelfth more is waited for clocks that disagree",
      range: [100, 86_400_000],
    },
  },
  examples: [["skein recover 20261129t174525123z-5k8h2m0q", "its worker is gone"]],
  exits: [0, 1, 2, 4, 129, 130, 143],
  run: recover,
};

function recover(invocation: Invocation): Promise<number> {
  const [name = ""] = invocation.words;
  const leaseTtlMs = invocation.integer("lease-ttl");
  return withQueue(invocation.stateDir, async (queue, stateDir) => {
    const { store, run } = await lookUpQueued(queue, stateDir, name);
    const { Engine, outsideFence } = await import("../engine/durable/mod.ts");
    using signals = new Signals();
    const engine = new Engine({
      store,
      fence: outsideFence(stateDir),
      ...leaseTtlMs === undefined ? {} : { leaseTtlMs },
      onNotice: (notice) => {
        if (notice.kind === "trouble") say(`skein: ${describeNotice(notice)}`);
      },
    });
    if (run.state === "running") say(`skein: waits until the claim of run ${run.id} has expired`);
    const result = await engine.recover(run.id, signals.cancel);
    if (result.kind === "alive" && signals.code !== null) return signals.code;
    return tell(invocation, run.id, stateDir, result);
  });
}

function tell(
  invocation: Invocation,
  runId: string,
  stateDir: string,
  result: RecoverResult,
): number {
  switch (result.kind) {
    case "recovered": {
      const { state, reason, crashed, crashCount, availableAt } = result;
      const due = availableAt === null ? null : new Date(availableAt).toISOString();
      const value = { runId, recovered: true, status: state, reason, crashed, crashCount };
      answer(invocation, { ...value, availableAt: due }, () => {
        return `Run ${runId} was taken from its worker: ${state}${
          due === null ? "" : `, due ${due}`
        }`;
      });
      return EXIT.ok;
    }
    case "not-running":
      return untouched(invocation, runId, result.state);
    case "alive":
      throw new SkeinError(
        "run-refused",
        `Cannot recover run "${runId}": its worker lives and has renewed its claim, ` +
          `for another ${formatDuration(result.expiresAt - result.at)}`,
        { next: "Drain the worker with `skein drain`, or stop the swarm with `skein stop`" },
      );
    case "stopped":
      throw refusedByStop("recover a run", stateDir);
    case "unknown":
      throw new SkeinError("run-missing", `Run "${runId}" is no longer in the queue`);
  }
}

function untouched(invocation: Invocation, runId: string, state: RunState): number {
  answer(invocation, { runId, recovered: false, status: state }, () => {
    return `Run ${runId} is ${state}: there is nothing to recover`;
  });
  return EXIT.ok;
}
