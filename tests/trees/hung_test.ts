import { assert, assertEquals } from "@std/assert";
import { canForbidReading, needing, succeeds, WITHOUT_ROOT_RIGHTS } from "../support/capability.ts";
import { eventually, LONG, startSkein } from "../support/cli.ts";
import { report } from "../support/figures.ts";
import { canMount, childrenOf, commandOf, SmallDisk } from "../support/namespace.ts";
import { HAS_PROC, isAlive } from "../support/processes.ts";
import { exists, Swarm } from "../support/swarm.ts";
import { ALL_KINDS, BARE_ORPHANS, type KindName, startTrees, type Trees } from "./trees.ts";

const ROUNDS = LONG ? 100 : 1;
const SLOW_ROUNDS = LONG ? 20 : 1;
const NEEDS = { "/proc": HAS_PROC, setsid: succeeds("setsid", "true") };
const WAIT_MS = 300;
/** What \`skein stop\` may take beyond its \`--wait\`, by docs/guarantees.md. */
const BEYOND_WAIT_MS = 2000;
/** Other tests share the two cores, so the short form allows for them; the long form runs alone. */
const SHARED = LONG ? 1 : 6;

/** The kinds that can be found without the orchestrator's help. */
const WITHOUT_ORCHESTRATOR = ALL_KINDS.filter((kind) => !BARE_ORPHANS.includes(kind));

/** Enough where it is not about them. */
const FEW: readonly KindName[] = ["setsid", "double fork", "ignore TERM"];

const STATES = { SIGSTOP: "hung", SIGKILL: "dead" } as const;

/** Stops a swarm whose orchestrator does not help, and checks the whole answer. */
async function stopAlone(swarm: Swarm, through: readonly string[] = []): Promise<number> {
  const { code, stdout, stderr } = await swarm.skein(["stop", "--wait", String(WAIT_MS)], {
    through,
  });
  const { proven, survivors, problems, elapsedMs } = JSON.parse(stdout);
  assertEquals([code, proven, survivors, problems], [0, true, 0, []], stdout + stderr);
  assert(elapsedMs < WAIT_MS + BEYOND_WAIT_MS * SHARED, `${elapsedMs} ms`);
  return elapsedMs;
}

/** Starts trees and takes their orchestrator away. */
async function startAlone(
  swarm: Swarm,
  signal: keyof typeof STATES,
  round: number,
): Promise<Trees> {
  const trees = startTrees(swarm, signal === "SIGSTOP" ? ALL_KINDS : WITHOUT_ORCHESTRATOR, {
    round,
  });
  await trees.ledgers.complete(trees.over);
  trees.running.kill(signal);
  if (signal === "SIGKILL") await trees.running.result;
  return trees;
}

function printTimes(what: string, times: readonly number[]): void {
  const sorted = times.toSorted((a, b) => a - b);
  const median = sorted[Math.floor(sorted.length / 2)] ?? 0;
  const worst = sorted.at(-1) ?? 0;
  const over = times.filter((ms) => ms > WAIT_MS + BEYOND_WAIT_MS).length;
  report(
    `${what}: ${times.length} rounds, 0 left, stop median ${Math.round(median)} ms, ` +
      `worst ${Math.round(worst)} ms, ${over} above ${WAIT_MS + BEYOND_WAIT_MS} ms`,
  );
}

for (const signal of ["SIGSTOP", "SIGKILL"] as const) {
  const kinds = (signal === "SIGSTOP" ? ALL_KINDS : WITHOUT_ORCHESTRATOR).join("; ");
  Deno.test({
    ...needing(
      `skein stop ends the children of a ${STATES[signal]} orchestrator: ${kinds} (G4)`,
      NEEDS,
    ),
    async fn() {
      await using swarm = new Swarm();
      const times: number[] = [];
      for (let round = 1; round <= ROUNDS; round++) {
        await using trees = await startAlone(swarm, signal, round);
        times.push(await stopAlone(swarm));
        await trees.ledgers.assertGone(`round ${round}`);
        await trees.running.result;
        await swarm.skein(["reset"]);
      }
      printTimes(`orchestrator ${STATES[signal]}`, times);
    },
  });
}

/** What escapes, with the conditions: documented in docs/guarantees.md. */
const ESCAPES: readonly { when: string; kind: KindName; gate: boolean }[] = [
  {
    when: "an orphan that has left its session and cleared its environment",
    kind: "env -i setsid, double fork",
    gate: false,
  },
  {
    when: "such a child whose marked parent has ended since",
    kind: "env -i setsid",
    gate: true,
  },
];

for (const { when, kind, gate } of ESCAPES) {
  Deno.test({
    ...needing(`skein stop misses, once the orchestrator is dead, ${when} (limit of G4)`, NEEDS),
    async fn() {
      await using swarm = new Swarm();
      await using trees = startTrees(swarm, [kind], { gate });
      const { ledgers, running } = trees;
      await ledgers.complete(trees.over);
      running.kill("SIGKILL");
      await running.result;
      if (gate) {
        trees.open();
        await eventually(
          "the leader has ended",
          () => ledgers.signed().filter(isAlive).length === 1,
        );
      }
      await stopAlone(swarm);
      const [escaped, ...others] = ledgers.signed().filter(isAlive);
      assert(escaped !== undefined, "nothing escapes any more: say so in docs/guarantees.md");
      assertEquals(others, [], "the leader and what carries its marker are gone");
    },
  });
}

/**
 * How long every exec waits at its door, and strace lets nobody die meanwhile: longer than a stop
 * takes to arrive there, and short enough for the bound.
 */
const EXEC_DELAY_MS = LONG ? 1500 : 3000;
const SLOW_EXEC = ["strace", "-f", "-qq", "-o", "/dev/null", "-e", "trace=execve"];
const DELAY = ["-e", `inject=execve:delay_enter=${EXEC_DELAY_MS * 1000}`];
const CAN_TRACE = HAS_PROC && succeeds("strace", ...SLOW_EXEC.slice(1), "true");

/** The child of the orchestrator beneath strace that has not executed its program yet, 0 where there is none. */
function unborn(tracer: number): { orchestrator: number; child: number } {
  for (const orchestrator of childrenOf(tracer)) {
    const own = commandOf(orchestrator);
    if (!own.includes("main.ts run")) continue;
    for (const child of childrenOf(orchestrator)) {
      if (commandOf(child) === own) return { orchestrator, child };
    }
  }
  return { orchestrator: 0, child: 0 };
}

for (const signal of ["SIGSTOP", "SIGKILL"] as const) {
  Deno.test({
    ...needing(
      `skein stop ends the child between fork and exec of a ${STATES[signal]} orchestrator (G4)`,
      { "strace with ptrace": CAN_TRACE },
    ),
    async fn() {
      const times: number[] = [];
      for (let round = 1; round <= SLOW_ROUNDS; round++) {
        await using swarm = new Swarm();
        const born = swarm.path("born");
        swarm.manifest({ a: { argv: ["/bin/sh", "-c", `echo > '${born}'; exec sleep 60`] } });
        const args = ["run", "swarm.json", "--state", swarm.state];
        const tracer = startSkein(args, {
          cwd: swarm.folder,
          through: [...SLOW_EXEC, ...DELAY],
        });
        const output = tracer.output();
        try {
          await eventually(
            "a child is between fork and exec",
            () => unborn(tracer.pid).child > 0,
            60_000,
          );
          const { orchestrator, child } = unborn(tracer.pid);
          Deno.kill(orchestrator, signal);
          times.push(await stopAlone(swarm));
          assert(!isRunning(orchestrator), "the orchestrator is gone");
          assert(!isRunning(child), "its child is gone");
          assert(!exists(born), "the child never ran its program");
        } finally {
          const { orchestrator, child } = unborn(tracer.pid);
          for (const pid of [orchestrator, child]) if (pid > 0) Deno.kill(pid, "SIGKILL");
          await output;
        }
      }
      printTimes(`child between fork and exec, orchestrator ${STATES[signal]}`, times);
    },
  });
}

function isRunning(pid: number): boolean {
  try {
    return !/\) [ZX] /.test(Deno.readTextFileSync(`/proc/${pid}/stat`));
  } catch {
    return false;
  }
}

for (const state of ["alive", "hung", "dead"] as const) {
  Deno.test({
    ...needing(
      `skein stop proves itself while the run's folder is unreadable, orchestrator ${state} (G4)`,
      {
        ...NEEDS,
        "permission bits that bind": canForbidReading(),
      },
    ),
    async fn() {
      await using swarm = new Swarm();
      await using trees = startTrees(swarm, FEW);
      await trees.ledgers.complete(trees.over);
      if (state === "hung") trees.running.kill("SIGSTOP");
      if (state === "dead") trees.running.kill("SIGKILL");
      const [run = ""] = swarm.runIds();
      const folders = [`${swarm.state}/runs/${run}`, `${swarm.state}/runs`];
      for (const folder of folders) Deno.chmodSync(folder, 0);
      try {
        const ms = await stopAlone(swarm, WITHOUT_ROOT_RIGHTS);
        await trees.ledgers.assertGone(`orchestrator ${state}`);
        report(`unreadable run folder, orchestrator ${state}: stop ${Math.round(ms)} ms`);
      } finally {
        for (const folder of folders.toReversed()) Deno.chmodSync(folder, 0o700);
      }
    },
  });

  Deno.test({
    ...needing(`skein stop proves itself on a full disk, orchestrator ${state} (G4)`, {
      ...NEEDS,
      "a tmpfs to mount": canMount(),
    }),
    async fn() {
      const folder = Deno.makeTempDirSync({ prefix: "skein-disk-" });
      try {
        using disk = new SmallDisk(folder, 1_048_576);
        await using swarm = new Swarm(`${folder}/state`);
        await using trees = startTrees(swarm, FEW);
        await trees.ledgers.complete(trees.over);
        if (state === "hung") trees.running.kill("SIGSTOP");
        if (state === "dead") trees.running.kill("SIGKILL");
        disk.fill();
        const ms = await stopAlone(swarm);
        await trees.ledgers.assertGone(`orchestrator ${state}`);
        assertEquals((await swarm.skein(["run", "swarm.json"])).code, 4, "latched");
        report(`full disk, orchestrator ${state}: stop ${Math.round(ms)} ms`);
      } finally {
        Deno.removeSync(folder);
      }
    },
  });
}
