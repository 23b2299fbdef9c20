import { assert, assertEquals, assertFalse, assertStringIncludes } from "@std/assert";
import { explainLocal, explainQueued, type QueueFacts } from "../../src/cli/explanation.ts";
import type { ExecutorStatus } from "../../src/cli/queue_status.ts";
import type { QueuedRun, Report } from "../../src/model/mod.ts";

const RUN: QueuedRun = {
  id: "20261129t174525123z-5k8h2m0q",
  key: null,
  name: "nightly",
  state: "queued",
  reason: null,
  message: null,
  priority: 0,
  epoch: 3,
  round: 1,
  token: 0,
  sequence: 0,
  owner: null,
  leaseExpiresAt: null,
  availableAt: 0,
  crashCount: 0,
  cancelRequestedAt: null,
  cancelRequestedBy: null,
  submittedAt: 1_000,
  queuedAt: 1_000,
  startedAt: null,
  finishedAt: null,
};

const WORKER: ExecutorStatus = {
  executor: "executor-1",
  alive: true,
  host: "here",
  pid: 42,
  epoch: 3,
  holds: 0,
  concurrency: 1,
  startedAt: null,
  seenAt: null,
  draining: false,
};

const FACTS: QueueFacts = {
  now: 10_000,
  stopped: false,
  epoch: 3,
  executors: [WORKER],
  running: 0,
  tasks: [],
};

/** What is said of a run, as one text. */
function said(run: Partial<QueuedRun>, facts: Partial<QueueFacts> = {}): string {
  const { why, next } = explainQueued({ ...RUN, ...run }, { ...FACTS, ...facts });
  return [...why, ...next].join("\n");
}

Deno.test("explainQueued() says what a run waits for: a reset, a time, a worker, a free one", () => {
  const waits: [string, Partial<QueuedRun>, Partial<QueueFacts>][] = [
    ["one of them takes it", {}, {}],
    ["none of them is free", {}, { executors: [{ ...WORKER, holds: 1 }], running: 1 }],
    ["no worker is running", {}, { executors: [] }],
    ["no worker is running", {}, { executors: [{ ...WORKER, alive: false }] }],
    ["every worker that is running drains", {}, { executors: [{ ...WORKER, draining: true }] }],
    ["`skein work` starts it", {}, { executors: [] }],
    ["It is due in 5.0 s", { availableAt: 15_000, reason: "RUN_DEFERRED_LOST" }, {}],
    ["nobody could verify", { availableAt: 15_000, reason: "RUN_DEFERRED_LOST" }, {}],
    ["a worker of its own", { crashCount: 2 }, {}],
    ["The swarm is stopped", {}, { stopped: true }],
    ["skein reset", { epoch: 2 }, { stopped: true }],
    ["a stop has raised that to 3", { epoch: 2 }, {}],
  ];
  for (const [part, run, facts] of waits) assertStringIncludes(said(run, facts), part);
});

Deno.test("explainQueued() says of a crashed run that only a new worker continues it, where none is alive", () => {
  const crashed = {
    availableAt: 10_008,
    startedAt: 5_000,
    crashCount: 1,
    reason: "RUN_DEFERRED_CRASHED",
  } as const;
  const { why, next } = explainQueued({ ...RUN, ...crashed }, { ...FACTS, executors: [] });
  assertEquals(why.at(-1), "It is due in 8 ms, but no worker is running.");
  assertEquals(next, ["`skein work` continues it"]);
  const running = { state: "running", owner: "executor-1", leaseExpiresAt: 12_000 } as const;
  const alone = said(running, { executors: [{ ...WORKER, alive: false }] });
  assertStringIncludes(alone, "`skein work` continues it");
  const other = { ...WORKER, executor: "executor-2" };
  assertStringIncludes(said(running, { executors: [other] }), "A worker takes it from there");
});

Deno.test("explainQueued() and explainLocal() advise a reset only while the swarm is stopped, and a retry only in the queue", () => {
  for (const reason of ["RUN_STOPPED", "RUN_STOPPED_QUEUED"] as const) {
    const run = { ...RUN, state: "stopped", reason } as const;
    const before = explainQueued(run, { ...FACTS, stopped: true }).next.join();
    assertStringIncludes(before, `skein reset\`, then \`skein retry ${RUN.id}`);
    const after = explainQueued(run, FACTS).next.join();
    assertStringIncludes(after, `skein retry ${RUN.id}`);
    assertFalse(after.includes("skein reset"));
  }
  const local = { runId: RUN.id, folder: "/x", status: "stopped", problem: null } as const;
  const stopped = { reason: "RUN_STOPPED", name: "n", counts: { total: 1 }, tasks: [] };
  const summary = { ...local, report: stopped as unknown as Report };
  const [inStop, afterReset] = [true, false].map((is) => explainLocal(summary, is).next.join());
  assertStringIncludes(inStop ?? "", "skein reset");
  assertEquals(afterReset, "The stop was reset: run it again");
  assertFalse(inStop?.includes("retry"));
});

Deno.test("explainQueued() says who holds a run, and how it is taken from whoever is gone or hangs", () => {
  const running = { state: "running", owner: "executor-1", leaseExpiresAt: 12_000 } as const;
  assertStringIncludes(said(running), "process 42 on here, holds it; the claim ends in 2.0 s");
  assertStringIncludes(said(running), "skein logs");
  const recover = `skein recover ${RUN.id}`;
  for (const executors of [[], [{ ...WORKER, alive: false }]]) {
    assertStringIncludes(said(running, { executors }), recover);
  }
  const expired = { ...running, leaseExpiresAt: 9_000 };
  assertStringIncludes(said(expired), "the claim ended 1.0 s ago");
  assertStringIncludes(said(expired), recover);
  assertStringIncludes(said({ ...running, cancelRequestedBy: "me@here" }), "requested by me@here");
  assertStringIncludes(said(running, { epoch: 4 }), "A stop has invalidated it");
});

Deno.test("explainQueued() reads the catalogue for a run that has ended, and tells the tasks that matter", () => {
  const task = {
    message: null,
    passes: 0,
    attempts: 1,
    exitCode: 1,
    signal: null,
    availableAt: null,
    durationMs: 5,
    output: null,
    outputBytes: null,
  };
  const tasks = [
    { ...task, id: "a", status: "succeeded", reason: null } as const,
    { ...task, id: "b", status: "failed", reason: "TASK_FAILED_EXIT" } as const,
  ];
  const failed = {
    ...RUN,
    state: "failed",
    reason: "RUN_FAILED_POISON",
    message: "Crash 5 of 5",
  } as const;
  const explained = explainQueued(failed, { ...FACTS, tasks });
  assertEquals(explained.tasks.map(({ id }) => id), ["b"]);
  assertStringIncludes(explained.why.join(), "verifiably died");
  assertStringIncludes(explained.why.join(), "Crash 5 of 5");
  assertStringIncludes(explained.next.join(), "skein retry");
  const unknown = said({ state: "failed", reason: "RUN_OF_ANOTHER_VERSION" });
  assertStringIncludes(unknown, "another version");
  assert(said({ state: "succeeded" }, { tasks }).startsWith("Every task has succeeded"));
});
