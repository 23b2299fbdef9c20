import { assertEquals, assertRejects } from "@std/assert";
import { Refutation, Start } from "../../tools/proofs/start.ts";
import { problemsIn, proveStop } from "../../tools/proofs/stop.ts";
import { ROOT } from "../support/cli.ts";
import { liarWords, perfectProof } from "./liar.ts";

/** The lies of the stop proof, and how each is found. */
const FOUND: readonly (readonly [lie: string, rounds: number, message: string])[] = [
  ["figures that nobody has seen", 100, "its rounds have waited 20000 ms"],
  ["a heart that still beats", 1, "frozen of round 1 is 0 where 1 is right"],
  ["a survivor that is hushed up", 1, "exited with 0 where 1 was expected"],
];

for (const [lie, rounds, message] of FOUND) {
  Deno.test(`the stop proof finds ${lie}`, async () => {
    const start = new Start(liarWords(lie), ROOT);
    await assertRejects(
      () => proveStop(start, { rounds, trees: 1 }, () => {}),
      Refutation,
      message,
    );
  });
}

const EXPECTED = { rounds: 2, trees: 4, elapsedMs: 1000 };

Deno.test("problemsIn() finds nothing where every figure is right", () => {
  assertEquals(problemsIn(perfectProof(2, 4), EXPECTED), []);
});

Deno.test("problemsIn() adds the figures up again", () => {
  const proof = perfectProof(2, 4);
  const wrong: [Record<string, unknown>, string[]][] = [
    [{ ok: false }, ["it is not so that all is well"]],
    [{ terminated: 7 }, ["terminated is 7 where 8 is right"]],
    [{ frozen: "8" }, ['frozen is "8" where 8 is right']],
    [{ survivors: 1 }, ["survivors is 1 where 0 is right"]],
    [{ worstMs: 19 }, ["worstMs is 19 where 20 is right"]],
    [{ medianMs: 21 }, ["it is not so that the median is one of the times"]],
    [{ floorMs: null }, ["it is not so that the floor was measured"]],
    [{ rounds: [] }, [
      "the number of rounds is 0 where 2 is right",
      "worstMs is 20 where null is right",
      "it is not so that the median is one of the times",
    ]],
  ];
  for (const [figures, problems] of wrong) {
    assertEquals(problemsIn({ ...proof, ...figures }, EXPECTED), problems);
  }
  assertEquals(problemsIn(proof, { ...EXPECTED, elapsedMs: 399 }), [
    "it is not so that its rounds have waited 400 ms: it took less",
  ]);
});

Deno.test("problemsIn() looks at every round", () => {
  const wrong: [Record<string, unknown>, string][] = [
    [{ round: 1 }, "the number of round 2 is 1 where 2 is right"],
    [{ trees: 3 }, "trees of round 2 is 3 where 4 is right"],
    [{ terminated: 3 }, "terminated of round 2 is 3 where 4 is right"],
    [{ frozen: 3 }, "frozen of round 2 is 3 where 4 is right"],
    [{ proven: false }, "it is not so that the stop of round 2 is proven"],
    [{ survivors: [{ pid: 1 }] }, 'survivors of round 2 is "[{\\"pid\\":1}]" where "[]" is right'],
    [{ goneMs: null }, "it is not so that the stop of round 2 has a time"],
  ];
  for (const [figures, problem] of wrong) {
    const proof = perfectProof(2, 4);
    Object.assign((proof.rounds as object[])[1] ?? {}, figures);
    assertEquals(problemsIn(proof, EXPECTED), [problem]);
  }
});
