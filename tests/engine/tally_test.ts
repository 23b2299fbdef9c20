import { assert, assertEquals } from "@std/assert";
import {
  emptyRecord,
  noteOutcome,
  SKIPPED,
  SUCCEEDED,
  Tally,
  verdictOf,
  verdictOfEnding,
} from "../../src/engine/tally.ts";
import type { Outcome, TaskCounts, TaskStatus } from "../../src/model/mod.ts";
import { verdictOfRun } from "../../src/model/machines.ts";
import { isReasonCode } from "../../src/reason/mod.ts";
import { manifestOfGraph } from "./graphs.ts";

type Failing = Exclude<Outcome, { kind: "succeeded" | "aborted" }>;
type Cause = Parameters<typeof verdictOfEnding>[0];

const OUTCOMES: readonly (readonly [Failing, string, string])[] = [
  [{ kind: "exited", code: 3 }, "TASK_FAILED_EXIT", "Exit code 3"],
  [{ kind: "signalled", signal: "SIGSEGV" }, "TASK_FAILED_SIGNAL", "Signal SIGSEGV"],
  [{ kind: "timed-out" }, "TASK_FAILED_TIMEOUT", "Out of time"],
  [{ kind: "output-limit" }, "TASK_FAILED_OUTPUT_LIMIT", "Output beyond the limit"],
  [{ kind: "program-missing", message: "m" }, "TASK_FAILED_PROGRAM_MISSING", "m"],
  [{ kind: "program-not-executable", message: "m" }, "TASK_FAILED_PROGRAM_NOT_EXECUTABLE", "m"],
  [{ kind: "program-refused", message: "m" }, "TASK_FAILED_PROGRAM_REFUSED", "m"],
  [{ kind: "folder-missing", message: "m" }, "TASK_FAILED_FOLDER_MISSING", "m"],
  [{ kind: "failed", message: "m" }, "TASK_FAILED_ENVIRONMENT", "m"],
];

const ENDINGS: readonly (readonly [Cause, TaskStatus, string])[] = [
  ["stop", "stopped", "TASK_STOPPED"],
  ["cancel", "cancelled", "TASK_CANCELLED"],
  ["run-timeout", "cancelled", "TASK_CANCELLED_RUN_TIMEOUT"],
  ["run-failed", "cancelled", "TASK_CANCELLED_RUN_FAILED"],
];

for (const [outcome, reason, message] of OUTCOMES) {
  Deno.test(`verdictOf() fails a task for "${outcome.kind}" with a reason of its own`, () => {
    assertEquals({ ...verdictOf(outcome) }, { status: "failed", reason, message } as ReturnType<
      typeof verdictOf
    >);
    assert(isReasonCode(reason));
  });
}

Deno.test("verdictOf() gives no reason twice (G12)", () => {
  assertEquals(new Set(OUTCOMES.map(([, reason]) => reason)).size, OUTCOMES.length);
});

for (const [cause, status, reason] of ENDINGS) {
  Deno.test(`verdictOfEnding() names why a task ended with the run: "${cause}"`, () => {
    const verdict = verdictOfEnding(cause);
    assertEquals([verdict.status, verdict.reason, verdict.message], [status, reason, null]);
    assert(isReasonCode(reason));
  });
}

function counts(some: Partial<TaskCounts>): TaskCounts {
  const none = { succeeded: 0, failed: 0, skipped: 0, stopped: 0, cancelled: 0 };
  const all = { ...none, ...some };
  const total = Object.values(all).reduce((sum, count) => sum + count, 0);
  return { ...all, total };
}

const ALL = counts({ succeeded: 2 });
const SOME_FAILED = counts({ succeeded: 1, failed: 1 });
const SOME_ENDED = counts({ failed: 1, stopped: 1, cancelled: 1 });

const RUNS: readonly (readonly [TaskCounts, Cause | null, string, string | null])[] = [
  [ALL, null, "succeeded", null],
  // What ended a run after its last result was accepted has changed nothing.
  [ALL, "stop", "succeeded", null],
  [ALL, "cancel", "succeeded", null],
  [ALL, "run-timeout", "succeeded", null],
  [ALL, "run-failed", "failed", "RUN_FAILED_ENVIRONMENT"],
  [SOME_FAILED, null, "failed", "RUN_FAILED_TASKS"],
  [SOME_FAILED, "stop", "stopped", "RUN_STOPPED"],
  [SOME_FAILED, "cancel", "cancelled", "RUN_CANCELLED"],
  [SOME_FAILED, "run-timeout", "failed", "RUN_FAILED_TIMEOUT"],
  [SOME_FAILED, "run-failed", "failed", "RUN_FAILED_ENVIRONMENT"],
  [SOME_ENDED, "stop", "stopped", "RUN_STOPPED"],
  [SOME_ENDED, null, "failed", "RUN_FAILED_TASKS"],
];

for (const [tasks, cause, status, reason] of RUNS) {
  const whole = tasks === ALL ? "all succeeded" : "not all succeeded";
  const ended = tasks === SOME_ENDED ? ", some ended" : "";
  Deno.test(`verdictOfRun() is ${status} for ${whole}${ended}, ended by ${cause ?? "nothing"}`, () => {
    const verdict = verdictOfRun(tasks, cause);
    assertEquals([`${verdict.status}`, verdict.reason as string | null], [status, reason]);
    assert(reason === null || isReasonCode(reason));
  });
}

Deno.test("Tally counts every task once and reports them in the manifest's order", () => {
  const tally = new Tally(manifestOfGraph(["a", "b", "c"].map((id) => ({ id, needs: [] }))));
  assertEquals(tally.counts, { ...counts({}), total: 3 });
  const late = { ...emptyRecord(), durationMs: 2.346, attempts: 2 };
  noteOutcome(late, { kind: "exited", code: 4 });
  tally.end(2, verdictOf({ kind: "exited", code: 4 }), late);
  const killed = emptyRecord();
  noteOutcome(killed, { kind: "signalled", signal: "SIGKILL" });
  tally.end(0, verdictOf({ kind: "signalled", signal: "SIGKILL" }), killed);
  tally.end(1, verdictOfEnding("stop"));
  assertEquals(tally.counts, { ...counts({ failed: 2, stopped: 1 }) });
  const [a, b, c] = tally.reports();
  assertEquals([a?.id, a?.signal, a?.exitCode, a?.durationMs], ["a", "SIGKILL", null, 0]);
  assertEquals([b?.id, b?.status, b?.attempts], ["b", "stopped", 0]);
  assertEquals([c?.id, c?.exitCode, c?.attempts, c?.durationMs], ["c", 4, 2, 2.346]);
});

Deno.test("Tally reports a task of which only the time is kept like one that is kept whole", () => {
  // As long as just fits where times are kept, longer, and what no clock says.
  const times = [0, 0.125, 3, 4_294_967.294, 4_294_967.295, 2 ** 40, -1];
  const ids = times.map((_, index) => `t${index}`);
  const brief = new Tally(manifestOfGraph(ids.map((id) => ({ id, needs: [] }))));
  const whole = new Tally(manifestOfGraph(ids.map((id) => ({ id, needs: [] }))));
  times.forEach((durationMs, task) => {
    brief.succeed(task, durationMs);
    const record = { ...emptyRecord(), passes: 1, attempts: 1, outputBytes: 0, durationMs };
    noteOutcome(record, { kind: "succeeded" });
    whole.end(task, SUCCEEDED, record);
  });
  assertEquals(brief.reports(), whole.reports());
  assertEquals(brief.counts, whole.counts);
  assertEquals(brief.reports().map(({ durationMs }) => durationMs), times);
});

Deno.test("Tally says of a task that nobody has ended, or that never started, that it did not run", () => {
  const tally = new Tally(manifestOfGraph(["a", "b"].map((id) => ({ id, needs: [] }))));
  tally.end(0, SKIPPED);
  const [skipped, unended] = tally.reports();
  assertEquals([skipped?.status, skipped?.attempts, skipped?.durationMs], ["skipped", 0, 0]);
  assertEquals([unended?.id, unended?.status, unended?.attempts], ["b", "cancelled", 0]);
});
