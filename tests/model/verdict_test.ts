import { assert, assertEquals, assertFalse } from "@std/assert";
import type { RunCause, RunStatus, TaskCounts, TaskGroup } from "../../src/model/mod.ts";
import { verdictAgrees, verdictOfRun, verdictOfTasks } from "../../src/model/machines.ts";
import { isReasonCode } from "../../src/reason/mod.ts";

function group(state: TaskGroup["state"], reason: string | null = null, count = 1): TaskGroup {
  return { state, reason, count };
}

const DONE = group("succeeded", null, 3);
const FAILED = group("failed", "TASK_FAILED_EXIT");
const SKIPPED = group("skipped", "TASK_SKIPPED_NEED_FAILED", 2);
const STOPPED = group("stopped", "TASK_STOPPED");
const OPERATOR = group("cancelled", "TASK_CANCELLED_OPERATOR");
const SIGNAL = group("cancelled", "TASK_CANCELLED");
const LATE = group("cancelled", "TASK_CANCELLED_RUN_TIMEOUT");
const BROKEN = group("cancelled", "TASK_CANCELLED_RUN_FAILED");
const POISON = group("cancelled", "TASK_CANCELLED_RUN_POISON");
const FAST = group("cancelled", "TASK_CANCELLED_FAIL_FAST");

const VERDICTS: readonly (readonly [string, readonly TaskGroup[], string])[] = [
  ["every task succeeded", [DONE], "succeeded"],
  ["a task failed", [DONE, FAILED, SKIPPED], "failed RUN_FAILED_TASKS"],
  ["a task failed and no other was admitted", [FAILED, FAST], "failed RUN_FAILED_TASKS"],
  ["an operator cancelled it", [DONE, FAILED, OPERATOR], "cancelled RUN_CANCELLED_OPERATOR"],
  ["a signal cancelled it", [DONE, SIGNAL], "cancelled RUN_CANCELLED"],
  ["its time was over", [DONE, FAILED, LATE], "failed RUN_FAILED_TIMEOUT"],
  ["its orchestrator failed", [DONE, BROKEN, LATE], "failed RUN_FAILED_ENVIRONMENT"],
  ["it was quarantined", [FAILED, SKIPPED, POISON], "failed RUN_FAILED_POISON"],
  ["it was stopped", [OPERATOR, LATE, POISON, STOPPED, FAILED], "stopped RUN_STOPPED"],
  ["the operator came after the time", [LATE, OPERATOR], "cancelled RUN_CANCELLED_OPERATOR"],
];

for (const [what, groups, wanted] of VERDICTS) {
  Deno.test(`verdictOfTasks() is ${wanted} where ${what}, in any order of the tasks`, () => {
    for (const tasks of [groups, groups.toReversed()]) {
      const verdict = verdictOfTasks(tasks);
      assertEquals(verdict && [verdict.status, verdict.reason ?? []].flat().join(" "), wanted);
      assert(verdict !== null && (verdict.reason === null || isReasonCode(verdict.reason)));
      assert(verdictAgrees(verdict, tasks));
    }
  });
}

Deno.test("verdictOfTasks() has none while a task is open, and none for a run without tasks", () => {
  for (const open of [group("pending"), group("running")]) {
    assertEquals(verdictOfTasks([DONE, open]), null);
    assertFalse(verdictAgrees({ status: "succeeded", reason: null }, [DONE, open]));
    // Groups that nobody is in count for nothing.
    assertEquals(verdictOfTasks([DONE, { ...open, count: 0 }])?.status, "succeeded");
  }
  assertEquals(verdictOfTasks([]), null);
  assertEquals(verdictOfTasks([{ ...DONE, count: 0 }]), null);
});

Deno.test("verdictOfTasks() never counts as success what it does not know", () => {
  const unknown = group("cancelled", "TASK_CANCELLED_LATER");
  assertEquals(verdictOfTasks([DONE, unknown])?.status, "failed");
});

Deno.test("verdictOfRun() is failed and never succeeded where the orchestrator failed, whatever succeeded", () => {
  const none = { failed: 0, skipped: 0, stopped: 0, cancelled: 0 };
  const whole: TaskCounts = { ...none, total: 2, succeeded: 2 };
  const causes: readonly (RunCause | null)[] = ["stop", "cancel", "operator", "run-timeout", null];
  // What came after the last result has changed nothing.
  for (const cause of causes) assertEquals(verdictOfRun(whole, cause).status, "succeeded");
  assertEquals(verdictOfRun(whole, "run-failed").reason, "RUN_FAILED_ENVIRONMENT");
});

const OUTSIDE: readonly (readonly [RunStatus, string])[] = [
  ["stopped", "RUN_STOPPED"],
  ["stopped", "RUN_STOPPED_QUEUED"],
  ["cancelled", "RUN_CANCELLED_OPERATOR"],
  ["failed", "RUN_FAILED_POISON"],
];

Deno.test("verdictAgrees() takes what a stop, an operator or the quarantine gave the run as a whole, and only that", () => {
  for (const [status, reason] of OUTSIDE) {
    assert(verdictAgrees({ status, reason }, [DONE]), reason);
    assert(verdictAgrees({ status, reason }, [DONE, FAILED]), reason);
    assertFalse(verdictAgrees({ status, reason }, [DONE, group("pending")]), reason);
    assertFalse(verdictAgrees({ status: "succeeded", reason }, [DONE]), reason);
    assertFalse(verdictAgrees({ status, reason: null }, [FAILED]), reason);
  }
  const wrong: readonly (readonly [RunStatus, string | null, readonly TaskGroup[]])[] = [
    ["succeeded", null, [DONE, FAILED]],
    ["failed", "RUN_FAILED_TASKS", [DONE]],
    ["failed", "RUN_FAILED_TIMEOUT", [DONE, FAILED]],
    ["failed", null, [DONE, FAILED]],
    ["failed", "toString", [DONE, FAILED]],
  ];
  for (const [status, reason, groups] of wrong) {
    assertFalse(verdictAgrees({ status, reason }, groups), `${status} ${reason}`);
  }
});
