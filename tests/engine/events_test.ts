import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { systemClock } from "../../src/clock/mod.ts";
import { EventFile } from "../../src/engine/events.ts";
import { temporaryFolder } from "../support/cli.ts";

const SYNC = true;
const RUN = { runId: "r", epoch: 3 };

function linesOf(path: string): { seq: number; message: string }[] {
  const text = Deno.readTextFileSync(path);
  return text === "" ? [] : text.trimEnd().split("\n").map((line) => JSON.parse(line));
}

Deno.test("EventFile buffers until it is flushed, and numbers from 1", () => {
  using folder = temporaryFolder();
  const path = `${folder.path}/events.jsonl`;
  const log = new EventFile(path, RUN, systemClock, false);
  log.emit("run-started", "", 0, 0, "", "a");
  log.emit("task-finished", "t", 0, 0, "succeeded");
  assertEquals(linesOf(path), []);
  log.flush();
  assertEquals(linesOf(path).map(({ seq }) => seq), [1, 2]);
  log.emit("run-finished");
  assertEquals(log.close(), null);
  const [first, , last] = linesOf(path);
  assertEquals(last?.seq, 3);
  const { at, ...rest } = first as unknown as Record<string, unknown>;
  assertEquals(rest, {
    seq: 1,
    kind: "run-started",
    runId: "r",
    taskId: "",
    pass: 0,
    attempt: 0,
    epoch: 3,
    status: "",
    message: "a",
  });
  assertEquals(new Date(String(at)).toISOString(), at);
});

Deno.test("EventFile keeps the order of lines of every length, also of those beyond its buffer (G12)", () => {
  using folder = temporaryFolder();
  const path = `${folder.path}/events.jsonl`;
  const log = new EventFile(path, RUN, systemClock, false);
  const lengths = [10, 70_000, 3, 21_000, 21_000, 21_000, 0, 65_536, 1, 200_000];
  const letters = ["a", "ü", "漢", "\n"];
  const messages = lengths.map((length, index) => (letters[index % 4] ?? "").repeat(length));
  for (const message of messages) log.emit("pass-finished", "", 0, 0, "", message);
  assertEquals(log.close(), null);
  const lines = linesOf(path);
  assertEquals(lines.map(({ seq }) => seq), lengths.map((_, index) => index + 1));
  assert(lines.every(({ message }, index) => message === messages[index]));
});

Deno.test("EventFile with `sync` has each event in the file when `emit` returns", () => {
  using folder = temporaryFolder();
  const path = `${folder.path}/events.jsonl`;
  const log = new EventFile(path, RUN, systemClock, true);
  for (let count = 1; count <= 3; count++) {
    log.emit("pass-started");
    assertEquals(linesOf(path).length, count);
  }
  assertEquals(log.close(), null);
});

Deno.test("EventFile keeps the first error, ignores what comes later, and never throws", () => {
  using folder = temporaryFolder();
  const path = `${folder.path}/nowhere/events.jsonl`;
  const log = new EventFile(path, RUN, systemClock, true);
  for (let count = 0; count < 200_000; count++) log.emit("pass-started");
  log.flush();
  const error = log.close();
  assertStringIncludes(`${error}`, "No such file");
  assertEquals(log.close(), error);
});

Deno.test("EventFile never appends to a log that is there", () => {
  using folder = temporaryFolder();
  const path = `${folder.path}/events.jsonl`;
  Deno.writeTextFileSync(path, "somebody's\n");
  const log = new EventFile(path, RUN, systemClock, false);
  log.emit("run-started");
  assertStringIncludes(`${log.close()}`, "exists");
  assertEquals(Deno.readTextFileSync(path), "somebody's\n");
});

Deno.test({
  name: "EventFile keeps the first error of a write, and closes its file all the same",
  ignore: Deno.build.os !== "linux",
  fn() {
    using folder = temporaryFolder();
    const path = `${folder.path}/events.jsonl`;
    const log = new FullLog(path);
    log.emit("run-started");
    assertEquals(log.close(), "No space left on device");
    assertEquals(openFiles().filter((file) => file === path), []);
    assertEquals(linesOf(path), []);
  },
});

/** A log on a disk that is full. */
class FullLog extends EventFile {
  constructor(path: string) {
    super(path, RUN, systemClock, SYNC);
  }

  override flush(): void {
    const original = Deno.FsFile.prototype.writeSync;
    Deno.FsFile.prototype.writeSync = () => {
      throw new Error("No space left on device");
    };
    try {
      super.flush();
    } finally {
      Deno.FsFile.prototype.writeSync = original;
    }
  }
}

function openFiles(): string[] {
  return Array.from(Deno.readDirSync("/proc/self/fd"), ({ name }) => {
    try {
      return Deno.readLinkSync(`/proc/self/fd/${name}`);
    } catch {
      return "";
    }
  });
}
