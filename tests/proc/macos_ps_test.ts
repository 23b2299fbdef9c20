import { assertEquals } from "@std/assert";
import { formatLineage } from "../../src/model/mod.ts";
import { parsePs } from "../../src/proc/macos_ps.ts";

const SEGMENT = { swarm: "s", epoch: 3, run: "r", token: 0, sequence: 9 };
const MARK = `SKEIN_LINEAGE=${formatLineage("", SEGMENT)}`;

/** What `ps -axEww -o pid=,ppid=,pgid=,state=,lstart=,command=` prints on macOS 14. */
const TEXT = `
    1     0     1 Ss   Sun Nov 29 08:01:13 2026     /sbin/launchd
  501     1   501 S    Sun Nov  1 08:01:40 2026     /System/Library/CoreServices/My App.app/Contents/MacOS/My App --flag
 4242   900  4242 Ss+  Sun Nov 29 17:45:25 2026     sh -c echo hi; sleep 30 PATH=/usr/bin:/bin HOME=/Users/me ${MARK} LANG=C
 4243  4242  4242 S+   Sun Nov 29 17:45:26 2026     sleep 30 ${MARK}
 4244     1  4244 Z    Sun Nov 29 17:45:26 2026     (sleep)
 4245     1  4245 R    Sun Nov 29 17:45:27 2026     /usr/bin/env MY_${MARK}
99999 99998 99998 ?Es  Sun Nov 29 17:45:28 2026
ps: some warning
`;

Deno.test("parsePs() reads pid, parent, group, state, start and marker of each line", () => {
  const rows = parsePs(TEXT).map(({ pid, parent, group, state, startTime, lineage }) => [
    pid,
    parent,
    group,
    state,
    startTime,
    lineage.length,
  ]);
  assertEquals(rows, [
    [1, 0, 1, "Ss", "Sun Nov 29 08:01:13 2026", 0],
    [501, 1, 501, "S", "Sun Nov  1 08:01:40 2026", 0],
    [4242, 900, 4242, "Ss+", "Sun Nov 29 17:45:25 2026", 1],
    [4243, 4242, 4242, "S+", "Sun Nov 29 17:45:26 2026", 1],
    [4244, 1, 4244, "Z", "Sun Nov 29 17:45:26 2026", 0],
    [4245, 1, 4245, "R", "Sun Nov 29 17:45:27 2026", 0],
    [99999, 99998, 99998, "?Es", "Sun Nov 29 17:45:28 2026", 0],
  ]);
});

Deno.test("parsePs() keeps the command with its spaces, and reads the whole marker", () => {
  const rows = parsePs(TEXT);
  const app = "/System/Library/CoreServices/My App.app/Contents/MacOS/My App --flag";
  assertEquals(rows.find(({ pid }) => pid === 501)?.command, app);
  assertEquals(rows.find(({ pid }) => pid === 4243)?.lineage, [SEGMENT]);
});

Deno.test("parsePs() passes over what is no line of a process", () => {
  assertEquals(parsePs(""), []);
  assertEquals(parsePs("  PID  PPID  PGID STAT STARTED COMMAND\nps: no such process\n"), []);
});

Deno.test("parsePs() sees the marker behind an argument that looks like one (G4)", () => {
  const line =
    ` 7 1 7 S Sun Nov 29 17:45:25 2026     agent SKEIN_LINEAGE=x SKEIN_LINEAGE= ${MARK} A=b`;
  assertEquals(parsePs(line)[0]?.lineage, [SEGMENT]);
});
