import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { parseDuration } from "../../src/cli/duration.ts";
import { UsageError } from "../../src/cli/usage_error.ts";

Deno.test("parseDuration() reads a whole number with its unit, in milliseconds", () => {
  const durations = { "0s": 0, "500ms": 500, "90s": 90_000, "15min": 900_000, "12h": 43_200_000 };
  for (const [text, ms] of Object.entries(durations)) assertEquals(parseDuration("x", text), ms);
  assertEquals([parseDuration("x", "30d"), parseDuration("x", "2w")], [
    2_592_000_000,
    1_209_600_000,
  ]);
});

Deno.test("parseDuration() refuses everything else, and says how one is written", () => {
  for (const text of ["30", "d", "1.5h", "-1d", "1 d", "1D", "1m", "9999999999d", "1h30min"]) {
    const error = assertThrows(() => parseDuration("older-than", text), UsageError);
    const { message } = error;
    assertEquals(error.next, "See `skein help prune`");
    assertStringIncludes(message, `"--older-than" must be`);
    assertStringIncludes(message, `"${text}"`);
  }
});
