import { SkeinError } from "../model/mod.ts";
import { plural } from "../view/progress.ts";
import type { Command, Invocation } from "./command.ts";
import { EXIT } from "./exit.ts";
import { answer } from "./output.ts";
import { withQueue } from "./queue.ts";
import type { ExecutorStatus } from "./queue_status.ts";
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
    "`skein status`, and found by an unambiguous beginning of their name. Those that are dead are named, and not counted.",
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
    const { executorsOf } = await import("./queue_status.ts");
    const present = executorsOf(await store?.executors() ?? [], stateDir);
    const chosen = name === undefined ? present : [findExecutor(present, name, stateDir)];
    await store?.requestDrain(name === undefined ? null : chosen[0]?.executor ?? name);
    const executors = chosen.filter(({ alive }) => alive).map(({ executor }) => executor);
    const dead = chosen.filter(({ alive }) => !alive).map(({ executor }) => executor);
    answer(
      invocation,
      { requested: executors.length, executors, dead },
      () => textOf(executors, dead),
    );
    return EXIT.ok;
  });
}

function textOf(executors: readonly string[], dead: readonly string[]): string {
  const asked = executors.length === 0
    ? "No worker is alive"
    : `Asked ${plural(executors.length, "worker")} to drain`;
  return [
    executors.length + dead.length === 0 ? "No worker" : asked,
    ...executors.map((executor) => `  ${executor}`),
    ...dead.map((executor) => `  ${executor} is dead: its runs are taken when their claims expire`),
  ].join("\n");
}

function findExecutor(
  present: readonly ExecutorStatus[],
  name: string,
  stateDir: string,
): ExecutorStatus {
  const matches = present.filter(({ executor }) => executor.startsWith(name));
  const found = matches.find(({ executor }) => executor === name) ?? matches[0];
  if (found !== undefined && (matches.length === 1 || found.executor === name)) return found;
  const names = matches.map(({ executor }) => executor).slice(0, 3).join(", ");
  throw new SkeinError(
    "run-missing",
    matches.length === 0
      ? `Executor "${name}" is not in the queue of "${stateDir}", or has ended`
      : `Executor "${name}" is ambiguous: ${names}`,
    { where: stateDir, next: "List the executors with `skein status`" },
  );
}
