import { assertEquals, assertStringIncludes } from "@std/assert";
import {
  type ClockFacts,
  judgeClock,
  judgeGroups,
  judgeHiding,
  judgeProc,
  judgeRuntime,
  judgeSearch,
  judgeSystem,
  judgeTools,
  type WitnessFacts,
} from "../../src/cli/doctor_system_verdicts.ts";
import type { ProcSeen } from "../../src/proc/mod.ts";
import { assertCheck } from "./checks.ts";

const WITNESS: WitnessFacts = {
  pid: 42,
  standing: { group: 42, session: 42 },
  ended: true,
  found: true,
  conclusive: true,
  problems: [],
  marked: true,
};
const PROC: ProcSeen = { reader: "itself", ownNumbers: true, environment: "A=b\0", hidepid: null };
const NOTHING = { ok: false, problem: "it was not allowed" } as const;

function witness(more: Partial<WitnessFacts> = {}) {
  return { ok: true, value: { ...WITNESS, ...more } } as const;
}

Deno.test("judgeRuntime() warns of a runtime that is older than those it is tested with", () => {
  for (const deno of ["2.9.0", "2.9.6", "2.10.0", "3.0.0"]) {
    assertCheck(judgeRuntime({ deno, standalone: false }), "ok", deno);
  }
  for (const deno of ["2.8.3", "2.6.10", "1.46.0"]) {
    const check = judgeRuntime({ deno, standalone: true });
    assertCheck(check, "warning", deno, "2.9");
    assertEquals(check.next, "Use a newer binary");
  }
  assertCheck(judgeRuntime({ deno: "canary", standalone: false }), "unknown");
});

Deno.test("judgeSystem() says what a stop cannot do on a system", () => {
  const facts = { name: "Linux", limit: null, arch: "x86_64", release: "6.18" };
  assertCheck(judgeSystem(facts), "ok", "Linux 6.18, x86_64");
  assertCheck(
    judgeSystem({ ...facts, limit: "Nothing is proven" }),
    "warning",
    "Nothing is proven",
  );
  assertCheck(judgeSystem({ ...facts, release: null }), "ok", "unknown version");
});

Deno.test("judgeGroups() demands a group and a session, and that a signal to it ends it", () => {
  assertCheck(judgeGroups(witness()), "ok", "session");
  assertCheck(judgeGroups(witness({ standing: { group: 42, session: null } })), "ok");
  assertCheck(judgeGroups(witness({ standing: { group: 1, session: 42 } })), "failed", "group 1");
  assertCheck(judgeGroups(witness({ standing: { group: 42, session: 1 } })), "failed", "session 1");
  assertCheck(judgeGroups(witness({ ended: false })), "failed", "no effect");
  assertCheck(judgeGroups(witness({ standing: null })), "unknown");
  assertCheck(judgeGroups(NOTHING), "unknown", NOTHING.problem);
});

Deno.test("judgeProc() demands a /proc of this namespace with the environment of others", () => {
  assertCheck(judgeProc(PROC, witness()), "ok");
  assertCheck(judgeProc({ ...PROC, reader: "grep", ownNumbers: null }, witness()), "ok", "grep");
  assertCheck(judgeProc({ ...PROC, reader: "nobody" }, witness()), "failed", "`grep`");
  assertCheck(judgeProc({ ...PROC, ownNumbers: false }, witness()), "failed", "namespace");
  assertCheck(judgeProc(PROC, witness({ marked: false })), "failed", "environment");
  assertCheck(judgeProc(PROC, NOTHING), "ok");
  assertCheck(judgeProc({ ...PROC, environment: null }, NOTHING), "failed", "environment");
  assertCheck(judgeProc(null, witness()), "unknown");
});

Deno.test("judgeHiding() tells what hidepid hides from whom", () => {
  const hiding = (hidepid: string | null, user: number | null = 1000) =>
    judgeHiding({ ...PROC, hidepid }, user);
  for (const value of [null, "0", "off"]) assertCheck(hiding(value), "ok");
  for (const value of ["1", "2", "noaccess", "invisible"]) {
    assertCheck(hiding(value), "warning", "other users", value);
  }
  for (const value of ["4", "ptraceable"]) assertCheck(hiding(value), "warning", "and of this one");
  assertCheck(hiding("invisible", 0), "ok", "root");
  assertCheck(hiding("invisible", null), "warning");
  assertCheck(judgeHiding({ ...PROC, reader: "nobody" }, 1000), "unknown");
  assertCheck(judgeHiding(null, 1000), "ok");
});

Deno.test("judgeSearch() demands that a marked process is found, where the system shows markers", () => {
  assertCheck(judgeSearch(witness(), "all"), "ok");
  assertCheck(judgeSearch(witness({ found: false }), "all"), "failed", "was not found");
  assertCheck(judgeSearch(witness({ found: false }), "some"), "warning");
  assertCheck(judgeSearch(witness({ found: false, conclusive: false }), "none"), "warning");
  const problems = ["processes are started too fast"];
  assertCheck(judgeSearch(witness({ conclusive: false, problems }), "all"), "failed", "too fast");
  assertCheck(judgeSearch(NOTHING, "all"), "unknown", NOTHING.problem);
});

Deno.test("judgeTools() takes a missing program for worse where it is needed", () => {
  const tools = [{ name: "ps", problem: null }, { name: "grep", problem: "it is not there" }];
  assertCheck(judgeTools(tools.slice(0, 1), PROC), "ok", "`ps`");
  assertCheck(judgeTools(tools, PROC), "warning", "`grep`: it is not there");
  assertCheck(judgeTools(tools, { ...PROC, reader: "grep" }), "failed", "`grep`");
  assertCheck(judgeTools(tools, null), "failed", "`grep`");
});

/** 2026-11-29, and some milliseconds. */
const NOW = 1_796_000_000_000;

function clocks(...walls: number[]): ClockFacts {
  return { samples: walls.map((wall, at) => ({ wall: NOW + wall, mono: at * 50 })), changes: [] };
}

Deno.test("judgeClock() sees a clock that jumps, and how far", () => {
  assertCheck(judgeClock(clocks(0, 50, 101, 150)), "ok", "150 ms");
  assertCheck(judgeClock(clocks(0, 50, 300, 350)), "warning", "forward by 200 ms");
  assertCheck(judgeClock(clocks(0, 50, 5_100, 5_150)), "failed", "forward by 5.0 s");
  assertCheck(judgeClock(clocks(0, -60_000, -59_950)), "failed", "back by 1 min 0 s");
  // To and fro: the largest step counts, not the sum.
  assertCheck(judgeClock(clocks(0, -60_000, 100)), "failed", "set");
});

Deno.test("judgeClock() sees a clock that stands, that is years off, and files of the future", () => {
  const stands = { samples: [{ wall: NOW, mono: 7 }, { wall: NOW + 50, mono: 7 }], changes: [] };
  assertCheck(judgeClock(stands), "failed", "monotonic");
  assertCheck(judgeClock(clocks(-NOW, 50 - NOW)), "failed", "1970-01-01");
  const ahead = (...ms: number[]) => {
    const changes = ms.map((each) => ({ path: `/s/${each}`, at: NOW + 50 + each }));
    return judgeClock({ ...clocks(0, 50), changes });
  };
  assertCheck(ahead(0, -9_000_000, 2_000), "ok");
  const check = ahead(4_000, 600_000, 5_000);
  assertCheck(check, "warning", "10 min 0 s in the future");
  assertStringIncludes(check.message, "/s/600000");
  assertCheck(judgeClock({ samples: [], changes: [] }), "unknown");
});
