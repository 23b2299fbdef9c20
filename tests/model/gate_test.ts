import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { type GateLease, type GateMark, passGate } from "../../src/model/mod.ts";

const LEASE = { runId: "r", taskId: "t", epoch: 3, token: 2, sequence: 9 };
const SEEN: GateMark = { epoch: 3, token: 2, sequence: 9 };
const NO_NUMBERS = [-1, 0.5, NaN, Infinity, -Infinity, 2 ** 53, "3", null, {}, 3n];

function why(lease: unknown, seen: unknown): string | null {
  const answer = passGate(lease as GateLease, seen as GateMark);
  return answer.admitted ? null : answer.why;
}

Deno.test("passGate() passes the lease that was seen, and every later one, and says what to remember (G3, G7)", () => {
  for (
    const later of [
      {},
      { sequence: 10 },
      { token: 3, sequence: 10 },
      // Pairs are compared: under a higher token the sequence does not count.
      { token: 3, sequence: 1 },
      { epoch: 4 },
    ]
  ) {
    const lease = { ...LEASE, ...later };
    const { runId: _, taskId: __, ...mark } = lease;
    assertEquals(passGate(lease, SEEN), { admitted: true, mark });
  }
  const nothing = { epoch: 0, token: 0, sequence: 0 };
  assertEquals(passGate(LEASE, nothing), { admitted: true, mark: SEEN });
  const { token: _, ...local } = LEASE;
  assertEquals(passGate(local, nothing), { admitted: true, mark: { ...SEEN, token: 0 } });
});

Deno.test("passGate() refuses an old epoch, an old token, an old sequence, in this order (G3, G7)", () => {
  const { token: _, ...local } = LEASE;
  const cases: [GateLease, string][] = [
    [{ ...LEASE, epoch: 2 }, "old-epoch"],
    [{ ...LEASE, epoch: 2, token: 9, sequence: 99 }, "old-epoch"],
    [{ ...LEASE, token: 1 }, "old-token"],
    [{ ...LEASE, token: 1, sequence: 99 }, "old-token"],
    [{ ...LEASE, epoch: 4, token: 1 }, "old-token"],
    [local, "old-token"],
    [{ ...LEASE, sequence: 8 }, "old-sequence"],
    [{ ...LEASE, epoch: 4, sequence: 8 }, "old-sequence"],
  ];
  for (const [lease, expected] of cases) {
    assertEquals(why(lease, SEEN), expected, JSON.stringify(lease));
  }
});

Deno.test("passGate() refuses what is no lease, and a mark that is none: nothing passes by being malformed (G3)", () => {
  for (const value of [...NO_NUMBERS, 0, undefined]) {
    for (const field of ["epoch", "sequence"]) {
      assertEquals(why({ ...LEASE, [field]: value }, SEEN), "no-lease", `${field} ${value}`);
    }
    if (value === undefined) continue;
    assertEquals(why({ ...LEASE, token: value }, SEEN), "no-lease", `token ${value}`);
  }
  for (const value of ["", 1, null, undefined]) {
    for (const field of ["runId", "taskId"]) {
      assertEquals(why({ ...LEASE, [field]: value }, SEEN), "no-lease", `${field} ${value}`);
    }
  }
  for (const value of [null, undefined, 1, "lease", []]) {
    assertEquals(why(value, SEEN), "no-lease");
    assertEquals(why(LEASE, value), "no-mark");
  }
  for (const value of [...NO_NUMBERS, undefined]) {
    for (const field of ["epoch", "token", "sequence"]) {
      assertEquals(why(LEASE, { ...SEEN, [field]: value }), "no-mark", `${field} ${value}`);
    }
  }
});

Deno.test("passGate() never lets a mark go back, whatever comes in whatever order (G3, G7)", () => {
  const number = fc.integer({ min: 1, max: 4 });
  const leases = fc.record({
    runId: fc.constant("r"),
    taskId: fc.constant("t"),
    epoch: number,
    token: number,
    sequence: number,
  });
  let admitted = 0;
  let refused = 0;
  fc.assert(
    fc.property(fc.array(leases, { maxLength: 12 }), (coming) => {
      let mark: GateMark = { epoch: 0, token: 0, sequence: 0 };
      for (const lease of coming) {
        const answer = passGate(lease, mark);
        const lower = lease.epoch < mark.epoch || lease.token < mark.token ||
          (lease.token === mark.token && lease.sequence < mark.sequence);
        assertEquals(answer.admitted, !lower);
        if (answer.admitted) admitted++;
        else refused++;
        mark = answer.admitted ? answer.mark : mark;
      }
    }),
    { numRuns: 2000 },
  );
  assert(admitted > 1000 && refused > 1000, `${admitted} admitted, ${refused} refused`);
});
