/**
 * Every combination of facts that the machines tell apart, event by event.
 *
 * @module
 */
import type {
  AttemptNumber,
  CheckFacts,
  HandBackReason,
  Holder,
  HolderFacts,
  NoFacts,
  RunFacts,
  RunMove,
  RunState,
  SettleFacts,
  TaskFacts,
  TaskGroup,
  TaskMove,
  TaskState,
} from "../../src/model/mod.ts";

export const RUN_STATES: readonly RunState[] = [
  "queued",
  "running",
  "succeeded",
  "failed",
  "cancelled",
  "stopped",
];
export const TASK_STATES: readonly TaskState[] = [
  "pending",
  "running",
  "succeeded",
  "failed",
  "skipped",
  "cancelled",
  "stopped",
];
export const RUN_MOVES: readonly RunMove[] = [
  "claim",
  "finish",
  "hand-back",
  "lose",
  "cancel",
  "stop",
  "retry",
];
export const TASK_MOVES: readonly TaskMove[] = [
  "start",
  "succeed",
  "fail",
  "lose",
  "hand-back",
  "skip",
  "cancel",
  "stop",
  "reopen",
];

export const NOW = 1_000;
export const EPOCH = 5;
const ALLOWANCE = 50;
const BOTH = [false, true] as const;
const ME: Holder = { owner: "me", token: 7 };
const HOLDERS: readonly (Holder | null)[] = [
  ME,
  null,
  { owner: "other", token: 7 },
  { owner: "me", token: 8 },
  { owner: "me", token: 6 },
];
const LEASES: readonly (number | null)[] = [NOW + 1, NOW, null];
const DUE: readonly (number | null)[] = [null, NOW, NOW + 1];

/** Each combination of one value from every list. */
export function product<T extends Record<string, readonly unknown[]>>(
  lists: T,
): { readonly [K in keyof T]: T[K][number] }[] {
  let rows: Record<string, unknown>[] = [{}];
  for (const [name, values] of Object.entries(lists)) {
    rows = rows.flatMap((row) => values.map((value) => ({ ...row, [name]: value })));
  }
  return rows as { readonly [K in keyof T]: T[K][number] }[];
}

function times<A, B>(left: readonly A[], right: readonly B[]): (A & B)[] {
  return left.flatMap((a) => right.map((b) => ({ ...a, ...b })));
}

/** The run's epoch is equal, older, newer; the current one is not known. */
const epochs: readonly Pick<CheckFacts, "epoch" | "runEpoch">[] = [
  { epoch: EPOCH, runEpoch: EPOCH },
  { epoch: EPOCH, runEpoch: EPOCH - 1 },
  { epoch: EPOCH, runEpoch: EPOCH + 1 },
  { epoch: 0, runEpoch: EPOCH },
];
const checks: readonly CheckFacts[] = times(epochs, product({ latched: BOTH }));
const holders: readonly HolderFacts[] = times(
  checks,
  product({ holder: HOLDERS, caller: [ME], leaseExpiresAt: LEASES, now: [NOW] }),
);
const FIRST: AttemptNumber = { pass: 1, attempt: 1 };
const settles: readonly SettleFacts[] = times(
  holders,
  product({ active: [FIRST], settled: [FIRST, { pass: 1, attempt: 2 }, { pass: 2, attempt: 1 }] }),
);
const tries = product({ counted: [1, 2, 3], maxAttempts: [1, 3] });

function group(state: TaskGroup["state"], reason: string | null, count = 1): TaskGroup {
  return { state, reason, count };
}

/** Tasks of a run: what every verdict is made from. */
export const TASKS: readonly (readonly TaskGroup[])[] = [
  [],
  [group("succeeded", null, 2)],
  [group("succeeded", null), group("running", null)],
  [group("succeeded", null), group("pending", null)],
  [group("succeeded", null), group("failed", "TASK_FAILED_EXIT")],
  [group("failed", "TASK_FAILED_EXIT"), group("skipped", "TASK_SKIPPED_NEED_FAILED")],
  [group("failed", "TASK_FAILED_EXIT"), group("pending", "TASK_DEFERRED_RETRY")],
  [group("succeeded", null), group("cancelled", "TASK_CANCELLED")],
  [group("succeeded", null), group("cancelled", "TASK_CANCELLED_OPERATOR")],
  [group("failed", "TASK_FAILED_EXIT"), group("cancelled", "TASK_CANCELLED_RUN_TIMEOUT")],
  [group("succeeded", null), group("cancelled", "TASK_CANCELLED_RUN_FAILED")],
  [group("succeeded", null), group("cancelled", "TASK_CANCELLED_RUN_POISON")],
  [group("failed", "TASK_FAILED_EXIT"), group("cancelled", "TASK_CANCELLED_FAIL_FAST")],
  [group("cancelled", "TASK_CANCELLED_OPERATOR"), group("stopped", "TASK_STOPPED")],
];

const HAND_BACKS: readonly HandBackReason[] = [
  "RUN_HANDED_BACK_DRAIN",
  "RUN_HANDED_BACK_ENVIRONMENT",
  "RUN_STOPPED" as HandBackReason,
];
const noFacts: readonly NoFacts[] = [{}];

/** Every combination for a run. */
export const RUN_FACTS: { readonly [M in RunMove]: readonly RunFacts[M][] } = {
  claim: times(
    checks,
    product({ availableAt: DUE, now: [NOW], crashCount: [0, 1], busy: BOTH }),
  ),
  finish: times(
    holders,
    product({ tasks: TASKS, cancelRequested: BOTH, timedOut: BOTH }),
  ),
  "hand-back": times(
    times(epochs, product({ holder: HOLDERS, caller: [ME] })),
    product({ reason: HAND_BACKS, dueAt: [NOW], cancelRequested: BOTH }),
  ),
  lose: times(
    checks,
    product({
      leaseExpiresAt: [null, NOW - ALLOWANCE, NOW - ALLOWANCE + 1, NOW + 1],
      allowanceMs: [ALLOWANCE],
      now: [NOW],
      cancelRequested: BOTH,
      gone: BOTH,
      crashCount: [0, 3, 4, 5],
      maxCrashCount: [1, 5],
      dueAt: [NOW + 9],
    }),
  ),
  cancel: product({ cancelRequested: BOTH }),
  stop: epochs,
  retry: times(checks, product({ failedOnly: BOTH })),
};

/** Every combination for a task. */
export const TASK_FACTS: { readonly [M in TaskMove]: readonly TaskFacts[M][] } = {
  start: times(
    holders,
    product({ cancelRequested: BOTH, needsMet: BOTH, availableAt: DUE }),
  ),
  succeed: times(settles, product({ passes: [1, 2] })),
  fail: times(
    times(settles, tries),
    product({
      reason: ["TASK_FAILED_EXIT", "TASK_STOPPED"],
      retryable: BOTH,
      retryAt: [NOW + 9],
    }),
  ),
  lose: tries,
  "hand-back": product({ reason: HAND_BACKS.slice(0, 2) }),
  skip: noFacts,
  cancel: times(
    product({
      reason: ["TASK_CANCELLED_OPERATOR", "TASK_CANCELLED_RUN_TIMEOUT", "TASK_CANCELLEDX", ""],
    }),
    [null, ...settles].map((settle) => ({ settle })),
  ),
  stop: noFacts,
  reopen: noFacts,
};
