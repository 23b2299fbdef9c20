import { assertEquals, assertStringIncludes } from "@std/assert";
import { type Outcome, readOutcome } from "../../src/model/mod.ts";

/** What reads differently each time. */
function changing(...values: unknown[]): () => unknown {
  let reads = 0;
  return () => values[Math.min(reads++, values.length - 1)];
}

Deno.test("readOutcome() takes every outcome as it is, in an object of its own", () => {
  const outcomes: Outcome[] = [
    { kind: "succeeded" },
    { kind: "succeeded", leftovers: 0, written: 0 },
    { kind: "exited", code: 255 },
    { kind: "exited", code: -1_073_741_510 },
    { kind: "exited", code: 3_221_225_786, leftovers: 2 },
    { kind: "signalled", signal: "SIGKILL" },
    { kind: "timed-out", leftovers: 1 },
    { kind: "output-limit" },
    { kind: "program-missing", message: "m" },
    { kind: "program-not-executable", message: "m" },
    { kind: "program-refused", message: "m" },
    { kind: "folder-missing", message: "m" },
    { kind: "failed", message: "" },
    { kind: "aborted" },
  ];
  for (const outcome of outcomes) {
    assertEquals(readOutcome({ ...outcome, other: 1 }), outcome);
    assertEquals(readOutcome(Object.create(outcome)), outcome);
  }
});

Deno.test("readOutcome() refuses what cannot be counted on", () => {
  const refused: unknown[] = [
    { kind: ["exited"], code: 1 },
    { kind: "exited", code: 2 ** 53 },
    { kind: "exited", code: 5n },
    { kind: "failed" },
    { kind: "failed", message: 5 },
    { kind: "succeeded", written: 2 ** 53 },
    { kind: "succeeded", leftovers: 5n },
  ];
  for (const value of refused) assertEquals(typeof readOutcome(value), "string");
});

Deno.test("readOutcome() reads each member once: what it has checked is what it returns", () => {
  const code = changing(3, NaN);
  const leftovers = changing(1, -1);
  const kind = changing("exited", "bogus");
  const value = {
    get kind() {
      return kind();
    },
    get code() {
      return code();
    },
    get leftovers() {
      return leftovers();
    },
  };
  assertEquals(readOutcome(value), { kind: "exited", code: 3, leftovers: 1 });
  assertStringIncludes(String(readOutcome(value)), "`leftovers`");
});
