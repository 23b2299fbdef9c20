import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Check, CheckStatus } from "../../src/cli/doctor_check.ts";

/** A check that says what it must; whoever is told of trouble is told what to do. */
export function assertCheck(check: Check, status: CheckStatus, ...parts: string[]): void {
  assertEquals(check.status, status, check.message);
  for (const part of parts) assertStringIncludes(check.message, part);
  if (status === "warning" || status === "failed") assert(check.next !== null, check.message);
  if (status === "ok") assertEquals(check.next, null);
  assert(/^[^a-z].*[^.]$/.test(check.message), `style: ${check.message}`);
}
