import { assertEquals } from "@std/assert";
import type { SettleFacts, TaskEffect, TaskFacts, TaskMove } from "../../src/model/mod.ts";
import { isReasonCode } from "../../src/reason/mod.ts";
import { TASK_MOVES, TASK_STATES } from "./facts.ts";
import { ALL_TASK_CASES, answersOf, assertEach, taken, TERMINAL } from "./sweep.ts";

/** Where each event can lead, and every refusal that it can meet. */
const TABLE: Readonly<Record<TaskMove, Readonly<Record<string, string>>>> = {
  start: {
    pending: "running | cancelled deferred invalidated latched needs stale",
    running: "| not-pending",
    ended: "| not-pending",
  },
  succeed: {
    pending: "| stale",
    running: "pending succeeded | invalidated latched stale",
    ended: "| stale",
  },
  fail: {
    pending: "| stale",
    running: "failed pending | invalidated latched stale unexplained",
    ended: "| stale",
  },
  lose: { pending: "| impossible", running: "failed pending |", ended: "| impossible" },
  "hand-back": { pending: "| impossible", running: "pending |", ended: "| impossible" },
  skip: { pending: "skipped |", running: "| impossible", ended: "| impossible" },
  cancel: {
    pending: "cancelled | stale unexplained",
    running: "cancelled | invalidated latched stale unexplained",
    ended: "| stale",
  },
  stop: { pending: "stopped |", running: "stopped |", ended: "| impossible" },
  reopen: { pending: "| impossible", running: "| impossible", ended: "pending |" },
};

const TAKEN = taken(ALL_TASK_CASES);
type TakenTask = typeof TAKEN[number];

function of(move: TaskMove): TakenTask[] {
  return TAKEN.filter((one) => one.move === move);
}

function count({ effects }: TakenTask, kind: TaskEffect["kind"]): number {
  return effects.filter((effect) => effect.kind === kind).length;
}

for (const move of TASK_MOVES) {
  Deno.test(`decideTask() takes "${move}" only in the states and with the refusals that it may have`, () => {
    for (const state of TASK_STATES) {
      const row = TABLE[move];
      assertEquals(answersOf(ALL_TASK_CASES, state, move), row[state] ?? row.ended, state);
    }
  });
}

Deno.test("decideTask() ends a task exactly once, with a code of the catalogue unless it succeeded (G10)", () => {
  assertEach(TAKEN, (one) => count(one, "end") === (TERMINAL.includes(one.to) ? 1 : 0));
  assertEach(TAKEN, ({ to, reason, effects }) =>
    effects.every((effect) =>
      effect.kind !== "end" ||
      effect.reason === reason && (reason === null ? to === "succeeded" : isReasonCode(reason))
    ));
});

Deno.test("decideTask() defers a task only with a code of the catalogue", () => {
  const deferred = TAKEN.filter((one) => count(one, "defer") > 0);
  assertEach(deferred, ({ to, effects }) =>
    to === "pending" &&
    effects.every((effect) => effect.kind !== "defer" || isReasonCode(effect.reason)));
});

Deno.test("decideTask() opens an attempt by every start and closes it by whatever leaves running", () => {
  assertEach(TAKEN, (one) => count(one, "open-attempt") === (one.to === "running" ? 1 : 0));
  assertEach(TAKEN, (one) => count(one, "close-attempt") === (one.state === "running" ? 1 : 0));
  assertEach(TAKEN, (one) => one.state !== "running" || one.effects[0]?.kind === "close-attempt");
});

Deno.test("decideTask() starts and settles nothing without the latch clear, the epoch, the claim and the attempt (G3, G7)", () => {
  const settled = [...of("succeed"), ...of("fail")].map(({ facts }) => facts as SettleFacts);
  const cancelled = of("cancel").filter(({ state }) => state === "running").map(({ facts }) =>
    (facts as TaskFacts["cancel"]).settle
  );
  const all = [...settled, ...cancelled, ...of("start").map(({ facts }) => facts as SettleFacts)];
  assertEach(
    all.map((facts) => ({ move: "settle", state: "running", facts })),
    ({ facts }) =>
      facts !== null && !facts.latched && facts.epoch === facts.runEpoch &&
      facts.holder === facts.caller && facts.leaseExpiresAt !== null &&
      facts.leaseExpiresAt > facts.now,
  );
  assertEach(
    [...settled, ...cancelled].map((facts) => ({ move: "settle", state: "running", facts })),
    ({ facts }) => facts !== null && facts.active === facts.settled,
  );
});

Deno.test("decideTask() starts no attempt once a cancellation was requested (G11)", () => {
  assertEach(of("start"), ({ facts }) => !(facts as TaskFacts["start"]).cancelRequested);
});

Deno.test("decideTask() tries a pass again at most as often as it may, and never what cannot help (G12)", () => {
  assertEach(of("fail"), ({ to, facts }) => {
    const { retryable, counted, maxAttempts } = facts as TaskFacts["fail"];
    return (to === "pending") === (retryable && counted < maxAttempts);
  });
  assertEach(of("lose"), ({ to, facts }) => {
    const { counted, maxAttempts } = facts as TaskFacts["lose"];
    return (to === "pending") === (counted < maxAttempts);
  });
});

Deno.test("decideTask() puts back by a hand-back whatever the count of attempts, and closes the attempt as handed back", () => {
  assertEach(of("hand-back"), ({ to, effects }) =>
    to === "pending" &&
    effects.every((effect) => effect.kind === "close-attempt" && effect.as === "handed-back"));
});

Deno.test("decideTask() skips the dependents of whatever ends without success while its run goes on", () => {
  const ended = TAKEN.filter(({ state, move, to }) =>
    state === "running" && move !== "stop" && TERMINAL.includes(to)
  );
  assertEach(ended, (one) => count(one, "skip-dependents") === (one.to === "succeeded" ? 0 : 1));
});

Deno.test("decideTask() takes the passes one after another", () => {
  assertEach(of("succeed"), (one) => {
    const { settled, passes } = one.facts as TaskFacts["succeed"];
    const last = settled.pass >= passes;
    return one.to === (last ? "succeeded" : "pending") &&
      count(one, "next-pass") === (last ? 0 : 1);
  });
});
