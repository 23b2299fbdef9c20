import { assert, assertFalse, assertMatch, assertNotEquals } from "@std/assert";
import { isReasonCode, REASONS } from "../../src/reason/mod.ts";

Deno.test("REASONS has a short text, an explanation and a remedy for every code (G10)", () => {
  for (const [code, { short, explanation, remedy }] of Object.entries(REASONS)) {
    assertMatch(code, /^(?:RUN|TASK|WRITE)_[A-Z_]+$/);
    for (const text of [short, explanation, remedy]) {
      assertNotEquals(text.trim(), "", code);
      assert(text === text.trim(), code);
    }
    assertFalse(short.endsWith("."), `${code}: short`);
    assertFalse(remedy.endsWith("."), `${code}: remedy`);
    assert(explanation.endsWith("."), `${code}: explanation`);
    assert(short.length <= 60, `${code}: short is long`);
  }
});

Deno.test("isReasonCode() knows the catalogue and nothing that objects inherit", () => {
  for (const code of Object.keys(REASONS)) assert(isReasonCode(code));
  for (const text of ["", "toString", "constructor", "task_failed_exit", "TASK_FAILED"]) {
    assertFalse(isReasonCode(text));
  }
});
