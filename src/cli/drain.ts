import { SkeinError } from "../model/mod.ts";
import type { ExecutorRow } from "../store/mod.ts";
import { plural } from "../view/progress.ts";
import type { Command, Invocation } from "./command.ts";
import { EXIT } from "./exit.ts";
import { answer } from "./output.ts";
import { withQueue } from "./queue.ts";
import { UsageError } from "./usage_error.ts";

/** `skein drain`. */
export const command: Command = {
  name: "drain",
  summary: "Ask a worker, or every one, to hand its runs back and end",
  usage: "[executor | --all]",
  words: [0, 1],
  description: [
    "A worker that is asked claims nothing more, lets what runs end within its `--grace`, hands the rest back to the",
    "queue, and ends with code 0, as it does after TERM. It sees the request within its `--poll`. Workers are named by",
    "`skein status`, and found by an unambiguous beginning of their name.",
  ].join("\n"),
  flags: { all: { type: "boolean", summary: "Every worker that has not ended" } },
  examples: [
    ["skein drain --all", "before an upgrade"],
    ["skein drain executor-20261129t174525123z-5k8h2m0q", "one worker"],
  ],
  exits: [0, 1, 2],
  run: drain,
};

async function drain(invocation: Invocation): Promise<number> {
  const [name] = invocation.words;
  const all = invocation.has("all");
  if (all === (name !== undefined)) {
    throw new UsageError(
      `Command "drain" needs ${all ? "an executor or --all, not both" : "an executor, or --all"}`,
      "See `skein help drain`; `skein status` names the executors",
    );
  }
  return await withQueue(invocation.stateDir, async (store, stateDir) => {
    const live = (await store?.executors() ?? []).filter(({ endedAt }) => endedAt === null);
    const chosen = name === undefined ? live : [findExecutor(live, name, stateDir)];
    await store?.requestDrain(name === undefined ? null : chosen[0]?.owner ?? name);
    const executors = chosen.map(({ owner }) => owner);
    answer(invocation, { requested: executors.length, executors }, () => {
      return executors.length === 0
        ? "No worker"
        : [`Asked ${plural(executors.length, "worker")} to drain`, ...executors].join("\n  ");
    });
    return EXIT.ok;
  });
}

function findExecutor(live: readonly ExecutorRow[], name: string, stateDir: string): ExecutorRow {
  const matches = live.filter(({ owner }) => owner === name || owner.startsWith(name));
  const found = matches.find(({ owner }) => owner === name) ?? matches[0];
  if (found !== undefined && (matches.length === 1 || found.owner === name)) return found;
  const names = matches.map(({ owner }) => owner).slice(0, 3).join(", ");
  throw new SkeinError(
    "run-missing",
    matches.length === 0
      ? `Executor "${name}" is not in the queue of "${stateDir}", or has ended`
      : `Executor "${name}" is ambiguous: ${names}`,
    { where: stateDir, next: "List the executors with `skein status`" },
  );
}
