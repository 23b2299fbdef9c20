import { assert, assertEquals, assertFalse, assertStringIncludes } from "@std/assert";
import fc from "fast-check";
import {
  admissible,
  decideReset,
  effectiveEpoch,
  nextEpoch,
  type ResetFacts,
} from "../../src/fence/decide.ts";
import type { EpochSeen, Look } from "../../src/fence/record.ts";
import { LEASE, RECORD } from "./swarm.ts";

const MAX = Number.MAX_SAFE_INTEGER;
const OPEN: Look = { at: "nothing" };
const EMPTY: Look = { at: "something", identity: "i", record: null, problem: null };
const MALFORMED: Look = { at: "something", identity: "i", record: null, problem: "malformed" };
const CORRUPT: EpochSeen = { ok: false, problem: "corrupt" };

function at(epoch: number): EpochSeen {
  return { ok: true, epoch };
}

function stopAt(epoch: number): Look {
  return { at: "something", identity: "i", record: { ...RECORD, epoch }, problem: null };
}

function decided(facts: Partial<ResetFacts>): number | null {
  const decision = decideReset({ look: OPEN, epoch: at(1), highest: 0, wanted: null, ...facts });
  return decision.ok ? decision.epoch : null;
}

Deno.test("nextEpoch() is one above, and 0 where the epoch is not known or the last (G2)", () => {
  assertEquals(nextEpoch(at(1)), 2);
  assertEquals(nextEpoch(at(MAX - 1)), MAX);
  assertEquals(nextEpoch(at(MAX)), 0);
  assertEquals(nextEpoch(CORRUPT), 0);
});

Deno.test("effectiveEpoch() is that of a STOP that names one, else that of EPOCH, else 0", () => {
  assertEquals(effectiveEpoch(stopAt(5), at(4)), 5);
  assertEquals(effectiveEpoch(stopAt(5), CORRUPT), 5);
  assertEquals(effectiveEpoch(stopAt(0), at(4)), 4);
  assertEquals(effectiveEpoch(EMPTY, at(4)), 4);
  assertEquals(effectiveEpoch(OPEN, at(4)), 4);
  assertEquals(effectiveEpoch(OPEN, CORRUPT), 0);
});

Deno.test("admissible() needs nothing at STOP, EPOCH at the lease's epoch, and a whole lease (G3)", () => {
  assert(admissible(LEASE, OPEN, at(1)));
  assertFalse(admissible(LEASE, OPEN, at(2)));
  assertFalse(admissible(LEASE, OPEN, CORRUPT));
  assertFalse(admissible({ ...LEASE, pass: 0 }, OPEN, at(1)));
  for (const look of [EMPTY, MALFORMED, stopAt(1), stopAt(0)]) {
    assertFalse(admissible(LEASE, look, at(1)));
  }
});

Deno.test("decideReset() takes the highest epoch that can be seen (G2)", () => {
  assertEquals(decided({ look: stopAt(2) }), 2);
  assertEquals(decided({ look: stopAt(2), epoch: at(2) }), 2);
  assertEquals(
    decided({ look: stopAt(2), epoch: at(3) }),
    4,
    "an old copy of a record names no epoch",
  );
  assertEquals(decided({ look: stopAt(2), highest: 7 }), 7);
  assertEquals(decided({ look: OPEN, epoch: at(3) }), 3);
});

Deno.test("decideReset() counts a STOP without an epoch as EPOCH + 1 (G2)", () => {
  assertEquals(decided({ look: stopAt(0), epoch: at(3) }), 4);
  assertEquals(decided({ look: EMPTY, epoch: at(3) }), 4);
  assertEquals(decided({ look: EMPTY, epoch: at(3), highest: 9 }), 9);
});

Deno.test("decideReset() needs an epoch above every one after a corrupt EPOCH or STOP (G2)", () => {
  for (
    const facts of [{ look: MALFORMED }, { epoch: CORRUPT }, { look: stopAt(4), epoch: CORRUPT }]
  ) {
    assertEquals(decided(facts), null);
    assertEquals(decided({ ...facts, highest: 8, wanted: 8 }), null);
    assertEquals(decided({ ...facts, highest: 8, wanted: 9 }), 9);
    for (const wanted of [0, -1, 8.5, NaN, 2 ** 53]) {
      assertEquals(decided({ ...facts, highest: 8, wanted }), null);
    }
  }
  assertEquals(decided({ look: stopAt(4), epoch: CORRUPT, wanted: 4 }), null);
  assertEquals(decided({ look: stopAt(4), epoch: CORRUPT, wanted: 5 }), 5);
});

Deno.test("decideReset() says which epoch would do", () => {
  const facts = { look: MALFORMED, epoch: at(3), highest: 8 };
  for (const wanted of [null, 8]) {
    const decision = decideReset({ ...facts, wanted });
    assertStringIncludes(decision.ok ? "" : decision.next, "--epoch 9");
  }
});

Deno.test("decideReset() has nothing above 2^53-1 (G2)", () => {
  assertEquals(decided({ look: stopAt(MAX), epoch: at(MAX - 1) }), MAX);
  assertEquals(decided({ look: stopAt(0), epoch: at(MAX) }), null);
  assertEquals(decided({ look: MALFORMED, epoch: at(MAX), wanted: MAX }), null);
});

Deno.test("decideReset() never lowers an epoch (G2)", () => {
  const number = () => fc.integer({ min: 0, max: 6 });
  const look = () => fc.oneof(fc.constantFrom(OPEN, EMPTY, MALFORMED), number().map(stopAt));
  const epoch = () => fc.oneof(fc.constant(CORRUPT), fc.integer({ min: 1, max: 6 }).map(at));
  const facts = fc.record({
    look: look(),
    epoch: epoch(),
    highest: number(),
    wanted: fc.option(number()),
  });
  fc.assert(fc.property(facts, (facts) => {
    const decision = decideReset(facts);
    if (!decision.ok) return;
    const seen = facts.epoch.ok ? facts.epoch.epoch : 0;
    const latched = facts.look.at === "something" && facts.look.record !== null
      ? facts.look.record.epoch
      : 0;
    assert(decision.epoch >= Math.max(seen, latched, facts.highest));
  }));
});
