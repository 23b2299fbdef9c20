import { assert, assertEquals, assertMatch, assertThrows } from "@std/assert";
import fc from "fast-check";
import { fileNameOf } from "../../src/model/mod.ts";

const id = (): fc.Arbitrary<string> =>
  fc.oneof(
    fc.string({ unit: "grapheme", minLength: 1, maxLength: 12 }),
    fc.string({ unit: fc.constantFrom("a", "A", "=", "%", ".", "/", "ä", "4", "1"), minLength: 1 }),
    fc.constantFrom("con", "CON", "Con", "%63on", "=con", "nul", "com1", "a", "A", "=a"),
  ).filter((text) => text.isWellFormed());

Deno.test("fileNameOf() gives two ids two names, also where case does not count", () => {
  fc.assert(
    fc.property(id(), id(), (one, other) => {
      const same = fileNameOf(one).toLowerCase() === fileNameOf(other).toLowerCase();
      assertEquals(same, one === other);
    }),
    { numRuns: 5000 },
  );
});

Deno.test("fileNameOf() uses no character but those that every filesystem takes", () => {
  fc.assert(fc.property(id(), (text) => assertMatch(fileNameOf(text), /^[a-z0-9_=%-]+$/)));
});

Deno.test("fileNameOf() leaves a plain id as it is", () => {
  assertEquals(fileNameOf("review-a_2"), "review-a_2");
  assertEquals(fileNameOf("Review.A"), "=review%2e=a");
  assertEquals(fileNameOf("../ä"), "%2e%2e%2f%c3%a4");
});

Deno.test("fileNameOf() never gives the name of a device", () => {
  for (const device of ["con", "prn", "aux", "nul", "com1", "com9", "lpt1"]) {
    const name = fileNameOf(device);
    assert(name.startsWith("%"), name);
    assertEquals(decodeURIComponent(name), device);
  }
  assertEquals(fileNameOf("console"), "console");
});

Deno.test("fileNameOf() refuses an id that is empty or no well-formed text", () => {
  for (const broken of ["", "\ud800", "a\udc00b"]) {
    assertThrows(() => fileNameOf(broken), TypeError, "well-formed");
  }
});
