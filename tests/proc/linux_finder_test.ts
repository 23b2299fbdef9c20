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

/** Eyes that see one machine in the first look and, where it has changed meanwhile, another in those that follow. */
function eyesOn(machine: readonly Seen[], later: readonly Seen[] = machine): Eyes {
  return {
    all: () => Promise.resolve({ seen: machine, last: 9999, own: [] }),
    some: (pids) => {
      return Promise.resolve({
        seen: pids.flatMap((pid) => later.filter(({ stat }) => stat.pid === pid)),
        last: 9999,
        own: [],
      });
    },
  };
}

async function foundAmong(
  machine: readonly Seen[],
  later?: readonly Seen[],
  named?: number,
): Promise<number[]> {
  const eyes = eyesOn(machine, later);
  const finder = new LinuxFinder((segment) => segment.swarm === "s", eyes, PLACE, () => "x");
  if (named !== undefined) finder.include({ ...PLACE, pid: named, startTime: `${named}` });
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

Deno.test("LinuxFinder spares the session of a pass that has not made its own yet (G3)", async () => {
  const early = seen(A, 70, { mark: MARK });
  const machine = [
    seen(SELF, 60),
    { ...early, stat: { ...early.stat, name: "setsid" } },
    seen(B, 70),
  ];
  assertEquals(await foundAmong(machine), [A]);
});

Deno.test("LinuxFinder asks again for the parent of a child whose parent has ended during the look (G4)", async () => {
  const [orchestrator, gone, child] = [A, B, C];
  const before = [seen(SELF, 70), seen(orchestrator, A), seen(child, 90, { parent: gone })];
  const after = [seen(SELF, 70), seen(orchestrator, A), seen(child, 90, { parent: orchestrator })];
  assertEquals(await foundAmong(before, after, orchestrator), [orchestrator, child]);
});

Deno.test("LinuxFinder follows a child that is handed on from one dying parent to the next (G4)", async () => {
  const zombie = { ...seen(B, 90, { parent: A }) };
  const dead = { ...zombie, stat: { ...zombie.stat, state: "Z" } };
  const before = [seen(SELF, 70), seen(A, A), dead, seen(C, 90, { parent: B })];
  const after = [seen(SELF, 70), seen(A, A), dead, seen(C, 90, { parent: A })];
  assertEquals(await foundAmong(before, after, A), [A, C]);
});

Deno.test("LinuxFinder concludes although a process has a parent that nobody can see (G4)", async () => {
  const eyes = eyesOn([seen(SELF, 70), seen(A, 90, { parent: B })]);
  const finder = new LinuxFinder(() => false, eyes, PLACE, () => "x");
  assertEquals(await finder.sweep(), {
    found: [],
    complete: true,
    conclusive: true,
    problems: [],
  });
});
