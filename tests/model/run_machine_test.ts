import { assert, assertEquals } from "@std/assert";
import type { RunEffect, RunFacts, RunMove, TaskOrder, TaskState } from "../../src/model/mod.ts";
import { decideRun, decideTask } from "../../src/model/machines.ts";
import { isReasonCode } from "../../src/reason/mod.ts";
import { EPOCH, NOW, RUN_MOVES, RUN_STATES, TASK_STATES } from "./facts.ts";
import { ALL_RUN_CASES, answersOf, assertEach, taken, TERMINAL } from "./sweep.ts";

/** Where each event can lead, and every refusal that it can meet. */
const TABLE: Readonly<Record<RunMove, Readonly<Record<string, string>>>> = {
  claim: {
    queued: "running | alone deferred invalidated latched",
    running: "| not-queued",
    ended: "| not-queued",
  },
  finish: {
    queued: "| stale",
    running: "cancelled failed stopped succeeded | invalidated latched stale unsettled",
    ended: "| stale",
  },
  "hand-back": {
    queued: "| stale",
    running: "cancelled queued stopped | stale unexplained",
    ended: "| stale",
  },
  lose: {
    queued: "| not-running",
    running: "cancelled failed queued stopped | alive latched",
    ended: "| not-running",
  },
  cancel: { queued: "cancelled |", running: "running | already", ended: "| ended" },
  stop: { queued: "stopped | current", running: "stopped | current", ended: "| impossible" },
  retry: {
    queued: "| latched not-ended",
    running: "| latched not-ended",
    succeeded: "| latched succeeded",
    ended: "queued | latched outdated",
  },
};

const TAKEN = taken(ALL_RUN_CASES);
type TakenRun = typeof TAKEN[number];

function of(move: RunMove): TakenRun[] {
  return TAKEN.filter((one) => one.move === move);
}

function count({ effects }: TakenRun, kind: RunEffect["kind"]): number {
  return effects.filter((effect) => effect.kind === kind).length;
}

for (const move of RUN_MOVES) {
  Deno.test(`decideRun() takes "${move}" only in the states and with the refusals that it may have`, () => {
    for (const state of RUN_STATES) {
      const row = TABLE[move];
      assertEquals(answersOf(ALL_RUN_CASES, state, move), row[state] ?? row.ended, state);
    }
  });
}

Deno.test("decideRun() ends a run exactly once, with a code of the catalogue unless it succeeded (G10)", () => {
  assertEach(TAKEN, (one) => count(one, "end") === (TERMINAL.includes(one.to) ? 1 : 0));
  assertEach(TAKEN, ({ to, reason, effects }) =>
    effects.every((effect) =>
      effect.kind !== "end" ||
      effect.reason === reason && (reason === null ? to === "succeeded" : isReasonCode(reason))
    ));
});

Deno.test("decideRun() requeues a run only with a stated reason, or as an operator's next round (G8)", () => {
  const requeued = TAKEN.filter(({ to }) => to === "queued");
  assertEach(requeued, (one) => count(one, "defer") === (one.move === "retry" ? 0 : 1));
  assertEach(requeued, (one) => count(one, "reopen") === (one.move === "retry" ? 1 : 0));
  assertEach(
    requeued,
    ({ effects, reason }) =>
      effects.every((effect) =>
        effect.kind !== "defer" || effect.reason === reason && isReasonCode(effect.reason)
      ),
  );
});

Deno.test("decideRun() raises the token by every claim and whenever a holder loses the run (G7)", () => {
  assertEach(TAKEN, (one) => {
    const lost = one.state === "running" && one.to !== "running" && one.move !== "finish";
    const freed = lost || one.to === "queued" ? 1 : 0;
    const claimed = one.move === "claim" ? 1 : 0;
    return count(one, "raise-token") === freed + claimed && count(one, "free") === freed &&
      count(one, "take") === claimed;
  });
});

Deno.test("decideRun() admits no claim, no verdict and no retry under the latch (G3)", () => {
  const admitted = [...of("claim"), ...of("finish"), ...of("retry")];
  assertEach(admitted, (one) => {
    const { latched, epoch, runEpoch } = one.facts as RunFacts["claim"];
    return !latched && (one.move === "retry" ? epoch >= runEpoch : epoch === runEpoch);
  });
});

Deno.test("decideRun() takes a verdict from the holder alone, and under a lease that runs (G7)", () => {
  assertEach(of("finish"), ({ facts }) => {
    const { holder, caller, leaseExpiresAt, now } = facts as RunFacts["finish"];
    return holder === caller && leaseExpiresAt !== null && leaseExpiresAt > now;
  });
});

Deno.test("decideRun() counts a crash only of an executor that is verifiably gone, and quarantines by the death that reaches the limit (G9)", () => {
  assertEach(of("lose"), (one) => {
    const facts = one.facts as RunFacts["lose"];
    const reached = facts.gone && facts.crashCount + 1 >= facts.maxCrashCount;
    const to = facts.runEpoch < facts.epoch
      ? "stopped"
      : facts.cancelRequested
      ? "cancelled"
      : reached
      ? "failed"
      : "queued";
    const crashed = facts.gone && (to === "failed" || to === "queued");
    return one.to === to && count(one, "count-crash") === (crashed ? 1 : 0);
  });
});

Deno.test("decideRun() takes a run from its holder when lease and allowance are over, and not before (G8)", () => {
  const lost = ALL_RUN_CASES.filter(({ move, state }) => move === "lose" && state === "running");
  assertEach(lost, ({ facts, decision }) => {
    const { leaseExpiresAt, allowanceMs, now, latched, runEpoch, epoch } =
      facts as RunFacts["lose"];
    const over = leaseExpiresAt === null || leaseExpiresAt + allowanceMs <= now;
    return (decision.kind === "go") === (over && !(latched && runEpoch >= epoch));
  });
});

Deno.test("decideRun() sets a request to cancel once, and takes it back only in the next round (G11)", () => {
  assertEach(TAKEN, (one) => count(one, "request-cancel") === (one.move === "cancel" ? 1 : 0));
  const reopened = TAKEN.filter((one) => count(one, "reopen") > 0);
  assertEach(reopened, ({ move, state }) => move === "retry" && TERMINAL.includes(state));
  const again = [...of("hand-back"), ...of("lose")].filter(({ to }) => to === "queued");
  assertEach(again, ({ facts }) => !(facts as RunFacts["lose"]).cancelRequested);
});

Deno.test("decideRun() lets what a stop has invalidated go nowhere but to stopped, without a crash", () => {
  const outdated = TAKEN.filter(({ move, facts }) => {
    const { epoch, runEpoch } = facts as RunFacts["stop"];
    return move !== "retry" && runEpoch < epoch;
  });
  assertEach(outdated, (one) => one.to === "stopped" && count(one, "count-crash") === 0);
});

/** Where a task is after an order, by its own machine. */
function ordered(state: TaskState, order: TaskOrder): TaskState {
  if (!order.states.includes(state)) return state;
  const decision = order.move === "lose"
    ? decideTask(state, "lose", { counted: 1, maxAttempts: 2 })
    : order.move === "hand-back"
    ? decideTask(state, "hand-back", order)
    : order.move === "cancel"
    ? decideTask(state, "cancel", { reason: order.reason, settle: null })
    : decideTask(state, order.move, {});
  assert(decision.kind === "go", `${order.move} of a task that is ${state}`);
  return decision.to;
}

/** States in which the tasks of a run can be: nobody runs what nobody holds. */
function tasksBefore({ move, state, effects }: TakenRun): readonly TaskState[] {
  const ended = TASK_STATES.filter((one) => TERMINAL.includes(one));
  if (TERMINAL.includes(state)) return ended;
  if (move === "finish") {
    return effects.some(({ kind }) => kind === "move-tasks") ? ["pending", ...ended] : ended;
  }
  return state === "queued" ? ["pending", ...ended] : TASK_STATES;
}

Deno.test("decideRun() leaves no task running where nobody holds the run, and none open where it has ended", () => {
  assertEach(TAKEN.filter(({ to }) => to !== "running"), (one) => {
    const after = tasksBefore(one).map((state) =>
      one.effects.reduce(
        (now, effect) => effect.kind === "move-tasks" ? ordered(now, effect.order) : now,
        state,
      )
    );
    return !after.includes("running") && after.includes("pending") === (one.to === "queued");
  });
});

Deno.test("decideRun() keeps what has succeeded in a retry of what failed, and reopens everything in another", () => {
  const facts = { latched: false, epoch: EPOCH, runEpoch: EPOCH - 1 };
  for (const failedOnly of [true, false]) {
    const decision = decideRun("failed", "retry", { ...facts, failedOnly });
    assert(decision.kind === "go");
    const [tasks, ...rest] = decision.effects;
    assert(tasks?.kind === "move-tasks" && tasks.order.move === "reopen");
    assertEquals(tasks.order.states.includes("succeeded"), !failedOnly);
    assertEquals(rest, [
      { kind: "raise-token" },
      { kind: "free" },
      { kind: "reopen", epoch: EPOCH },
    ]);
  }
});

Deno.test("decideRun() lets no worker that holds other runs claim one that has crashed", () => {
  const facts = { latched: false, epoch: EPOCH, runEpoch: EPOCH, availableAt: null, now: NOW };
  const answers = [[0, true], [1, false], [1, true]] as const;
  assertEquals(
    answers.map(([crashCount, busy]) =>
      decideRun("queued", "claim", { ...facts, crashCount, busy }).kind
    ),
    ["go", "go", "refused"],
  );
});

Deno.test("decideRun() cancels what is pending when it finishes a run that was cancelled or is out of time", () => {
  const facts = {
    latched: false,
    epoch: EPOCH,
    runEpoch: EPOCH,
    holder: { owner: "me", token: 1 },
    caller: { owner: "me", token: 1 },
    leaseExpiresAt: NOW + 1,
    now: NOW,
    tasks: [{ state: "pending", reason: null, count: 2 }],
  } as const;
  const cancelled = decideRun("running", "finish", {
    ...facts,
    cancelRequested: true,
    timedOut: true,
  });
  const states = ["pending"] as const;
  assertEquals(cancelled, {
    kind: "go",
    to: "cancelled",
    reason: "RUN_CANCELLED_OPERATOR",
    effects: [
      {
        kind: "move-tasks",
        order: { states, move: "cancel", reason: "TASK_CANCELLED_OPERATOR" },
      },
      { kind: "end", reason: "RUN_CANCELLED_OPERATOR" },
    ],
  });
  const late = decideRun("running", "finish", {
    ...facts,
    cancelRequested: false,
    timedOut: true,
  });
  assertEquals([late.kind, late.kind === "go" && late.reason], ["go", "RUN_FAILED_TIMEOUT"]);
});
