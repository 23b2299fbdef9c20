import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { formatLineage, type LineageSegment, parseLineage } from "../../src/model/mod.ts";

const segment = (): fc.Arbitrary<LineageSegment> =>
  fc.record({
    swarm: fc.stringMatching(/^[0-9a-z]{1,26}$/),
    epoch: fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }),
    run: fc.stringMatching(/^[0-9a-z-]{1,27}$/),
    token: fc.nat(),
    sequence: fc.nat(),
  });

Deno.test("parseLineage() reads back what formatLineage() wrote, an outer Skein's first", () => {
  fc.assert(
    fc.property(fc.array(segment(), { maxLength: 5 }), (segments) => {
      assertEquals(parseLineage(segments.reduce(formatLineage, "")), segments);
    }),
  );
});

Deno.test("formatLineage() writes each segment whole, so that it can be searched for as text", () => {
  const outer = formatLineage("", { swarm: "s", epoch: 1, run: "r", token: 0, sequence: 7 });
  assertEquals(outer, "/s/1/r/0/7/");
  const inner = formatLineage(outer, { swarm: "s", epoch: 2, run: "q", token: 3, sequence: 1 });
  assertEquals(inner, "/s/1/r/0/7//s/2/q/3/1/");
});

Deno.test("parseLineage() finds nothing in text that is no marker", () => {
  for (
    const text of ["", "/", "s/1/r/0/7/", "/s/1/r/0/", "/s/x/r/0/7/", "/s/0/r/0/7/", "/s/-1/r/0/7/"]
  ) {
    assertEquals(parseLineage(text), []);
  }
});

Deno.test("formatLineage() passes nothing of a garbled outer marker on, and parseLineage() reads behind one (G4)", () => {
  const own = { swarm: "s", epoch: 2, run: "r", token: 0, sequence: 5 };
  for (const outer of ["/a/1/b/2/3", "/a/1/b/2/3/", "x", "/", "//1/2", "/a/1/b/2/3/4/5/6/7"]) {
    assertEquals(parseLineage(formatLineage(outer, own)).at(-1), own);
    assertEquals(parseLineage(`${outer}${formatLineage("", own)}`).at(-1), own);
  }
});
