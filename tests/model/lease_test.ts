import { assert, assertEquals, assertFalse } from "@std/assert";
import fc from "fast-check";
import { isPositiveInteger, type Lease, leaseValid } from "../../src/model/mod.ts";

const LEASE: Lease = {
  runId: "r",
  taskId: "t",
  pass: 1,
  attempt: 1,
  epoch: 3,
  sequence: 9,
  issuedAt: "2026-01-01T00:00:00.000Z",
};
const BROKEN = [0, -1, 0.5, 3.5, NaN, Infinity, -Infinity, 2 ** 53, "3", null, undefined, {}, 3n];

Deno.test("leaseValid() passes a whole lease of the current epoch (G3)", () => {
  assert(leaseValid(LEASE, 3));
  assert(leaseValid({ ...LEASE, epoch: Number.MAX_SAFE_INTEGER }, Number.MAX_SAFE_INTEGER));
});

Deno.test("leaseValid() refuses every broken field (G3)", () => {
  for (const value of BROKEN) {
    for (const field of ["epoch", "sequence", "pass"]) {
      const lease = { ...LEASE, [field]: value } as unknown as Lease;
      assertFalse(leaseValid(lease, 3), `${field} ${String(value)}`);
    }
    assertFalse(leaseValid({ ...LEASE, epoch: value as number }, value as number), String(value));
  }
  for (const value of ["", 1, null, undefined]) {
    for (const field of ["runId", "taskId"]) {
      const lease = { ...LEASE, [field]: value } as unknown as Lease;
      assertFalse(leaseValid(lease, 3), `${field} ${String(value)}`);
    }
  }
});

Deno.test("leaseValid() passes exactly when all five conditions hold (G3)", () => {
  const number = () =>
    fc.oneof(
      fc.integer({ min: -2, max: 4 }),
      fc.constantFrom(NaN, 0.5, 2 ** 53, Infinity, Number.MAX_SAFE_INTEGER),
    );
  const text = () => fc.constantFrom("", "a", "b");
  const fields = fc.record({
    runId: text(),
    taskId: text(),
    pass: number(),
    epoch: number(),
    sequence: number(),
  });
  fc.assert(
    fc.property(fields, number(), (broken, current) => {
      const positive = (value: number) => value >= 1 && value < 2 ** 53 && value % 1 === 0;
      const expected = positive(current) && broken.epoch === current && broken.runId !== "" &&
        positive(broken.sequence) && broken.taskId !== "" && positive(broken.pass);
      assertEquals(leaseValid({ ...LEASE, ...broken }, current), expected);
    }),
    { numRuns: 5000 },
  );
});

Deno.test("isPositiveInteger() takes 1 to 2^53-1 and nothing else", () => {
  for (const value of [1, 2, Number.MAX_SAFE_INTEGER]) assert(isPositiveInteger(value));
  for (const value of BROKEN) assertFalse(isPositiveInteger(value));
});
