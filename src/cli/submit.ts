import { mintRunId, systemClock, systemRng } from "../clock/mod.ts";
import { absolutePath } from "../disk/path.ts";
import { checkInputs } from "../engine/run_folder.ts";
import { isClear, prepareStateDir } from "../fence/mod.ts";
import { SkeinError } from "../model/mod.ts";
import type { Command, Invocation } from "./command.ts";
import { EXIT } from "./exit.ts";
import { readManifest } from "./manifest_source.ts";
import { answer, say } from "./output.ts";
import { epochOf, openQueue, refusedByStop } from "./queue.ts";

/** How many minutes of waiting a run may be given, or take upon itself. */
const MOST_PRIORITY = 100_000;

/** `skein submit`. */
export const command: Command = {
  name: "submit",
  summary: "Put a run into the queue",
  usage: "<manifest>",
  words: [1, 1],
  description: [
    "Checks a manifest (`-` reads it from standard input) as `run` does, queues it, and prints the run's id. A worker",
    "(`skein work`) executes it. The same key and manifest again give the run that is there already. The run belongs to",
    "the epoch of now: a stop invalidates it, and only `skein retry` brings it back. Refused while the swarm is stopped.",
  ].join("\n"),
  flags: {
    key: {
      type: "text",
      value: "KEY",
      summary: "Submit once: the same key and manifest again give the same run",
    },
    priority: {
      type: "integer",
      summary: "Minutes of waiting in advance (0); `--priority=-5` lets others go first",
      range: [-MOST_PRIORITY, MOST_PRIORITY],
    },
  },
  examples: [
    ["skein submit swarm.json", "queue it, and print its id"],
    [
      "skein submit nightly.json --key nightly-2026-11-29",
      "at most once, however often it is said",
    ],
    ["generate | skein submit - --priority 30", "a manifest from standard input, ahead of others"],
  ],
  exits: [0, 1, 2, 4],
  run: submit,
};

async function submit(invocation: Invocation): Promise<number> {
  const [name = ""] = invocation.words;
  const key = invocation.text("key") ?? null;
  const priority = invocation.integer("priority") ?? 0;
  const manifest = await readManifest(name);
  checkInputs(manifest);
  const stateDir = absolutePath(invocation.stateDir);
  if (!isClear(stateDir)) throw refusedByStop("queue a run", stateDir);
  prepareStateDir(stateDir);
  const store = await openQueue(stateDir);
  try {
    const epoch = await epochOf(store, stateDir);
    const runId = mintRunId(systemClock, systemRng);
    const result = await store.submit({ runId, key, priority, epoch, manifest });
    switch (result.kind) {
      case "submitted":
      case "known": {
        const known = result.kind === "known";
        if (known) say(`skein: run ${result.runId} was submitted before under key "${key}"`);
        const value = { runId: result.runId, known, name: manifest.name, epoch };
        answer(invocation, value, () => result.runId);
        return EXIT.ok;
      }
      case "key-taken":
        throw keyTaken(name, key ?? "", result.runId, stateDir);
      case "stopped":
        throw refusedByStop("queue a run", stateDir);
    }
  } finally {
    await store.close();
  }
}

function keyTaken(name: string, key: string, runId: string, stateDir: string): SkeinError {
  return new SkeinError(
    "key-taken",
    `Cannot submit "${name}" under key "${key}": it belongs to run "${runId}", whose manifest is another`,
    {
      where: stateDir,
      next: `Use another key, or look at that run: \`skein show ${runId}\``,
    },
  );
}
