import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { countMembers, placeAt, survey } from "../../src/manifest/survey.ts";

Deno.test("survey() counts as many colons as the value has members, unless a key is repeated", () => {
  fc.assert(fc.property(fc.json({ maxDepth: 5 }), (text) => {
    assertEquals(survey(text).colons, countMembers(JSON.parse(text)));
    const repeated = `{"a": ${text}, "a": ${text}}`;
    assert(survey(repeated).colons > countMembers(JSON.parse(repeated)));
  }));
});

Deno.test("survey() sees no colon in strings, escapes and comments", () => {
  assertEquals(survey('{"a:\\":": ":" /* : */ // :\n}').colons, 1);
  assertEquals(survey("/ : /").colons, 1);
});

Deno.test("survey() names where the nesting is too deep", () => {
  assertEquals(survey("[".repeat(64)).tooDeepAt, -1);
  assertEquals(survey(`\n${"[".repeat(65)}`).tooDeepAt, 65);
  assertEquals(survey(`"${"[".repeat(65)}"`).tooDeepAt, -1);
});

Deno.test("placeAt() counts lines of every ending", () => {
  assertEquals(placeAt("a\nb\r\nc\rd", 7), { line: 4, column: 1 });
  assertEquals(placeAt("abc", 2), { line: 1, column: 3 });
});
