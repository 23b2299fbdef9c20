/**
 * The conformance suite: what a database must do to be a store of Skein's. Every dialect runs it whole.
 *
 * @module
 */
import { assertEquals } from "@std/assert";
import { ATTEMPT_CASES } from "./attempts.ts";
import { AUDIT_CASES } from "./audit.ts";
import { CLAIM_CASES } from "./claims.ts";
import { CONCURRENCY_CASES } from "./concurrency.ts";
import { EXECUTOR_CASES } from "./executors.ts";
import { LOSS_CASES } from "./losses.ts";
import { OPERATOR_CASES } from "./operators.ts";
import { READ_CASES } from "./reads.ts";
import { RENEWAL_CASES } from "./renewals.ts";
import { SUBMIT_CASES } from "./submissions.ts";
import { type Case, Scene, type StoreFactory } from "./world.ts";

const CASES: readonly Readonly<Record<string, Case>>[] = [
  SUBMIT_CASES,
  CLAIM_CASES,
  ATTEMPT_CASES,
  RENEWAL_CASES,
  LOSS_CASES,
  OPERATOR_CASES,
  EXECUTOR_CASES,
  READ_CASES,
  AUDIT_CASES,
  CONCURRENCY_CASES,
];

/** Registers every case for a database. After each of them fsck must find nothing. */
export function conformance({ name, make }: StoreFactory): void {
  for (const [promise, run] of CASES.flatMap((cases) => Object.entries(cases))) {
    Deno.test(`${name}: ${promise}`, async () => {
      await using world = await make();
      await run(new Scene(world));
      assertEquals(await world.store.fsck(), []);
    });
  }
}
