import { assert, assertEquals, assertFalse } from "@std/assert";
import { formatLineage } from "../../src/model/mod.ts";
import { isDead, lineageIn, parseLastPid, parseStat } from "../../src/proc/linux_proc.ts";

const REST = "17 4242 4242 0 -1 4194304 90 0 0 0 0 0 0 0 20 0 1 0 987654321 2498560 220 0 1 1 0";

for (const name of ["sh", "a b", "((sd-pam))", ") R 1 1 1 (", "", "x) S 1 2 3", "über"]) {
  Deno.test(`parseStat() reads the fields after a name such as "${name}"`, () => {
    assertEquals(parseStat(`4243 (${name}) S ${REST}\n`), {
      pid: 4243,
      name,
      state: "S",
      parent: 17,
      group: 4242,
      session: 4242,
      kernel: false,
      startTime: "987654321",
    });
  });
}

for (
  const text of ["", "4243", "4243 (sh", "4243 (sh) S 1 2 3", "x (sh) S 1", ") 1 (", "a (b) c"]
) {
  Deno.test(`parseStat() makes nothing of ${JSON.stringify(text)}`, () => {
    assertEquals(parseStat(text), null);
  });
}

Deno.test("parseStat() reads what this kernel prints of this very process", () => {
  if (Deno.build.os !== "linux") return;
  const stat = parseStat(Deno.readTextFileSync("/proc/self/stat"));
  assertEquals([stat?.pid, stat?.parent], [Deno.pid, Deno.ppid]);
});

Deno.test("isDead() knows the states of what no longer runs", () => {
  const dead = [..."RSDTtIWPKZX"].filter(isDead);
  assertEquals(dead, ["Z", "X"]);
});

const SEGMENT = { swarm: "s", epoch: 3, run: "r", token: 0, sequence: 9 };
const OUTER = { swarm: "outer", epoch: 1, run: "q", token: 7, sequence: 2 };
const MARK = `SKEIN_LINEAGE=${formatLineage("", SEGMENT)}`;

const ENVIRONMENTS: readonly (readonly [string, string, typeof SEGMENT[]])[] = [
  ["first", `${MARK}\0PATH=/bin\0`, [SEGMENT]],
  ["in the middle", `A=1\0${MARK}\0PATH=/bin\0`, [SEGMENT]],
  ["last, without a NUL", `A=1\0${MARK}`, [SEGMENT]],
  ["with an outer one", `SKEIN_LINEAGE=${formatLineage(formatLineage("", OUTER), SEGMENT)}\0`, [
    OUTER,
    SEGMENT,
  ]],
  ["absent", "A=1\0PATH=/bin\0", []],
  ["in an empty environment", "", []],
  ["empty", "SKEIN_LINEAGE=\0A=1\0", []],
  ["the end of another name", `MY_${MARK}\0`, []],
  ["inside of another value", `A=x ${MARK}\0B=${MARK}\0`, []],
  ["malformed", "SKEIN_LINEAGE=/s/x/r/0/1/\0", []],
  ["of epoch 0", "SKEIN_LINEAGE=/s/0/r/0/1/\0", []],
];

for (const [where, environ, expected] of ENVIRONMENTS) {
  Deno.test(`lineageIn() reads a marker that is ${where}`, () => {
    assertEquals(lineageIn(environ), expected);
  });
}

Deno.test("parseLastPid() reads the last field", () => {
  assertEquals(parseLastPid("0.20 0.18 0.12 1/80 11206\n"), 11206);
  assertEquals(parseLastPid("0.20 0.18 0.12 1/80 4194304"), 4194304);
});

Deno.test("parseStat() tells a thread of the kernel by its flags, not by its pid (G4)", () => {
  const thread = "2 (kthreadd) S 0 0 0 0 -1 2129984 0 0 0 0 0 0 0 0 20 0 1 0 7 0 0";
  assert(parseStat(thread)?.kernel);
  const program = "2 (sh) S 1 2 2 0 -1 4194560 0 0 0 0 0 0 0 0 20 0 1 0 7 0 0";
  assertFalse(parseStat(program)?.kernel);
});
