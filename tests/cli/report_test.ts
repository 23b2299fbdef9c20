import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Report, TaskReport } from "../../src/model/mod.ts";
import { formatBytes, formatDuration, progressLine } from "../../src/view/progress.ts";
import { columns, renderReport, taskTable } from "../../src/view/report.ts";

const ALL = true;
const FAILED_ONLY = false;

function task(id: string, more: Partial<TaskReport> = {}): TaskReport {
  return {
    id,
    status: "succeeded",
    reason: null,
    message: null,
    passes: 1,
    attempts: 1,
    exitCode: 0,
    signal: null,
    leftovers: 0,
    durationMs: 1234,
    output: `output/${id}`,
    outputBytes: 2048,
    ...more,
  };
}

function failed(id: string): TaskReport {
  const why = { reason: "TASK_FAILED_EXIT", message: "Exit code 2" };
  return task(id, { status: "failed", passes: 0, output: null, outputBytes: null, ...why });
}

function report(tasks: TaskReport[], more: Partial<Report> = {}): Report {
  const count = (status: string) => tasks.filter((each) => each.status === status).length;
  return {
    version: 1,
    runId: "the-run",
    name: "nightly",
    status: "failed",
    reason: "RUN_FAILED_TASKS",
    epoch: 3,
    folder: "/state/runs/the-run",
    workers: 4,
    startedAt: "2026-01-01T00:00:00.000Z",
    finishedAt: "2026-01-01T00:00:05.000Z",
    durationMs: 5000,
    counts: {
      total: tasks.length,
      succeeded: count("succeeded"),
      failed: count("failed"),
      skipped: count("skipped"),
      stopped: count("stopped"),
      cancelled: count("cancelled"),
    },
    eventsError: null,
    tasks,
    ...more,
  };
}

Deno.test("renderReport() says how the run ended, and names the tasks that failed", () => {
  const text = renderReport(report([task("fine"), failed("bad")]), FAILED_ONLY);
  assertEquals(text.split("\n"), [
    "nightly failed (at least one task failed) in 5.0 s",
    "  run     the-run, epoch 3",
    "  tasks   2: 1 succeeded, 1 failed",
    "  folder  /state/runs/the-run",
    "",
    "  bad  failed  0 passes  1 attempt  1.2 s    TASK_FAILED_EXIT: Exit code 2",
  ]);
});

Deno.test("renderReport() lists every task where that is wanted, and at most twenty failures else", () => {
  const tasks = Array.from({ length: 25 }, (_, index) => failed(`bad-${index}`));
  const few = renderReport(report(tasks), FAILED_ONLY);
  assertEquals(few.match(/bad-\d+/g)?.length, 20);
  assertStringIncludes(few, "  and 5 more that failed");
  const all = renderReport(report([task("fine"), ...tasks]), ALL);
  assertEquals(all.match(/bad-\d+/g)?.length, 25);
  assertStringIncludes(all, "  fine ");
  assert(!all.includes("more that failed"));
});

Deno.test("renderReport() leaves out what there is not", () => {
  const more = { name: "", status: "succeeded", reason: null, folder: null } as const;
  assertEquals(renderReport(report([task("fine")], more), FAILED_ONLY).split("\n"), [
    "Run succeeded in 5.0 s",
    "  run     the-run, epoch 3",
    "  tasks   1: 1 succeeded",
  ]);
});

Deno.test("renderReport() says that the events are incomplete, and shows a reason that it does not know", () => {
  const more = { eventsError: "disk full", reason: "RUN_OF_ANOTHER_VERSION" };
  const text = renderReport(report([task("fine")], more), FAILED_ONLY);
  assertStringIncludes(text, "  events  incomplete: disk full");
  assertStringIncludes(text, "nightly failed in 5.0 s");
});

Deno.test("taskTable() pads its columns", () => {
  const long = task("a-long-name", { passes: 2, attempts: 3, outputBytes: 5 });
  assertEquals(taskTable([task("x"), long]), [
    "  x            succeeded  1 pass    1 attempt   1.2 s  2.0 KiB",
    "  a-long-name  succeeded  2 passes  3 attempts  1.2 s  5 B",
  ]);
  assertEquals(columns([]), []);
});

Deno.test("progressLine() counts what is done, running and failed", () => {
  assertEquals(
    progressLine({ total: 9, done: 4, running: 2, failed: 1, elapsedMs: 61_000 }),
    "4/9 done, 2 running, 1 failed, 1 min 1 s",
  );
});

Deno.test("formatDuration() reads well at every size", () => {
  const cases: [number, string][] = [
    [0, "0 ms"],
    [340.4, "340 ms"],
    [999.4, "999 ms"],
    [999.6, "1.0 s"],
    [1000, "1.0 s"],
    [59_949, "59.9 s"],
    [59_950, "1 min 0 s"],
    [200_000, "3 min 20 s"],
    [3_599_400, "59 min 59 s"],
    [3_599_600, "1 h 0 min"],
    [7_500_000, "2 h 5 min"],
    [360_000_000, "100 h 0 min"],
  ];
  for (const [ms, text] of cases) assertEquals(formatDuration(ms), text);
});

Deno.test("formatBytes() reads well at every size", () => {
  const cases: [number, string][] = [
    [0, "0 B"],
    [1023, "1023 B"],
    [1024, "1.0 KiB"],
    [1_048_575, "1.0 MiB"],
    [1_048_576, "1.0 MiB"],
    [5_368_709_120, "5.0 GiB"],
    [2 ** 50, "1024.0 TiB"],
  ];
  for (const [bytes, text] of cases) assertEquals(formatBytes(bytes), text);
});
