import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { killUntilGone, type Platform, platform } from "../../src/proc/mod.ts";
import { needing, succeeds } from "../support/capability.ts";
import { eventually, LONG, type Result } from "../support/cli.ts";
import { report } from "../support/figures.ts";
import { startNarrow } from "../support/narrow.ts";
import { HAS_PROC, isAlive, readLedger, SIGN_LEDGER } from "../support/processes.ts";
import { Swarm } from "../support/swarm.ts";
import {
  ALL_KINDS,
  BARE_IN_THE_END,
  KINDS,
  startTrees,
  type Trees,
  type TreesOptions,
} from "./trees.ts";

const NEEDS = {
  "/proc": HAS_PROC,
  "setsid, ps, grep and kill": ["setsid", "ps", "grep", "kill"].every((program) => {
    return succeeds("sh", "-c", `command -v ${program}`);
  }),
};
const FILES = ["--allow-read", "--allow-write", "--allow-env", "--allow-sys"];

/** What an orchestrator may do that reads no `/proc` and calls no C library. */
const NARROW = {
  "a list of programs": ["--allow-run=sh,ps,grep,kill", ...FILES],
  "every program": ["--allow-run", ...FILES],
} as const;

/** Kinds whose every process carries the marker, or has a parent that does. */
const MARKED = ALL_KINDS.filter((kind) => !BARE_IN_THE_END.includes(kind));
/** What moves on every few milliseconds has done so again before `grep` and `kill` have been started: a limit of G4. */
const KINDS_HERE = MARKED.filter((kind) => kind !== "move on every few ms");

/** What a process that starts a program for every look cannot conclude on a machine that starts others as fast. */
const TOO_BUSY = /faster than they can be looked at|while it executes its program/;

/** Proven; or, where other tests share the machine, said not to be. Never wrongly proven: the ledger is asked in any case. */
function assertHonest(
  expected: number,
  { code, stderr }: Result,
  problems: readonly string[] = [stderr],
): void {
  if (code === expected) return;
  assert(!LONG, stderr);
  assert(problems.every((problem) => TOO_BUSY.test(problem)) && problems.length > 0, stderr);
  report(`the machine was too busy for a proof: ${problems.join("; ").slice(0, 200)}`);
}

for (const [what, flags] of Object.entries(NARROW)) {
  const start = (swarm: Swarm, options: TreesOptions = {}): Trees =>
    startTrees(swarm, KINDS_HERE, {
      ...options,
      start: () => {
        const args = ["run", "swarm.json", "--quiet", "--grace", "200", "--state", swarm.state];
        return startNarrow(flags, "main.ts", args, swarm.folder);
      },
    });

  Deno.test({
    ...needing(`skein run with ${what} and no /proc ends what its passes leave (G4)`, NEEDS),
    async fn() {
      await using swarm = new Swarm();
      await using trees = start(swarm, { gate: true });
      await trees.ledgers.complete(trees.over);
      trees.open();
      const result = await trees.running.result;
      await trees.ledgers.assertGone("after the end of the passes");
      assertHonest(0, result);
      if (result.code !== 0) return;
      const { tasks, durationMs } = swarm.report();
      const leftovers = tasks.map((task) => task.leftovers);
      // What has stayed in the group of its pass is killed with it, before anything is looked for and counted.
      for (const [index, kind] of KINDS_HERE.entries()) {
        const count = leftovers[index] ?? 0;
        const { leaves } = KINDS[kind];
        if (leaves !== null) assert(count > 0 && count <= leaves, `"${kind}" left ${count}`);
      }
      report(`run with ${what}: ${leftovers.join(", ")} leftovers, ${Math.round(durationMs)} ms`);
    },
  });

  Deno.test({
    ...needing(`skein run with ${what} and no /proc leaves nothing after Ctrl-C (G4)`, NEEDS),
    async fn() {
      await using swarm = new Swarm();
      await using trees = start(swarm);
      await trees.ledgers.complete(trees.over);
      trees.running.kill("SIGINT");
      const result = await trees.running.result;
      await trees.ledgers.assertGone("after Ctrl-C");
      assertHonest(130, result);
    },
  });

  for (const orchestrator of ["alive", "dead"] as const) {
    Deno.test({
      ...needing(
        `skein stop with ${what} and no /proc proves itself, orchestrator ${orchestrator} (G4)`,
        NEEDS,
      ),
      async fn() {
        await using swarm = new Swarm();
        await using trees = start(swarm);
        await trees.ledgers.complete(trees.over);
        if (orchestrator === "dead") trees.running.kill("SIGKILL");
        const args = ["stop", "--state", swarm.state];
        const result = await startNarrow(flags, "main.ts", args, swarm.folder).result;
        const { proven, survivors, problems, elapsedMs } = JSON.parse(result.stdout);
        assertEquals([proven, survivors], [result.code === 0, 0], result.stderr);
        assertHonest(0, result, problems);
        await trees.ledgers.assertGone(`orchestrator ${orchestrator}`);
        report(`stop with ${what}, orchestrator ${orchestrator}: ${Math.round(elapsedMs)} ms`);
      },
    });
  }
}

/** A tree of two that carries a marker of its own. */
async function planted(swarm: Swarm, run: string) {
  const ledger = swarm.path("ledger");
  const child = new Deno.Command("sh", {
    args: ["-c", `${SIGN_LEDGER}; sleep 60 & exec sleep 60`],
    env: { LEDGER: ledger, SKEIN_LINEAGE: `/swarm/1/${run}/0/1/` },
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  const finder = () => platform.finder((segment) => segment.run === run);
  await eventually("it has signed", () => readLedger(ledger).length === 1);
  const [signed = { pid: 0, startTime: "" }] = readLedger(ledger);
  await eventually("it has executed its last program", () => {
    return Deno.readTextFileSync(`/proc/${signed.pid}/cmdline`).startsWith("sleep");
  });
  return { child, finder, signed };
}

const PATIENCE_MS = 20_000;

Deno.test({
  ...needing("killUntilGone() answers {killed, survivors, failed} (G4)", NEEDS),
  async fn() {
    await using swarm = new Swarm();
    const { child, finder, signed } = await planted(swarm, crypto.randomUUID());
    try {
      const deaf: Platform = { ...platform, signal: () => false };
      const { killed, survivors, failed } = await killUntilGone(deaf, finder(), 50);
      assertEquals([killed, survivors.length, failed], [0, 2, []]);
      const leader = survivors.find(({ pid }) => pid === signed.pid);
      assertEquals([leader?.startTime, leader?.command], [signed.startTime, "sleep 60"]);
      const bootId = Deno.readTextFileSync("/proc/sys/kernel/random/boot_id").trim();
      assertEquals(survivors.map((each) => each.bootId), [bootId, bootId]);

      const refused: Platform = {
        ...platform,
        signal: () => {
          throw new Deno.errors.PermissionDenied("not yours");
        },
      };
      const second = await killUntilGone(refused, finder(), 50);
      assertEquals([second.killed, second.survivors.length], [0, 2]);
      assertStringIncludes(second.failed.join("\n"), `process ${signed.pid} (sleep 60): not yours`);

      assert(isAlive(signed));
      const last = await killUntilGone(platform, finder(), PATIENCE_MS);
      assertEquals(last, { killed: 2, survivors: [], failed: [] });
      assert(!isAlive(signed));
    } finally {
      await killUntilGone(platform, finder(), PATIENCE_MS);
      await child.status;
    }
  },
});
