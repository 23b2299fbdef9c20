import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { fill } from "../../src/view/fill.ts";

Deno.test("fill() fills lines, keeps paragraphs apart and code together", () => {
  assertEquals(fill("one two\nthree", 9), ["one two", "three"]);
  assertEquals(fill("one two\nthree", 13), ["one two three"]);
  assertEquals(fill("one\n\ntwo\n\n\nthree", 80), ["one", "", "two", "", "three"]);
  assertEquals(fill("say (`skein stop`), now", 14), ["say", "(`skein stop`),", "now"]);
  assertEquals(fill("a ` lost tick", 7), ["a `", "lost", "tick"]);
  assertEquals(fill("say `skein\nstop  now`, then", 18), ["say", "`skein stop now`,", "then"]);
  assertEquals(fill("\n\none\r\n\r\ntwo\n \nthree\n\n", 80), ["one", "", "two", "", "three"]);
  assertEquals(fill("an `` empty one", 5), ["an ``", "empty", "one"]);
  assertEquals(fill("", 9), [""]);
});

Deno.test("fill() loses no word, changes no order, and breaks every line that it can", () => {
  const words = fc.array(fc.string({ minLength: 1, unit: fc.constantFrom("a", "b", "`", "(") }));
  fc.assert(fc.property(words, fc.integer({ min: 1, max: 40 }), (list, columns) => {
    const text = list.join(" ");
    const lines = fill(text, columns);
    assertEquals(lines.join(" "), text);
    for (const line of lines) {
      assert(line.length <= columns || fill(line, 1).length === 1, `"${line}" could be broken`);
    }
  }));
});
