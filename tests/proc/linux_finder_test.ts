import { assertEquals } from "@std/assert";
import { formatLineage, parseLineage } from "../../src/model/mod.ts";
import type { Eyes } from "../../src/proc/linux_eyes.ts";
import { LinuxFinder } from "../../src/proc/linux_finder.ts";
import type { Seen } from "../../src/proc/linux_proc.ts";

const PLACE = { bootId: "boot", pidNamespace: "ns" };
const MARK = formatLineage("", { swarm: "s", epoch: 1, run: "r", token: 0, sequence: 4 });

/** A process; unless it is said otherwise a child of process 1 in a session whose leader is gone. */
function seen(pid: number, session: number, more: { mark?: string; parent?: number } = {}): Seen {
  const { mark = "", parent = 1 } = more;
  const base = { name: "x", state: "S", kernel: false, startTime: `${pid}` };
  const stat = { ...base, pid, parent, group: session, session };
  return { stat, environ: mark, lineage: parseLineage(mark), passing: false };
}

async function foundAmong(machine: readonly Seen[]): Promise<number[]> {
  const eyes: Eyes = {
    all: () => Promise.resolve({ seen: machine, last: 9999, own: [] }),
    some: (pids) => {
      return Promise.resolve({
        seen: machine.filter(({ stat }) => pids.includes(stat.pid)),
        last: 9999,
        own: [],
      });
    },
  };
  const finder = new LinuxFinder((segment) => segment.swarm === "s", eyes, PLACE, () => "x");
  const { found } = await finder.sweep();
  return found.map(({ pid }) => pid).sort((a, b) => a - b);
}

const SELF = Deno.pid;
const [A, B, C, D] = [SELF + 1, SELF + 2, SELF + 3, SELF + 4];

Deno.test("LinuxFinder finds the unmarked members of a session whose leader was a marked pass (G4)", async () => {
  const machine = [
    seen(SELF, 70),
    seen(A, 80, { mark: MARK }),
    seen(B, 80),
    seen(C, 90),
    seen(D, 91, { parent: B }),
  ];
  assertEquals(await foundAmong(machine), [A, B, D]);
});

Deno.test("LinuxFinder spares the session of who looks, though a marked process is in it (G4)", async () => {
  const machine = [
    seen(SELF, 70),
    seen(A, 70, { mark: MARK }),
    seen(B, 70),
    seen(C, 70, { parent: A }),
  ];
  assertEquals(await foundAmong(machine), [A, C]);
});

Deno.test("LinuxFinder spares a session that a stranger leads, though a marked process is in it (G4)", async () => {
  const machine = [seen(SELF, 70), seen(A, A), seen(B, A, { mark: MARK }), seen(C, A)];
  assertEquals(await foundAmong(machine), [B]);
});
