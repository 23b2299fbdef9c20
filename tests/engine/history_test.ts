import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { findRun, listRuns, listStreams, readRunManifest } from "../../src/engine/mod.ts";
import { Holder } from "../../src/fence/mod.ts";
import { fileNameOf, type Report, SkeinError } from "../../src/model/mod.ts";
import { platform } from "../../src/proc/mod.ts";
import { temporaryFolder } from "../support/cli.ts";
import { manifestOfGraph } from "./graphs.ts";

const OLD = "20250101t000000000z-aaaaaaaa";
const MIDDLE = "20250102t000000000z-aaaaaaaa";
const NEW = "20250102t000000001z-bbbbbbbb";

const MANIFEST = manifestOfGraph([{ id: "a", needs: [] }]);
const REPORT: Report = {
  version: 1,
  runId: OLD,
  name: "test",
  status: "succeeded",
  reason: null,
  epoch: 1,
  folder: null,
  workers: 1,
  startedAt: "2025-01-01T00:00:00.000Z",
  finishedAt: "2025-01-01T00:00:01.000Z",
  durationMs: 1000,
  counts: { total: 1, succeeded: 1, failed: 0, skipped: 0, stopped: 0, cancelled: 0 },
  eventsError: null,
  tasks: [{
    id: "a",
    status: "succeeded",
    reason: null,
    message: null,
    passes: 1,
    attempts: 1,
    exitCode: 0,
    signal: null,
    leftovers: 0,
    durationMs: 1000,
    output: null,
    outputBytes: null,
  }],
};

/** A state directory with run folders as they are left behind. */
class State implements Disposable {
  readonly #folder = temporaryFolder();
  readonly path = this.#folder.path;

  write(path: string, text = ""): void {
    const whole = `${this.path}/${path}`;
    Deno.mkdirSync(whole.slice(0, whole.lastIndexOf("/")), { recursive: true });
    Deno.writeTextFileSync(whole, text);
  }

  [Symbol.dispose](): void {
    this.#folder[Symbol.dispose]();
  }
}

function threeRuns(): State {
  const state = new State();
  state.write(`runs/${OLD}/report.json`, JSON.stringify(REPORT));
  state.write(`runs/${MIDDLE}/manifest.json`, JSON.stringify(MANIFEST));
  state.write(`runs/${NEW}/report.json`, "{");
  state.write("runs/.tmp/report.json");
  state.write("runs/notes.txt");
  return state;
}

Deno.test("listRuns() lists the newest first, passes over strays, and says what is wrong", () => {
  using state = threeRuns();
  const runs = listRuns(state.path);
  assertEquals(runs.map(({ runId, status }) => `${runId} ${status}`), [
    `${NEW} unreadable`,
    `${MIDDLE} interrupted`,
    `${OLD} succeeded`,
  ]);
  assertStringIncludes(`${runs[0]?.problem}`, "report.json");
  assertEquals(runs[2]?.folder, `${state.path}/runs/${OLD}`);
});

Deno.test("listRuns() says of a report of a wrong shape where it is wrong, and takes it for none", () => {
  using state = threeRuns();
  const { status: _status, ...withoutStatus } = REPORT;
  const [task] = REPORT.tasks;
  for (
    const [damage, place] of [
      [{}, "a text at $.runId"],
      [[], "a text at $.runId"],
      [5, "an object at $"],
      [null, "an object at $"],
      [withoutStatus, "one of succeeded, failed, stopped, cancelled at $.status"],
      [{ ...REPORT, status: "running" }, "at $.status"],
      [{ ...REPORT, status: "toString" }, "at $.status"],
      [{ ...REPORT, counts: { ...REPORT.counts, total: "1" } }, "a number at $.counts.total"],
      [{ ...REPORT, tasks: null }, "a list at $.tasks"],
      [{ ...REPORT, tasks: [task, { ...task, passes: null }] }, "a number at $.tasks[1].passes"],
    ] as const
  ) {
    state.write(`runs/${OLD}/report.json`, JSON.stringify(damage));
    const { status, report, problem } = findRun(state.path, OLD);
    assertEquals([status, report], ["unreadable", null]);
    assertStringIncludes(`${problem}`, "report.json: Expected ");
    assertStringIncludes(`${problem}`, place);
  }
  assertEquals(listRuns(state.path).length, 3);
});

Deno.test("listRuns() calls a run without a report running as long as its holder lives", () => {
  using state = threeRuns();
  Deno.mkdirSync(`${state.path}/holders`);
  const record = { process: platform.self(), runId: MIDDLE, epoch: 1 };
  const holder = Holder.create(state.path, "h", record);
  assertEquals(findRun(state.path, MIDDLE).status, "running");
  holder.close();
  assertEquals(findRun(state.path, MIDDLE).status, "interrupted");
});

Deno.test("listRuns() of a folder without runs, or without a folder, is empty", () => {
  using state = new State();
  assertEquals(listRuns(state.path), []);
  assertEquals(listRuns(`${state.path}/nowhere`), []);
});

Deno.test("findRun() takes an id, an unambiguous beginning, or `latest`", () => {
  using state = threeRuns();
  assertEquals(findRun(state.path, OLD).runId, OLD);
  assertEquals(findRun(state.path, "20250101").runId, OLD);
  assertEquals(findRun(state.path, "20250102t000000001").runId, NEW);
  assertEquals(findRun(state.path, "latest").runId, NEW);
});

Deno.test("findRun() refuses what is not there, what is ambiguous, and what is no id", () => {
  using state = threeRuns();
  for (const name of ["2026", "20250102", "", "..", ".tmp", "notes.txt", `${OLD}/..`]) {
    const error = assertThrows(() => findRun(state.path, name), SkeinError);
    assertEquals(error.code, "run-missing", name);
  }
  assertThrows(() => findRun(state.path, "20250102"), SkeinError, "is ambiguous");
  assertThrows(() => findRun(`${state.path}/nowhere`, "latest"), SkeinError, "is not in");
});

Deno.test("readRunManifest() refuses a manifest that is damaged or gone", () => {
  using state = threeRuns();
  const run = findRun(state.path, MIDDLE);
  assertEquals(readRunManifest(run), MANIFEST);
  assertThrows(() => readRunManifest(findRun(state.path, OLD)), SkeinError, "manifest.json");
  for (
    const [damage, place] of [
      [{}, "$.name"],
      [[], "$.name"],
      [null, "an object at $"],
      [{ ...MANIFEST, tasks: {} }, "a list at $.tasks"],
      [{ ...MANIFEST, tasks: [{ id: "a", block: "a", needs: [1] }] }, "$.tasks[0].needs[0]"],
    ] as const
  ) {
    state.write(`runs/${MIDDLE}/manifest.json`, JSON.stringify(damage));
    const error = assertThrows(() => readRunManifest(run), SkeinError, place);
    assertEquals(error.code, "state-corrupt");
  }
});

Deno.test("listStreams() finds what every task has written, by pass and attempt", () => {
  using state = new State();
  const ids = ["b", "B", "a.1", "con", "silent"];
  const manifest = manifestOfGraph(ids.map((id) => ({ id, needs: [] })));
  const [b, upper, dotted, device] = ids.map(fileNameOf);
  const run = `runs/${OLD}`;
  for (
    const name of [
      `${b}.1.stdout`,
      `${b}.1.stderr`,
      `${b}.2.2.stdout`,
      `${b}.2.stderr`,
      `${b}.2.stdout`,
      `${b}.10.stderr`,
      `${upper}.1.stdout`,
      `${device}.1.stderr`,
      `${dotted}.1.stdin`,
      "unknown.1.stdout",
      ".stray",
    ]
  ) state.write(`${run}/data/${name}`);
  for (const name of [`${dotted}.1.lease`, `${b}.1.lease`, `${dotted}.3.lease`]) {
    state.write(`${run}/leases/${name}`);
  }
  for (const name of [`${dotted}.3.2.lease`, `${dotted}.2.9.lease`]) {
    state.write(`${run}/leases/${name}`);
  }
  state.write(`${run}/output/${dotted}`);
  state.write(`${run}/output/unknown`);
  const streams = listStreams(findRun(state.path, OLD), manifest);
  const lines = streams.map(({ taskId, pass, attempt, stream, path }) =>
    `${taskId} ${pass}.${attempt} ${stream} ${path.slice(state.path.length + run.length + 2)}`
  );
  assertEquals(lines, [
    `b 1.1 stderr data/${b}.1.stderr`,
    `b 1.1 stdout data/${b}.1.stdout`,
    `b 2.1 stderr data/${b}.2.stderr`,
    `b 2.1 stdout data/${b}.2.stdout`,
    `b 2.2 stdout data/${b}.2.2.stdout`,
    `b 10.1 stderr data/${b}.10.stderr`,
    `B 1.1 stdout data/${upper}.1.stdout`,
    `a.1 3.2 stdout output/${dotted}`,
    `con 1.1 stderr data/${device}.1.stderr`,
  ]);
});
