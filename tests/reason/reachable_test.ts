import { assertEquals } from "@std/assert";
import { FAIL_FAST, SKIPPED, verdictOf, verdictOfEnding } from "../../src/engine/tally.ts";
import type { Outcome, Refusal } from "../../src/model/mod.ts";
import { reasonOfRefusal, REFUSALS, verdictOfRun } from "../../src/model/machines.ts";
import { isReasonCode, REASONS } from "../../src/reason/mod.ts";
import { ALL_RUN_CASES, ALL_TASK_CASES, taken } from "../model/sweep.ts";

type Failing = Exclude<Outcome, { kind: "succeeded" | "aborted" }>;
const CAUSES = ["stop", "cancel", "run-timeout", "run-failed"] as const;

/** An outcome of every kind that fails a task. */
const OUTCOMES: { readonly [K in Failing["kind"]]: Extract<Failing, { kind: K }> } = {
  "exited": { kind: "exited", code: 1 },
  "signalled": { kind: "signalled", signal: "SIGKILL" },
  "timed-out": { kind: "timed-out" },
  "output-limit": { kind: "output-limit" },
  "program-missing": { kind: "program-missing", message: "" },
  "program-not-executable": { kind: "program-not-executable", message: "" },
  "program-refused": { kind: "program-refused", message: "" },
  "folder-missing": { kind: "folder-missing", message: "" },
  "failed": { kind: "failed", message: "" },
};

/** Reasons that a decision gives, with those of the rows that it changes. */
function reasonsOf(
  { reason, effects }: { readonly reason: string | null; readonly effects: readonly object[] },
): (string | null)[] {
  return [
    reason,
    ...effects.flatMap((effect) => {
      const order: object = "order" in effect ? effect.order as object : {};
      return [effect, order].flatMap((part) => "reason" in part ? part.reason as string : null);
    }),
  ];
}

/** Who gives which reasons. */
const PRODUCERS: Readonly<Record<string, readonly (string | null)[]>> = {
  "an attempt that fails": Object.values(OUTCOMES).map((outcome) => verdictOf(outcome).reason),
  "the end of a local run, for its tasks": [
    ...CAUSES.map((cause) => verdictOfEnding(cause).reason),
    SKIPPED.reason,
    FAIL_FAST.reason,
  ],
  "the end of a local run": [null, ...CAUSES].map((cause) => {
    const counts = { total: 2, succeeded: 1, failed: 1, skipped: 0, stopped: 0, cancelled: 0 };
    return verdictOfRun(counts, cause).reason;
  }),
  "the machine of a queued run": taken(ALL_RUN_CASES).flatMap(reasonsOf),
  "the machine of a queued task": taken(ALL_TASK_CASES).flatMap(reasonsOf),
  "a refused write": (Object.keys(REFUSALS) as Refusal[]).map(reasonOfRefusal),
};

Deno.test("REASONS has every code that is given, and none that nothing gives (G10)", () => {
  const given = Object.values(PRODUCERS).flat().filter((code) => code !== null);
  assertEquals([...new Set(given)].sort(), Object.keys(REASONS).sort());
});

for (const [who, codes] of Object.entries(PRODUCERS)) {
  Deno.test(`${who} gives only codes of the catalogue (G10)`, () => {
    assertEquals(codes.filter((code) => code !== null && !isReasonCode(code)), []);
  });
}
