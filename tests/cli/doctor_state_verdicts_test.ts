import { assertStringIncludes } from "@std/assert";
import {
  judgeEpoch,
  judgeHolders,
  judgeId,
  judgeQueue,
  judgeStop,
  type QueueFacts,
} from "../../src/cli/doctor_state_verdicts.ts";
import type { StopRecord } from "../../src/fence/mod.ts";
import { assertCheck } from "./checks.ts";

const RECORD: StopRecord = {
  version: 1,
  epoch: 2,
  reason: "agents loop",
  requestedAt: "2026-11-29T17:45:25.123Z",
  by: { host: "h", pid: 1, user: "u" },
};
const PROCESS = { bootId: "b", pidNamespace: "n", pid: 42, startTime: "1" };
const HOLDER = { id: "one", record: { process: PROCESS, runId: "run", epoch: 1 } };
const EPOCH = { ok: true, epoch: 3 } as const;

Deno.test("judgeId() fails where processes carry an id that is gone", () => {
  assertCheck(judgeId({ is: "there" }), "ok");
  assertCheck(judgeId({ is: "missing", used: false }), "ok");
  assertCheck(judgeId({ is: "missing", used: true }), "failed", "ID is missing");
  assertCheck(judgeId({ is: "unreadable", problem: "it is corrupt" }), "failed", "it is corrupt");
});

Deno.test("judgeStop() tells a stop from what cannot be read", () => {
  assertCheck(judgeStop({ at: "nothing" }), "ok");
  const there = { at: "something", identity: "i", record: null, problem: null } as const;
  assertCheck(judgeStop({ ...there, record: RECORD }), "warning", '"agents loop"');
  assertCheck(judgeStop(there), "warning", "stopped");
  assertCheck(judgeStop({ ...there, problem: "STOP is not a file" }), "failed", "is not a file");
});

Deno.test("judgeEpoch() fails with what is wrong, and names the way out", () => {
  assertCheck(judgeEpoch(EPOCH), "ok", "3");
  const check = judgeEpoch({ ok: false, problem: 'EPOCH is not a number: "x"' });
  assertCheck(check, "failed", "EPOCH is not a number");
  assertStringIncludes(check.next ?? "", "skein reset --epoch");
});

Deno.test("judgeHolders() tells the living, the dead, and whom nobody can name", () => {
  const seen = { live: [], dead: [], problems: [] };
  assertCheck(judgeHolders(seen), "ok", "No run");
  assertCheck(judgeHolders({ ...seen, live: [HOLDER, HOLDER] }), "ok", "2");
  assertCheck(judgeHolders({ ...seen, dead: ["a"] }), "warning", "1 process has died");
  assertCheck(judgeHolders({ ...seen, dead: ["a", "b"] }), "warning", "2 processes have died");
  const nameless = { ...seen, live: [HOLDER, { id: "two", record: null }] };
  assertCheck(judgeHolders(nameless), "failed", "holders/two");
  assertCheck(judgeHolders({ ...seen, problems: ["/s/holders: no"] }), "failed", "/s/holders: no");
});

Deno.test("judgeQueue() fails where the queue cannot be used, is broken, or has seen a higher epoch", () => {
  const judge = (value: QueueFacts) => judgeQueue({ ok: true, value }, EPOCH);
  const open = { is: "open", highest: 3, violations: [] } as const;
  assertCheck(judge({ is: "none" }), "ok", "no queue");
  assertCheck(judge(open), "ok");
  assertCheck(judge({ ...open, highest: 4 }), "failed", "EPOCH is 3", "seen 4");
  // What EPOCH is is the affair of another check.
  assertCheck(judgeQueue({ ok: true, value: open }, { ok: false, problem: "corrupt" }), "ok");
  const unusable = judge({ is: "unusable", problem: "it is damaged", next: null });
  assertCheck(unusable, "failed", "it is damaged");
  assertCheck(judge({ is: "locked", waitedMs: 5_000 }), "failed", "5 s");
  assertCheck(judgeQueue({ ok: false, problem: "odd" }, EPOCH), "unknown", "odd");
  const violations = ["a", "b", "c", "d", "e"].map((id) => ({ check: "events", id, message: "m" }));
  const broken = judge({ ...open, violations });
  assertCheck(broken, "failed", "5 promises", "events a, events b, events c and 2 more");
});
