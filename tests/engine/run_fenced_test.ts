import {
  assert,
  assertEquals,
  assertMatch,
  assertNotEquals,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import { RUN_ID, systemClock } from "../../src/clock/mod.ts";
import {
  type Execution,
  type Executor,
  functionExecutor,
  listRuns,
  requestStop,
  resetStop,
  run,
  type RunOptions,
} from "../../src/engine/mod.ts";
import { currentEpoch } from "../../src/fence/mod.ts";
import {
  EVENT_KINDS,
  type Lease,
  type Manifest,
  type Report,
  type RunEvent,
  SkeinError,
  StoppedError,
} from "../../src/model/mod.ts";
import { eventually, temporaryFolder } from "../support/cli.ts";
import { manifestOf, manifestOfGraph } from "./graphs.ts";

type Call = Parameters<typeof functionExecutor>[0];

/** A state directory that is not there yet, and runs in it. */
class State implements Disposable {
  readonly #folder = temporaryFolder();
  readonly path = `${this.#folder.path}/state`;

  run(manifest: Manifest, call: Call, options: RunOptions = {}): Promise<Report> {
    return run(manifest, { stateDir: this.path, executor: functionExecutor(call), ...options });
  }

  file(name: string): string {
    return `${this.#folder.path}/${name}`;
  }

  [Symbol.dispose](): void {
    this.#folder[Symbol.dispose]();
  }
}

const three = manifestOfGraph(
  [{ id: "a", needs: [] }, { id: "b", needs: ["a"] }, { id: "c", needs: ["b"] }],
  { workers: 1 },
);

function untilAborted({ signal }: Execution): Promise<void> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
}

function names(folder: string): string[] {
  return Array.from(Deno.readDirSync(folder), ({ name }) => name).sort();
}

function eventsOf(report: Report): RunEvent[] {
  const text = Deno.readTextFileSync(`${report.folder}/events.jsonl`);
  assert(text.endsWith("\n"));
  return text.trimEnd().split("\n").map((line) => JSON.parse(line));
}

function modeOf(path: string): number {
  return (Deno.lstatSync(path).mode ?? 0) & 0o777;
}

Deno.test("run() keeps the manifest, the report, leases and outputs in a folder of its own", async () => {
  using state = new State();
  const manifest = manifestOf({
    name: "layout",
    blocks: {
      twice: { argv: ["x"], passes: 2, retry: { maxAttempts: 3, backoffMs: 0 } },
    },
    tasks: [{ id: "Ab", block: "twice", stdin: "in" }, { id: "ab", block: "twice" }],
  });
  const leases: Lease[] = [];
  const executor: Executor = {
    async execute({ lease, input, output }) {
      leases.push(lease);
      output.write(`${await input.text()}>${lease.taskId}${lease.pass}.${lease.attempt}`);
      const again = lease.taskId === "Ab" && lease.pass === 2 && lease.attempt < 3;
      return again ? { kind: "exited", code: 1 } : { kind: "succeeded" };
    },
  };
  const report = await run(manifest, { stateDir: state.path, executor });
  assertEquals(report.status, "succeeded");
  assertMatch(report.runId, RUN_ID);
  const { folder } = report;
  assertEquals(folder, `${Deno.realPathSync(state.path)}/runs/${report.runId}`);
  assertEquals(names(`${folder}`), [
    "data",
    "events.jsonl",
    "leases",
    "manifest.json",
    "output",
    "report.json",
  ]);
  assertEquals(names(`${folder}/leases`), [
    "=ab.1.lease",
    "=ab.2.2.lease",
    "=ab.2.3.lease",
    "=ab.2.lease",
    "ab.1.lease",
    "ab.2.lease",
  ]);
  const kept = names(`${folder}/leases`).map((name): Lease =>
    JSON.parse(Deno.readTextFileSync(`${folder}/leases/${name}`))
  );
  const bySequence = (a: Lease, b: Lease) => a.sequence - b.sequence;
  assertEquals(kept.sort(bySequence), leases.sort(bySequence));
  assertEquals(leases.map(({ sequence }) => sequence), [1, 2, 3, 4, 5, 6]);
  assertEquals(report.tasks.map(({ output }) => output), ["output/=ab", "output/ab"]);
  const published = report.tasks.map(({ output }) => Deno.readTextFileSync(`${folder}/${output}`));
  assertEquals(published, ["in>Ab1.1>Ab2.3", ">ab1.1>ab2.1"]);
  assertEquals(report.tasks.map(({ outputBytes }) => outputBytes), [14, 12]);
  assertEquals(JSON.parse(Deno.readTextFileSync(`${folder}/report.json`)), report);
  assertEquals(JSON.parse(Deno.readTextFileSync(`${folder}/manifest.json`)).name, "layout");
});

Deno.test("run() makes folders for its user alone, and files too", async () => {
  using state = new State();
  const { folder } = await state.run(three, () => "out");
  const walk = (path: string): void => {
    for (const { name, isDirectory } of Deno.readDirSync(path)) {
      const mode = modeOf(`${path}/${name}`);
      assertEquals(mode, isDirectory ? 0o700 : 0o600, `${path}/${name}`);
      if (isDirectory) walk(`${path}/${name}`);
    }
  };
  assertEquals(modeOf(state.path), 0o700);
  walk(state.path);
  assert(folder !== null);
});

Deno.test("run() hands the output of a silent pass on as an empty input", async () => {
  using state = new State();
  const manifest = manifestOf({
    blocks: { twice: { argv: ["x"], passes: 2 }, once: { argv: ["x"] } },
    tasks: [
      { id: "a", block: "twice", stdin: "unread" },
      { id: "b", block: "once", needs: ["a"], stdinFrom: "a" },
    ],
  });
  const read: string[] = [];
  const report = await state.run(manifest, async ({ input }) => void read.push(await input.text()));
  assertEquals(report.tasks.map(({ status, message }) => [status, message]), [
    ["succeeded", null],
    ["succeeded", null],
  ]);
  assertEquals(read, ["unread", "", ""]);
  assertEquals(report.tasks.map(({ outputBytes }) => outputBytes), [0, 0]);
});

Deno.test("run() publishes nothing of a task that failed (G5)", async () => {
  using state = new State();
  const report = await state.run(three, ({ task, output }) => {
    output.write("half");
    if (task.id === "b") throw new Error("As asked");
  });
  assertEquals(report.tasks.map(({ status }) => status), ["succeeded", "failed", "skipped"]);
  assertEquals(names(`${report.folder}/output`), ["a"]);
  assertEquals(report.tasks.map(({ output }) => output), ["output/a", null, null]);
});

Deno.test("run() reads a `stdinFile` as it was when the run began", async () => {
  using state = new State();
  const file = state.file("in.txt");
  Deno.writeTextFileSync(file, "before");
  const manifest = manifestOf({
    workers: 1,
    blocks: { work: { argv: ["x"] } },
    tasks: [
      { id: "first", block: "work" },
      { id: "reads", block: "work", needs: ["first"], stdinFile: file },
    ],
  });
  let read = "";
  const report = await state.run(manifest, async ({ task, input }) => {
    if (task.id === "reads") read = await input.text();
    else Deno.writeTextFileSync(file, "after");
  });
  assertEquals([report.status, read], ["succeeded", "before"]);
});

Deno.test("run() refuses a missing `stdinFile` before anything is made", async () => {
  using state = new State();
  Deno.mkdirSync(state.file("folder"));
  for (const missing of ["nowhere.txt", "folder"]) {
    const manifest = manifestOf({
      blocks: { work: { argv: ["x"] } },
      tasks: [{ id: "a", block: "work", stdinFile: state.file(missing) }],
    });
    let calls = 0;
    const error = await assertRejects(() => state.run(manifest, () => void calls++), SkeinError);
    assertEquals([error.code, error.where], ["input-missing", state.file(missing)]);
    assertStringIncludes(error.message, `task "a"`);
    assertEquals([calls, names(state.file("."))], [0, ["folder"]]);
  }
});

Deno.test("run() starts nothing while anything is at STOP (G1)", async () => {
  const latches: Record<string, (path: string) => void> = {
    record: () => {},
    empty: (path) => Deno.writeTextFileSync(path, ""),
    malformed: (path) => Deno.writeTextFileSync(path, "{"),
    folder: (path) => Deno.mkdirSync(path),
    "dangling link": (path) => Deno.symlinkSync("nowhere", path),
  };
  for (const [what, latch] of Object.entries(latches)) {
    using state = new State();
    await state.run(three, () => {});
    if (what === "record") await requestStop(state.path, { reason: "test" });
    else latch(`${state.path}/STOP`);
    let calls = 0;
    const error = await assertRejects(() => state.run(three, () => void calls++), StoppedError);
    assertEquals([error.code, calls, listRuns(state.path).length], ["stopped", 0, 1], what);
  }
});

Deno.test("run() accepts no result after a stop, and nothing starts after it (G1, G3)", async () => {
  using state = new State();
  const started: string[] = [];
  const report = await state.run(three, async ({ task, leaseHolds }) => {
    started.push(task.id);
    if (task.id === "b") {
      assert(leaseHolds());
      const answer = await requestStop(state.path, { reason: "in the middle" });
      assertEquals([answer.stopped, answer.proven, answer.epoch], [true, false, 2]);
      assert(!leaseHolds());
    }
    return "a result";
  });
  assertEquals([report.status, report.reason, report.epoch], ["stopped", "RUN_STOPPED", 1]);
  assertEquals(started, ["a", "b"]);
  assertEquals(report.tasks.map(({ status }) => status), ["succeeded", "stopped", "stopped"]);
  assertEquals(report.tasks.map(({ output }) => output), ["output/a", null, null]);
  assertEquals(names(`${report.folder}/output`), ["a"]);
  const kinds = (id: string) =>
    eventsOf(report).filter(({ taskId }) => taskId === id).map(({ kind }) => kind);
  assert(kinds("a").includes("output-published"));
  // Refused before its rename, not withdrawn after it: the latch was there first.
  assert(kinds("b").includes("lease-refused") && !kinds("b").includes("output-withdrawn"));
});

Deno.test("run() ends functions that wait for their signal when a stop is noticed, with its cause", async () => {
  using state = new State();
  const reasons: unknown[] = [];
  const manifest = manifestOfGraph([{ id: "a", needs: [] }, { id: "b", needs: [] }], {
    workers: 2,
  });
  const report = await state.run(manifest, async (execution) => {
    if (execution.task.id === "b") await requestStop(state.path);
    await untilAborted(execution);
    reasons.push(execution.signal.reason);
  });
  assertEquals(report.status, "stopped");
  assertEquals(report.counts.stopped, 2);
  assertEquals(reasons, Array(2).fill({ cause: "stop", graceMs: 0 }));
  assertEquals(eventsOf(report).filter(({ kind }) => kind === "stop-noticed").length, 1);
});

Deno.test("run() leaves a function alone that goes on after a stop, and publishes none of it (G3)", async () => {
  using state = new State();
  let refused: unknown = null;
  let goOn = () => {};
  const report = await state.run(three, async ({ output }) => {
    await requestStop(state.path);
    await new Promise<void>((resolve) => goOn = resolve);
    try {
      output.write("late");
    } catch (error) {
      refused = error;
    }
  });
  const files = () => [names(`${report.folder}/output`), names(`${report.folder}/data`)];
  assertEquals([report.status, files()], ["stopped", [[], []]]);
  goOn();
  await eventually("the function has ended", () => refused !== null);
  assertStringIncludes(String(refused), "an attempt that has ended");
  assertEquals(files(), [[], []]);
});

Deno.test("run() accepts no result once EPOCH has moved, without a STOP (G3)", async () => {
  using state = new State();
  const report = await state.run(three, ({ task }) => {
    if (task.id === "b") Deno.writeTextFileSync(`${state.path}/EPOCH`, "2\n");
    return "out";
  });
  assertEquals(report.tasks.map(({ status }) => status), ["succeeded", "stopped", "stopped"]);
  assertEquals(names(`${report.folder}/output`), ["a"]);
});

Deno.test("run() accepts no result once EPOCH is corrupt (G2, G3)", async () => {
  using state = new State();
  const report = await state.run(three, ({ task }) => {
    if (task.id === "b") Deno.writeTextFileSync(`${state.path}/EPOCH`, "");
    return "out";
  });
  assertEquals(report.counts.succeeded, 1);
  const error = await assertRejects(() => state.run(three, () => {}), SkeinError);
  assertEquals(error.code, "state-corrupt");
});

Deno.test("stop and reset together raise the epoch by one, and the next run carries it (G2)", async () => {
  using state = new State();
  for (let epoch = 1; epoch <= 3; epoch++) {
    const report = await state.run(three, () => "out");
    assertEquals([report.epoch, report.status], [epoch, "succeeded"]);
    const leases = names(`${report.folder}/leases`).map((name) =>
      JSON.parse(Deno.readTextFileSync(`${report.folder}/leases/${name}`)).epoch
    );
    assertEquals(leases, [epoch, epoch, epoch]);
    await requestStop(state.path);
    await requestStop(state.path);
    await assertRejects(() => state.run(three, () => {}), StoppedError);
    const { result } = await resetStop(state.path);
    assertEquals(result, { kind: "reset", epoch: epoch + 1 });
    assertEquals(currentEpoch(state.path), epoch + 1);
  }
});

Deno.test("resetStop() is refused while a run holds the state directory, and names it", async () => {
  using state = new State();
  await state.run(three, async ({ task, run: { runId } }) => {
    if (task.id !== "a") return;
    await requestStop(state.path);
    const { result, inTheWay } = await resetStop(state.path);
    assertEquals(result, { kind: "busy", what: "holders" });
    assertStringIncludes(inTheWay.join(), runId);
  });
});

Deno.test("run() writes one event a line: dense numbers, known kinds, one end a task", async () => {
  using state = new State();
  const manifest = manifestOf({
    blocks: { work: { argv: ["x"], passes: 2, retry: { maxAttempts: 2, backoffMs: 0 } } },
    tasks: [
      { id: "ok", block: "work" },
      { id: "bad", block: "work" },
      { id: "skipped", block: "work", needs: ["bad"] },
    ],
  });
  const executor = {
    execute: ({ task }: Execution) =>
      Promise.resolve(
        task.id === "ok" ? { kind: "succeeded" } as const : { kind: "exited", code: 9 } as const,
      ),
  };
  const report = await run(manifest, { stateDir: state.path, executor });
  const events = eventsOf(report);
  assertEquals(events.map(({ seq }) => seq), events.map((_, index) => index + 1));
  for (const event of events) {
    assert(EVENT_KINDS.includes(event.kind), event.kind);
    assertEquals([event.runId, event.epoch], [report.runId, 1]);
    assertEquals(new Date(event.at).toISOString(), event.at);
    assertEquals(Object.keys(event), [
      "seq",
      "at",
      "kind",
      "runId",
      "taskId",
      "pass",
      "attempt",
      "epoch",
      "status",
      "message",
    ]);
  }
  const of = (kind: string) => events.filter((event) => event.kind === kind);
  assertEquals([events.at(0)?.kind, events.at(-1)?.kind], ["run-started", "run-finished"]);
  assertEquals(of("task-finished").map(({ taskId }) => taskId).sort(), ["bad", "ok", "skipped"]);
  assertEquals([of("pass-started").length, of("pass-finished").length], [4, 4]);
  assertEquals(of("pass-retrying").length, 1);
  assertEquals(of("output-published").map(({ taskId, pass }) => `${taskId}.${pass}`), ["ok.2"]);
  assertEquals(of("run-finished")[0]?.status, report.status);
  assertEquals(report.tasks[1]?.exitCode, 9);
});

Deno.test("run() without events writes none, and with `sync` all the same ones", async () => {
  using state = new State();
  const none = await state.run(three, () => {}, { events: false });
  assert(!names(`${none.folder}`).includes("events.jsonl"));
  assertEquals(none.eventsError, null);
  const plain = await state.run(three, () => {});
  const synced = await state.run(three, () => {}, { sync: true });
  const kinds = (report: Report) => eventsOf(report).map(({ kind }) => kind);
  assertEquals(kinds(synced), kinds(plain));
});

Deno.test("run() with `sync` writes each event through while the run goes on", async () => {
  using state = new State();
  const seen: number[] = [];
  await state.run(three, ({ run: { runId } }) => {
    const text = Deno.readTextFileSync(`${state.path}/runs/${runId}/events.jsonl`);
    seen.push(text.trimEnd().split("\n").length);
  }, { sync: true });
  // run-started and pass-started; then pass-finished, output-published, task-finished, pass-started for each.
  assertEquals(seen, [2, 6, 10]);
});

Deno.test("runs at the same time have folders of their own", async () => {
  using state = new State();
  const reports = await Promise.all([1, 2, 3].map((n) => state.run(three, () => `${n}`)));
  assertEquals(new Set(reports.map(({ folder }) => folder)).size, 3);
  assertEquals(reports.map(({ counts }) => counts.succeeded), [3, 3, 3]);
  assertNotEquals(reports[0]?.runId, reports[1]?.runId);
  assertEquals(names(`${state.path}/holders`), []);
});

const mountable = canMount();

Deno.test({
  name: "run() reports the first error of the event log and goes on (full disk)",
  ignore: !mountable,
  async fn() {
    using disk = new SmallDisk();
    const manifest = manifestOf({
      blocks: { work: { argv: ["x"], retry: { maxAttempts: 2, backoffMs: 0 } } },
      tasks: [{ id: "a", block: "work" }],
    });
    const executor = {
      execute({ lease }: Execution) {
        if (lease.attempt > 1) return Promise.resolve({ kind: "succeeded" } as const);
        disk.fill();
        // Longer than what is left of the log's last page.
        return Promise.resolve({ kind: "signalled", signal: "X".repeat(9000) } as const);
      },
    };
    // There is room again before the next attempt.
    const clock = { ...systemClock, sleep: () => Promise.resolve(disk.free()) };
    const options = { stateDir: `${disk.path}/state`, executor, clock, sync: true };
    const report = await run(manifest, options);
    assertEquals(report.status, "succeeded");
    assertStringIncludes(`${report.eventsError}`, "No space left");
    const text = Deno.readTextFileSync(`${report.folder}/events.jsonl`);
    assert(!text.includes("run-finished"), "nothing is written after the first error");
  },
});

Deno.test({
  name:
    "run() ends with the path and the reason on a full disk, and works again when there is room",
  ignore: !mountable,
  async fn() {
    using disk = new SmallDisk();
    const stateDir = `${disk.path}/state`;
    const call = functionExecutor(({ task }) => {
      if (task.id === "a") disk.fill();
    });
    const error = await assertRejects(() => run(three, { stateDir, executor: call }), SkeinError);
    assertEquals(error.code, "state-unusable");
    assertStringIncludes(error.message, stateDir);
    assertStringIncludes(error.message, "No space left");
    const stopped = await requestStop(stateDir);
    assert(stopped.stopped);
    disk.free();
    await assertRejects(() => run(three, { stateDir, executor: call }), StoppedError);
    assertEquals((await resetStop(stateDir)).result, { kind: "reset", epoch: 2 });
    const executor = functionExecutor(() => "out");
    assertEquals((await run(three, { stateDir, executor })).status, "succeeded");
  },
});

/** A file system of 512 KiB. */
class SmallDisk implements Disposable {
  readonly path = Deno.makeTempDirSync({ prefix: "skein-test-" });

  constructor() {
    const { success } = mount("-t", "tmpfs", "-o", "size=512k", "tmpfs", this.path);
    assert(success, "mount");
  }

  fill(): void {
    const chunk = new Uint8Array(4096);
    try {
      for (;;) Deno.writeFileSync(`${this.path}/filler`, chunk, { append: true });
    } catch (error) {
      assertStringIncludes(String(error), "No space left");
    }
  }

  free(): void {
    Deno.removeSync(`${this.path}/filler`);
  }

  [Symbol.dispose](): void {
    new Deno.Command("umount", { args: ["-l", this.path] }).outputSync();
    Deno.removeSync(this.path);
  }
}

function mount(...args: string[]): Deno.CommandOutput {
  return new Deno.Command("mount", { args }).outputSync();
}

/** Whether this user may mount a file system: the tests of a full disk need it. */
function canMount(): boolean {
  if (Deno.build.os !== "linux" || Deno.uid() !== 0) return false;
  const path = Deno.makeTempDirSync({ prefix: "skein-test-" });
  try {
    const { success } = mount("-t", "tmpfs", "-o", "size=64k", "tmpfs", path);
    if (success) new Deno.Command("umount", { args: [path] }).outputSync();
    return success;
  } catch {
    return false;
  } finally {
    Deno.removeSync(path);
  }
}

Deno.test("run() fails a task whose output file was removed or changed, and publishes nothing of it (G5)", async () => {
  for (const harm of ["rm -f", "truncate -s 1"]) {
    using folder = temporaryFolder();
    const script =
      `echo precious; sleep 0.2; ${harm} "$SKEIN_STATE_DIR"/runs/"$SKEIN_RUN_ID"/data/a.1.stdout`;
    const manifest = manifestOf({
      blocks: { work: { argv: ["sh", "-c", script] } },
      tasks: [{ id: "a", block: "work" }],
    });
    const report = await run(manifest, { stateDir: `${folder.path}/state` });
    assertEquals([report.status, report.tasks[0]?.output], ["failed", null]);
    assertStringIncludes(`${report.tasks[0]?.message}`, "not what it wrote");
    assertEquals(names(`${report.folder}/output`), []);
  }
});

Deno.test("run() refuses a `stdinFile` that is a pipe without waiting for it", async () => {
  using folder = temporaryFolder();
  const pipe = `${folder.path}/pipe`;
  await new Deno.Command("mkfifo", { args: [pipe] }).output();
  const manifest = manifestOf({
    blocks: { work: { argv: ["cat"] } },
    tasks: [{ id: "a", block: "work", stdinFile: pipe }],
  });
  const running = run(manifest, { stateDir: `${folder.path}/state` });
  const error = await assertRejects(() => running, SkeinError);
  assertEquals(error.code, "input-missing");
});
