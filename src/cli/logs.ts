import type { StreamFileName } from "../engine/history.ts";
import { type Manifest, SkeinError } from "../model/mod.ts";
import { nearest } from "../manifest/near.ts";
import type { Command, Invocation } from "./command.ts";
import { EXIT } from "./exit.ts";
import { printBytes, say } from "./output.ts";
import { withQueue } from "./queue.ts";
import { lookUpRun } from "./run_lookup.ts";
import { localStreams, queuedStreams, type Streams } from "./run_streams.ts";
import { Signals } from "./signals.ts";

const POLL_MS = 100;
const CHUNK_BYTES = 65_536;

/** `skein logs`. */
export const command: Command = {
  name: "logs",
  summary: "Print what the tasks of a run have written",
  usage: "<run> [task]",
  words: [1, 2],
  description: [
    "Prints the standard output and error of every task, or of one, by pass and attempt. Headings go to standard",
    "error, so that `skein logs latest build --stream stdout > file` holds the output and nothing else. Of a run of the",
    "queue it prints every attempt, also of earlier rounds.",
  ].join("\n"),
  flags: {
    follow: { type: "boolean", summary: "Go on until the run has ended" },
    stream: { type: "text", value: "NAME", summary: "Only `stdout` or `stderr`" },
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
  const printer = new Printer(taskId, streamOf(invocation));
  return withQueue(invocation.stateDir, async (store, stateDir) => {
    const found = await lookUpRun(store, stateDir, name);
    const source = found.kind === "local"
      ? localStreams(stateDir, found.run)
      : await queuedStreams(stateDir, found);
    if (taskId !== undefined) checkTask(source.manifest, taskId);
    if (invocation.has("follow")) return await follow(source, printer);
    printer.print((await source.read()).files);
    if (!printer.hasPrinted) say("Nothing was written");
    return EXIT.ok;
  });
}

async function follow(source: Streams, printer: Printer): Promise<number> {
  using signals = new Signals();
  for (;;) {
    // What was written before the run had ended is printed after that was seen.
    const { isOver, files } = await source.read();
    if (!printer.print(files) || isOver) return EXIT.ok;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
    if (signals.code !== null) return signals.code;
  }
}

function streamOf(invocation: Invocation): "stdout" | "stderr" | null {
  const name = invocation.text("stream");
  if (name === undefined || name === "stdout" || name === "stderr") return name ?? null;
  throw new SkeinError("usage", `Stream "${name}" is unknown: it is stdout or stderr`, {
    next: "See `skein help logs`",
  });
}

function checkTask({ tasks }: Manifest, taskId: string): void {
  if (tasks.some(({ id }) => id === taskId)) return;
  const near = nearest(taskId, tasks.map(({ id }) => id));
  throw new SkeinError(
    "usage",
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
