import { assert, assertEquals } from "@std/assert";
import type { Refusal } from "../../src/model/mod.ts";
import { jitteredBackoff, reasonOfRefusal, REFUSALS } from "../../src/model/machines.ts";
import { decide, GUARD_ORDER, type Rule } from "../../src/model/machine.ts";
import {
  ALL_RUN_CASES,
  ALL_TASK_CASES,
  type AnyRule,
  type Cell,
  RUN_CELLS,
  TASK_CELLS,
} from "./sweep.ts";

const MACHINES: readonly (readonly [string, readonly Cell[]])[] = [
  ["RUN_TABLE", RUN_CELLS],
  ["TASK_TABLE", TASK_CELLS],
];

function rulesOf(
  cells: readonly Cell[],
): { where: string; rule: AnyRule; facts: readonly unknown[] }[] {
  return cells.flatMap(({ state, move, rule, facts }) =>
    rule === null ? [] : [{ where: `${move} in ${state}`, rule, facts }]
  );
}

/** The rule's answer, read without its machine. */
function refusalsOf(rule: AnyRule, facts: unknown): Refusal[] {
  return GUARD_ORDER.flatMap((kind) =>
    rule.guards.filter((guard) => guard.kind === kind && guard.refuses(facts))
  ).map(({ why }) => why);
}

for (const [name, cells] of MACHINES) {
  Deno.test(`${name} reads the guards of every rule in one order`, () => {
    for (const { where, rule } of rulesOf(cells)) {
      const places = rule.guards.map(({ kind }) => GUARD_ORDER.indexOf(kind));
      assertEquals(places, places.toSorted((a, b) => a - b), where);
    }
  });

  Deno.test(`${name} has an answer for all facts: the first guard that refuses, else a way on`, () => {
    for (const { where, rule, facts } of rulesOf(cells)) {
      const wrong = facts.find((fact) => {
        const decision = decide(rule, fact);
        const [why] = refusalsOf(rule, fact);
        return decision.kind === "go" ? why !== undefined : why !== decision.why;
      });
      assertEquals(wrong, undefined, where);
    }
  });

  Deno.test(`${name} has no guard and no branch that never decides`, () => {
    for (const { where, rule, facts } of rulesOf(cells)) {
      const refused = new Set(facts.map((fact) => rule.guards.find((one) => one.refuses(fact))));
      for (const guard of rule.guards) assert(refused.has(guard), `${where}: ${guard.why}`);
      const admitted = facts.filter((fact) => refusalsOf(rule, fact).length === 0);
      const taken = new Set(admitted.map((fact) => rule.branches.find((one) => one.holds(fact))));
      for (const branch of rule.branches) assert(taken.has(branch), `${where}: ${branch.when}`);
    }
  });
}

Deno.test("decide() refuses as impossible exactly what the tables leave out", () => {
  const impossible = [...ALL_RUN_CASES, ...ALL_TASK_CASES].filter(({ decision }) =>
    decision.kind === "refused" && decision.why === "impossible"
  ).map(({ move, state }) => `${move} in ${state}`);
  const left = [...RUN_CELLS, ...TASK_CELLS].filter(({ rule }) => rule === null)
    .map(({ move, state }) => `${move} in ${state}`);
  assertEquals([...new Set(impossible)].sort(), [...new Set(left)].sort());
});

Deno.test("decide() refuses where no branch of a rule holds: there is no success by default", () => {
  const broken: Rule<"done", never, null> = {
    guards: [],
    branches: [{
      when: "never",
      holds: () => false,
      to: "done",
      reason: () => null,
      effects: () => [],
    }],
  };
  assertEquals(decide(broken, null), { kind: "refused", why: "impossible" });
});

Deno.test("REFUSALS has no answer that no machine gives", () => {
  const given = [...ALL_RUN_CASES, ...ALL_TASK_CASES].flatMap(({ decision }) =>
    decision.kind === "refused" ? [decision.why] : []
  );
  assertEquals([...new Set(given)].sort(), Object.keys(REFUSALS).sort() as Refusal[]);
});

Deno.test("reasonOfRefusal() has a code exactly for the loss of the right to write (G7)", () => {
  const codes = (Object.keys(REFUSALS) as Refusal[]).flatMap((why) => {
    const code = reasonOfRefusal(why);
    return code === null ? [] : [[why, code]];
  });
  assertEquals(codes, [
    ["latched", "WRITE_REFUSED_STOPPED"],
    ["invalidated", "WRITE_REFUSED_STOPPED"],
    ["stale", "WRITE_REFUSED_STALE"],
  ]);
});

Deno.test("jitteredBackoff() is uniform below a bound that doubles up to the highest", () => {
  const bounds = { baseMs: 100, maxMs: 1_000 };
  const most = [1, 2, 3, 4, 5, 80].map((tries) => jitteredBackoff(tries, bounds, 0.999_999));
  assertEquals(most, [99, 199, 399, 799, 999, 999]);
  assertEquals(jitteredBackoff(3, bounds, 0), 0);
  assertEquals(jitteredBackoff(3, bounds, 0.5), 200);
  assertEquals(jitteredBackoff(2_000, { baseMs: 0, maxMs: 1_000 }, 0.5), 0);
});
