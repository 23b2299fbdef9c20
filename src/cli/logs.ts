import { systemClock } from "../clock/clock.ts";
import { isAbsent } from "../disk/path.ts";
import type { StreamFileName } from "../engine/history.ts";
import { type Manifest, SkeinError } from "../model/mod.ts";
import { nearest } from "../manifest/near.ts";
import { plural } from "../view/progress.ts";
import type { Command, Invocation } from "./command.ts";
import { EXIT } from "./exit.ts";
import { printBytes, say } from "./output.ts";
import { withQueue } from "./queue.ts";
import { type FoundRun, lookUpRun } from "./run_lookup.ts";
import { localStreams, queuedStreams, type Streams } from "./run_streams.ts";
import { Signals } from "./signals.ts";

const POLL_MS = 100;
const CHUNK_BYTES = 65_536;
const STREAMS = ["stdout", "stderr"] as const;

/** `skein logs`. */
export const command: Command = {
  name: "logs",
  summary: "Print what the tasks of a run have written",
  usage: "<run> [task]",
  words: [1, 2],
  description: [
    "Prints the standard output and error of every task, or of one, by pass and attempt. Headings go to standard",
    "error, so that `skein logs latest build --stream stdout > file` holds the output and nothing else. Of a run of the",
    "queue it prints every attempt, also of earlier rounds. An output that was recorded and is gone is named, with code 1.",
  ].join("\n"),
  flags: {
    follow: { type: "boolean", summary: "Go on until the run has ended" },
    stream: { type: "text", choices: STREAMS, summary: "Only this one" },
  },
  examples: [
    ["skein logs latest", "everything that the last run wrote"],
    ["skein logs latest build --follow", "what one task writes, as it does"],
  ],
  exits: [0, 1, 2, 130],
  run: logs,
};

function logs(invocation: Invocation): Promise<number> {
  const [name = "", taskId] = invocation.words;
  const stream = STREAMS.find((each) => each === invocation.text("stream")) ?? null;
  const printer = new Printer(taskId, stream);
  return withQueue(invocation.stateDir, async (store, stateDir) => {
    const found = await lookUpRun(store, stateDir, name);
    const source = found.kind === "local"
      ? localStreams(stateDir, found.run)
      : await queuedStreams(stateDir, found);
    if (taskId !== undefined) checkTask(source.manifest, taskId);
    if (invocation.has("follow")) {
      const code = await follow(source, printer);
      if (code !== EXIT.ok) return code;
    } else {
      printer.print((await source.read()).files);
    }
    const missing = stream === "stderr" ? [] : await missingOutputs(found, stateDir, taskId);
    for (const output of missing) sayMissing(output);
    if (missing.length > 0) return EXIT.error;
    if (!printer.hasPrinted && !invocation.has("follow")) say("Nothing was written");
    return EXIT.ok;
  });
}

/** A published output, as it was recorded. */
interface Output {
  readonly taskId: string;
  readonly path: string;
  readonly bytes: number;
}

/** The outputs of a run, or of one task of it, that were recorded and are gone. */
async function missingOutputs(
  found: FoundRun,
  stateDir: string,
  taskId: string | undefined,
): Promise<Output[]> {
  const recorded = found.kind === "local"
    ? localOutputs(found.run)
    : await queuedOutputs(found, stateDir);
  return recorded.filter((output) => taskId === undefined || output.taskId === taskId)
    .filter(({ path }) => isAbsent(path));
}

function localOutputs({ folder, report }: Extract<FoundRun, { kind: "local" }>["run"]): Output[] {
  return (report?.tasks ?? []).flatMap(({ id, output, outputBytes }) =>
    output === null || outputBytes === null
      ? []
      : [{ taskId: id, path: `${folder}/${output}`, bytes: outputBytes }]
  );
}

async function queuedOutputs(
  { store, run }: Extract<FoundRun, { kind: "queued" }>,
  stateDir: string,
): Promise<Output[]> {
  return (await store.tasks(run.id)).flatMap(({ id, output }) =>
    output === null ? [] : [{ taskId: id, path: `${stateDir}/${output.path}`, bytes: output.bytes }]
  );
}

function sayMissing({ taskId, path, bytes }: Output): void {
  say(
    `skein: The output of task "${taskId}" is missing: ${plural(bytes, "byte")} in "${path}"
       Something else has removed it; it comes again only when the task runs again`,
  );
}

async function follow(source: Streams, printer: Printer): Promise<number> {
  using signals = new Signals();
  for (;;) {
    // What was written before the run had ended is printed after that was seen.
    const { isOver, files } = await source.read();
    if (!printer.print(files) || isOver) return EXIT.ok;
    await systemClock.sleep(POLL_MS);
    if (signals.code !== null) return signals.code;
  }
}

function checkTask({ tasks }: Manifest, taskId: string): void {
  if (tasks.some(({ id }) => id === taskId)) return;
  const near = nearest(taskId, tasks.map(({ id }) => id));
  throw new SkeinError(
    "run-missing",
    `Task "${taskId}" is not in the run${near === null ? "" : `, did you mean "${near}"?`}`,
    { next: "List the tasks with `skein show <run>`" },
  );
}

/** Prints what is new in files that grow; a published output keeps its place under its new name. */
class Printer {
  readonly #taskId: string | undefined;
  readonly #stream: "stdout" | "stderr" | null;
  readonly #printed = new Map<string, number>();
  #last = "";

  constructor(taskId: string | undefined, stream: "stdout" | "stderr" | null) {
    this.#taskId = taskId;
    this.#stream = stream;
  }

  /** Whether there was anything. */
  get hasPrinted(): boolean {
    return this.#last !== "";
  }

  /** Prints what is new; `false` where nobody reads any more. */
  print(files: readonly StreamFileName[]): boolean {
    return files
      .filter(({ taskId }) => this.#taskId === undefined || taskId === this.#taskId)
      .filter(({ stream }) => this.#stream === null || stream === this.#stream)
      .every((file) => this.#printFile(file));
  }

  #printFile(file: StreamFileName): boolean {
    const key = `${file.taskId}\0${file.pass}\0${file.attempt}\0${file.stream}`;
    let offset = this.#printed.get(key) ?? 0;
    try {
      using source = Deno.openSync(file.path, { read: true });
      source.seekSync(offset, Deno.SeekMode.Start);
      const buffer = new Uint8Array(CHUNK_BYTES);
      for (let read = source.readSync(buffer); read !== null; read = source.readSync(buffer)) {
        this.#head(file, key);
        if (!printBytes(buffer.subarray(0, read))) return false;
        offset += read;
      }
      this.#printed.set(key, offset);
    } catch (error) {
      // It was published between the listing and the reading: the next round finds it there.
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    }
    return true;
  }

  #head({ taskId, pass, attempt, stream }: StreamFileName, key: string): void {
    if (key === this.#last) return;
    this.#last = key;
    say(`==> ${taskId}, pass ${pass}, attempt ${attempt}, ${stream} <==`);
  }
}
