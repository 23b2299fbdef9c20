import {
  decide,
  type Decision,
  type Guard,
  liveHolder,
  notLatched,
  otherwise,
  refusal,
  type Rule,
  sameEpoch,
} from "./machine.ts";
import type {
  NoFacts,
  SettleFacts,
  TaskEffect,
  TaskFacts,
  TaskMove,
  TaskState,
} from "./task_moves.ts";

type TaskRule<Facts> = Rule<TaskState, TaskEffect, Facts>;
type TaskRow = { readonly [M in TaskMove]: TaskRule<TaskFacts[M]> | null };

const LOST = "TASK_FAILED_EXECUTOR_LOST";
const SKIPPED = "TASK_SKIPPED_NEED_FAILED";
const STOPPED = "TASK_STOPPED";

const settling: readonly Guard<SettleFacts>[] = [
  notLatched,
  sameEpoch,
  liveHolder,
  {
    kind: "fence",
    why: "stale",
    refuses: ({ active, settled }) =>
      active.pass !== settled.pass || active.attempt !== settled.attempt,
  },
];

const start: TaskRule<TaskFacts["start"]> = {
  guards: [
    notLatched,
    sameEpoch,
    liveHolder,
    { kind: "precondition", why: "cancelled", refuses: ({ cancelRequested }) => cancelRequested },
    { kind: "precondition", why: "needs", refuses: ({ needsMet }) => !needsMet },
    {
      kind: "precondition",
      why: "deferred",
      refuses: ({ availableAt, now }) => availableAt !== null && availableAt > now,
    },
  ],
  branches: [otherwise("running", null, () => [{ kind: "open-attempt" }])],
};

const succeed: TaskRule<TaskFacts["succeed"]> = {
  guards: settling,
  branches: [
    {
      when: "it has another pass",
      holds: ({ settled, passes }) => settled.pass < passes,
      to: "pending",
      reason: () => null,
      effects: () => [
        { kind: "close-attempt", as: "succeeded", reason: null },
        { kind: "next-pass" },
      ],
    },
    otherwise("succeeded", null, () => [
      { kind: "close-attempt", as: "succeeded", reason: null },
      { kind: "end", reason: null },
    ]),
  ],
};

const fail: TaskRule<TaskFacts["fail"]> = {
  guards: [
    ...settling,
    {
      kind: "reason",
      why: "unexplained",
      refuses: ({ reason }) => !reason.startsWith("TASK_FAILED_"),
    },
  ],
  branches: [
    {
      when: "another attempt can help, and one is left",
      holds: ({ retryable, counted, maxAttempts }) => retryable && counted < maxAttempts,
      to: "pending",
      reason: ({ reason }) => reason,
      effects: ({ reason, retryAt }) => [
        { kind: "close-attempt", as: "failed", reason },
        { kind: "defer", until: retryAt, reason: "TASK_DEFERRED_RETRY" },
      ],
    },
    otherwise("failed", ({ reason }) => reason, ({ reason }) => [
      { kind: "close-attempt", as: "failed", reason },
      { kind: "end", reason },
      { kind: "skip-dependents" },
    ]),
  ],
};

const lose: TaskRule<TaskFacts["lose"]> = {
  guards: [],
  branches: [
    {
      when: "an attempt is left",
      holds: ({ counted, maxAttempts }) => counted < maxAttempts,
      to: "pending",
      reason: () => LOST,
      effects: () => [{ kind: "close-attempt", as: "lost", reason: LOST }],
    },
    otherwise("failed", LOST, () => [
      { kind: "close-attempt", as: "lost", reason: LOST },
      { kind: "end", reason: LOST },
      { kind: "skip-dependents" },
    ]),
  ],
};

const handBack: TaskRule<TaskFacts["hand-back"]> = {
  guards: [],
  branches: [
    otherwise("pending", ({ reason }) => reason, ({ reason }) => [
      { kind: "close-attempt", as: "handed-back", reason },
    ]),
  ],
};

const skip: TaskRule<NoFacts> = {
  guards: [],
  branches: [otherwise("skipped", SKIPPED, () => [{ kind: "end", reason: SKIPPED }])],
};

const explained: Guard<TaskFacts["cancel"]> = {
  kind: "reason",
  why: "unexplained",
  refuses: ({ reason }) => !/^TASK_CANCELLED(?:_|$)/.test(reason),
};

const cancelPending: TaskRule<TaskFacts["cancel"]> = {
  guards: [
    { kind: "fence", why: "stale", refuses: ({ settle }) => settle !== null },
    explained,
  ],
  branches: [
    otherwise("cancelled", ({ reason }) => reason, ({ reason }) => [{ kind: "end", reason }]),
  ],
};

const cancelRunning: TaskRule<TaskFacts["cancel"]> = {
  guards: [
    ...settling.map((guard): Guard<TaskFacts["cancel"]> => ({
      ...guard,
      refuses: ({ settle }) => settle === null ? guard.kind === "fence" : guard.refuses(settle),
    })),
    explained,
  ],
  branches: [
    otherwise("cancelled", ({ reason }) => reason, ({ reason }) => [
      { kind: "close-attempt", as: "cancelled", reason },
      { kind: "end", reason },
      { kind: "skip-dependents" },
    ]),
  ],
};

const stopPending: TaskRule<NoFacts> = {
  guards: [],
  branches: [otherwise("stopped", STOPPED, () => [{ kind: "end", reason: STOPPED }])],
};

const stopRunning: TaskRule<NoFacts> = {
  guards: [],
  branches: [
    otherwise("stopped", STOPPED, () => [
      { kind: "close-attempt", as: "stopped", reason: STOPPED },
      { kind: "end", reason: STOPPED },
    ]),
  ],
};

const reopen: TaskRule<NoFacts> = {
  guards: [],
  branches: [otherwise("pending", null, () => [{ kind: "reopen" }])],
};

const notPending = refusal("precondition", "not-pending");
const stale = refusal("fence", "stale");

const ended: TaskRow = {
  start: notPending,
  succeed: stale,
  fail: stale,
  lose: null,
  "hand-back": null,
  skip: null,
  cancel: stale,
  stop: null,
  reopen,
};

/** What each event does to a task in each state. `null`: nobody asks. */
export const TASK_TABLE: { readonly [S in TaskState]: TaskRow } = {
  pending: {
    start,
    succeed: stale,
    fail: stale,
    lose: null,
    "hand-back": null,
    skip,
    cancel: cancelPending,
    stop: stopPending,
    reopen: null,
  },
  running: {
    start: notPending,
    succeed,
    fail,
    lose,
    "hand-back": handBack,
    skip: null,
    cancel: cancelRunning,
    stop: stopRunning,
    reopen: null,
  },
  succeeded: ended,
  failed: ended,
  skipped: ended,
  cancelled: ended,
  stopped: ended,
};

/** What an event does to a task. Pure: the caller reads the facts and does the effects, in one transaction. */
export function decideTask<M extends TaskMove>(
  state: TaskState,
  move: M,
  facts: TaskFacts[M],
): Decision<TaskState, TaskEffect> {
  return decide<TaskState, TaskEffect, TaskFacts[M]>(TASK_TABLE[state][move], facts);
}
