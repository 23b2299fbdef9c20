import {
  always,
  type Branch,
  type CheckFacts,
  decide,
  type Decision,
  type Guard,
  isHolder,
  liveHolder,
  notLatched,
  otherwise,
  refusal,
  type Rule,
  sameEpoch,
} from "./machine.ts";
import { type CancelReason, isHandBackReason, type MachineReason } from "./machine_reason.ts";
import type { RunStatus } from "./run.ts";
import type { RunEffect, RunFacts, RunMove, RunState, TaskOrder } from "./run_moves.ts";
import type { TaskState } from "./task_moves.ts";
import { type RunVerdict, verdictOfTasks } from "./verdict.ts";

type RunRule<M extends RunMove> = Rule<RunState, RunEffect, RunFacts[M]>;
type RunBranch<Facts> = Branch<RunState, RunEffect, Facts>;
type RunRow = { readonly [M in RunMove]: RunRule<M> | null };

const UNSUCCESSFUL: readonly TaskState[] = ["failed", "skipped", "cancelled", "stopped"];
const FREED: readonly RunEffect[] = [{ kind: "raise-token" }, { kind: "free" }];
const STOP_TASKS = moveTasks({ states: ["pending", "running"], move: "stop" });
const LOSE_TASKS = moveTasks({ states: ["running"], move: "lose" });

function moveTasks(order: TaskOrder): RunEffect {
  return { kind: "move-tasks", order };
}

function cancelPending(reason: CancelReason): RunEffect {
  return moveTasks({ states: ["pending"], move: "cancel", reason });
}

function end(reason: MachineReason | null): RunEffect {
  return { kind: "end", reason };
}

const claim: RunRule<"claim"> = {
  guards: [
    notLatched,
    sameEpoch,
    {
      kind: "precondition",
      why: "deferred",
      refuses: ({ availableAt, now }) => availableAt !== null && availableAt > now,
    },
    {
      kind: "precondition",
      why: "alone",
      refuses: ({ crashCount, busy }) => crashCount > 0 && busy,
    },
  ],
  branches: [otherwise("running", null, () => [{ kind: "raise-token" }, { kind: "take" }])],
};

/** Why what is still pending will not start, `null` where it may, or nothing is. */
function endOfPending(facts: RunFacts["finish"]): CancelReason | null {
  if (!facts.tasks.some(({ state, count }) => state === "pending" && count > 0)) return null;
  if (facts.cancelRequested) return "TASK_CANCELLED_OPERATOR";
  return facts.timedOut ? "TASK_CANCELLED_RUN_TIMEOUT" : null;
}

/** The verdict, with the end of what will not start; `null` where something is left to do. */
function lastVerdict(facts: RunFacts["finish"]): RunVerdict | null {
  const reason = endOfPending(facts);
  if (reason === null) return verdictOfTasks(facts.tasks);
  return verdictOfTasks(
    facts.tasks.map((group) =>
      group.state === "pending" ? { ...group, state: "cancelled", reason } : group
    ),
  );
}

function finishAs(to: RunStatus): RunBranch<RunFacts["finish"]> {
  const reasonOf = (facts: RunFacts["finish"]) => lastVerdict(facts)?.reason ?? null;
  return {
    when: "it is the verdict of its tasks",
    holds: (facts) => lastVerdict(facts)?.status === to,
    to,
    reason: reasonOf,
    effects: (facts) => {
      const reason = endOfPending(facts);
      return [...reason === null ? [] : [cancelPending(reason)], end(reasonOf(facts))];
    },
  };
}

const finish: RunRule<"finish"> = {
  guards: [
    notLatched,
    sameEpoch,
    liveHolder,
    { kind: "precondition", why: "unsettled", refuses: (facts) => lastVerdict(facts) === null },
  ],
  branches: [
    finishAs("succeeded"),
    finishAs("failed"),
    finishAs("cancelled"),
    finishAs("stopped"),
  ],
};

type Epochs = Pick<CheckFacts, "epoch" | "runEpoch">;

function isOutdated({ epoch, runEpoch }: Epochs): boolean {
  return runEpoch < epoch;
}

/** A running run of an older epoch has been stopped, whoever finds it. */
const stopped: RunBranch<Epochs> = {
  when: "its epoch is below the current one",
  holds: isOutdated,
  to: "stopped",
  reason: () => "RUN_STOPPED",
  effects: () => [STOP_TASKS, ...FREED, end("RUN_STOPPED")],
};

/** Nobody goes on with a run that an operator has cancelled. */
function cancelled<Facts extends { readonly cancelRequested: boolean }>(
  running: (facts: Facts) => RunEffect,
): RunBranch<Facts> {
  return {
    when: "a cancellation was requested",
    holds: ({ cancelRequested }) => cancelRequested,
    to: "cancelled",
    reason: () => "RUN_CANCELLED_OPERATOR",
    effects: (facts) => [
      running(facts),
      cancelPending("TASK_CANCELLED_OPERATOR"),
      ...FREED,
      end("RUN_CANCELLED_OPERATOR"),
    ],
  };
}

function handTasksBack({ reason }: RunFacts["hand-back"]): RunEffect {
  return moveTasks({ states: ["running"], move: "hand-back", reason });
}

const handBack: RunRule<"hand-back"> = {
  guards: [
    { kind: "fence", why: "stale", refuses: (facts) => !isHolder(facts) },
    { kind: "reason", why: "unexplained", refuses: ({ reason }) => !isHandBackReason(reason) },
  ],
  branches: [
    stopped,
    cancelled(handTasksBack),
    otherwise("queued", ({ reason }) => reason, (facts) => [
      handTasksBack(facts),
      ...FREED,
      { kind: "defer", until: facts.dueAt, reason: facts.reason },
    ]),
  ],
};

const lose: RunRule<"lose"> = {
  guards: [
    { kind: "latch", why: "latched", refuses: (facts) => facts.latched && !isOutdated(facts) },
    {
      kind: "precondition",
      why: "alive",
      refuses: ({ leaseExpiresAt, allowanceMs, now }) =>
        leaseExpiresAt !== null && now < leaseExpiresAt + allowanceMs,
    },
  ],
  branches: [
    stopped,
    cancelled(() => LOSE_TASKS),
    {
      when: "its executor is verifiably gone, and this death reaches the limit",
      holds: ({ gone, crashCount, maxCrashCount }) => gone && crashCount + 1 >= maxCrashCount,
      to: "failed",
      reason: () => "RUN_FAILED_POISON",
      effects: () => [
        LOSE_TASKS,
        cancelPending("TASK_CANCELLED_RUN_POISON"),
        { kind: "count-crash" },
        ...FREED,
        end("RUN_FAILED_POISON"),
      ],
    },
    {
      when: "its executor is verifiably gone",
      holds: ({ gone }) => gone,
      to: "queued",
      reason: () => "RUN_DEFERRED_CRASHED",
      effects: ({ dueAt }) => [
        LOSE_TASKS,
        { kind: "count-crash" },
        ...FREED,
        { kind: "defer", until: dueAt, reason: "RUN_DEFERRED_CRASHED" },
      ],
    },
    otherwise("queued", "RUN_DEFERRED_LOST", ({ dueAt }) => [
      LOSE_TASKS,
      ...FREED,
      { kind: "defer", until: dueAt, reason: "RUN_DEFERRED_LOST" },
    ]),
  ],
};

const cancelQueued: RunRule<"cancel"> = {
  guards: [],
  branches: [
    otherwise("cancelled", "RUN_CANCELLED_OPERATOR", () => [
      { kind: "request-cancel" },
      cancelPending("TASK_CANCELLED_OPERATOR"),
      end("RUN_CANCELLED_OPERATOR"),
    ]),
  ],
};

const cancelRunning: RunRule<"cancel"> = {
  guards: [{
    kind: "precondition",
    why: "already",
    refuses: ({ cancelRequested }) => cancelRequested,
  }],
  branches: [otherwise("running", "RUN_CANCELLED_OPERATOR", () => [{ kind: "request-cancel" }])],
};

const ofOlderEpoch: Guard<Epochs> = {
  kind: "precondition",
  why: "current",
  refuses: (facts) => !isOutdated(facts),
};

const stopQueued: RunRule<"stop"> = {
  guards: [ofOlderEpoch],
  branches: [
    otherwise("stopped", "RUN_STOPPED_QUEUED", () => [STOP_TASKS, end("RUN_STOPPED_QUEUED")]),
  ],
};

const stopRunning: RunRule<"stop"> = {
  guards: [ofOlderEpoch],
  branches: [{ ...stopped, when: "otherwise" }],
};

const retry: RunRule<"retry"> = {
  guards: [notLatched, {
    kind: "fence",
    why: "outdated",
    refuses: (facts) => facts.epoch < facts.runEpoch,
  }],
  branches: [
    {
      when: "what has succeeded is kept",
      holds: ({ failedOnly }) => failedOnly,
      to: "queued",
      reason: () => null,
      effects: ({ epoch }) => reopen(UNSUCCESSFUL, epoch),
    },
    otherwise("queued", null, ({ epoch }) => reopen(["succeeded", ...UNSUCCESSFUL], epoch)),
  ],
};

function reopen(states: readonly TaskState[], epoch: number): RunEffect[] {
  return [moveTasks({ states, move: "reopen" }), ...FREED, { kind: "reopen", epoch }];
}

/** A `retry` looks at the latch first, whatever the state. */
function noRetry(why: "not-ended" | "succeeded"): RunRule<"retry"> {
  return { guards: [notLatched, always("precondition", why)], branches: [] };
}

const notQueued = refusal("precondition", "not-queued");
const notRunning = refusal("precondition", "not-running");
const stale = refusal("fence", "stale");

const ended: RunRow = {
  claim: notQueued,
  finish: stale,
  "hand-back": stale,
  lose: notRunning,
  cancel: refusal("precondition", "ended"),
  stop: null,
  retry,
};

/** What each event does to a run in each state. `null`: nobody asks. */
export const RUN_TABLE: { readonly [S in RunState]: RunRow } = {
  queued: {
    claim,
    finish: stale,
    "hand-back": stale,
    lose: notRunning,
    cancel: cancelQueued,
    stop: stopQueued,
    retry: noRetry("not-ended"),
  },
  running: {
    claim: notQueued,
    finish,
    "hand-back": handBack,
    lose,
    cancel: cancelRunning,
    stop: stopRunning,
    retry: noRetry("not-ended"),
  },
  succeeded: { ...ended, retry: noRetry("succeeded") },
  failed: ended,
  cancelled: ended,
  stopped: ended,
};

/** What an event does to a run. Pure: the caller reads the facts and does the effects, in one transaction. */
export function decideRun<M extends RunMove>(
  state: RunState,
  move: M,
  facts: RunFacts[M],
): Decision<RunState, RunEffect> {
  return decide<RunState, RunEffect, RunFacts[M]>(RUN_TABLE[state][move], facts);
}
