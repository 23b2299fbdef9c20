import { assertEquals } from "@std/assert";
import { proveEverywhere, tallyLine, type Way } from "../../tools/proofs/everywhere.ts";
import { captured } from "../support/streams.ts";

Deno.test("proveEverywhere() counts a way that fails, one that is missing and one that cannot be made", async () => {
  const ways: Way[] = [
    { name: "nothing", words: () => Promise.resolve(["skein-is-not-there"]) },
    { name: "missing", words: () => Promise.resolve({ missing: "no runtime" }) },
    { name: "broken", words: () => Promise.reject(new Error("the compiler fails")) },
  ];
  let tally = { passed: 0, failed: 0, skipped: 0 };
  const said = await captured("stderr", async () => {
    tally = await proveEverywhere(ways);
  });
  assertEquals(tally, { passed: 0, failed: 4, skipped: 2 });
  const lines = said.match(/^(?:FAILED|SKIPPED) .*$/gm) ?? [];
  const beginnings = [
    "FAILED  functional proof: ",
    "FAILED  stop proof: ",
    "SKIPPED functional proof, stop proof: no runtime",
    "FAILED  functional proof, stop proof: the compiler fails",
  ];
  assertEquals(lines.map((line, index) => line.slice(0, beginnings[index]?.length)), beginnings);
});

Deno.test("tallyLine() is what .ci/run adds to the numbers of the tests", () => {
  assertEquals(
    tallyLine({ passed: 4, failed: 1, skipped: 2 }),
    "proofs | 4 passed | 1 failed | 2 skipped",
  );
});
