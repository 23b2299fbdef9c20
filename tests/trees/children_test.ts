import { assert, assertEquals } from "@std/assert";
import { needing, succeeds } from "../support/capability.ts";
import { LONG } from "../support/cli.ts";
import { report } from "../support/figures.ts";
import { HAS_PROC } from "../support/processes.ts";
import { Swarm, taskIn } from "../support/swarm.ts";
import { ALL_KINDS, BARE_IN_THE_END, type KindName, KINDS, startTrees } from "./trees.ts";

const ROUNDS = LONG ? 100 : 1;
/** Enough for seventy processes to start on a machine that does something else too. */
const TIMEOUT_MS = 3000;
const NEEDS = { "/proc": HAS_PROC, setsid: succeeds("setsid", "true") };
const KIND_LIST = ALL_KINDS.join("; ");

/** Runs rounds of one ending, and prints what they saw. */
async function rounds(
  ending: string,
  round: (swarm: Swarm, round: number) => Promise<{ signed: number; ms: number }>,
): Promise<void> {
  await using swarm = new Swarm();
  let processes = 0;
  let worst = 0;
  for (let number = 1; number <= ROUNDS; number++) {
    const { signed, ms } = await round(swarm, number);
    processes += signed;
    worst = Math.max(worst, ms);
  }
  report(
    `${ending}: ${ROUNDS} rounds of ${ALL_KINDS.length} kinds, ${processes} processes signed, 0 left, ` +
      `worst ${Math.round(worst)} ms`,
  );
}

Deno.test({
  ...needing(`skein stop leaves nothing of children that ${KIND_LIST} (G4)`, NEEDS),
  fn: () =>
    rounds("stop", async (swarm, round) => {
      await using trees = startTrees(swarm, ALL_KINDS, { round });
      await trees.ledgers.complete(trees.over);
      const stop = await swarm.json("stop");
      await trees.ledgers.assertGone(`after stop, round ${round}`);
      assertEquals([stop.proven, stop.survivors, stop.problems], [true, 0, []]);
      assertEquals((await trees.running.result).code, 4);
      await swarm.skein(["reset"]);
      return { signed: trees.ledgers.signed().length, ms: Number(stop.elapsedMs) };
    }),
});

Deno.test({
  ...needing(`A timeout leaves nothing of children that ${KIND_LIST} (G4)`, NEEDS),
  fn: () =>
    rounds("timeout", async (swarm, round) => {
      await using trees = startTrees(swarm, ALL_KINDS, {
        round,
        block: { timeoutMs: TIMEOUT_MS },
        flags: ["--grace", "200"],
      });
      const { code } = await trees.running.result;
      await trees.ledgers.assertGone(`after a timeout, round ${round}`);
      assertEquals(code, 3);
      const { tasks, durationMs } = swarm.report();
      for (const { reason } of tasks) assertEquals(reason, "TASK_FAILED_TIMEOUT");
      // A busy machine may not have completed all of them in time.
      for (const kind of ALL_KINDS) assert(trees.ledgers.signed(kind).length > 0, kind);
      return { signed: trees.ledgers.signed().length, ms: durationMs - TIMEOUT_MS };
    }),
});

Deno.test({
  ...needing(`Ctrl-C leaves nothing of children that ${KIND_LIST} (G4)`, NEEDS),
  fn: () =>
    rounds("Ctrl-C", async (swarm, round) => {
      await using trees = startTrees(swarm, ALL_KINDS, { round, flags: ["--grace", "200"] });
      await trees.ledgers.complete(trees.over);
      const started = performance.now();
      trees.running.kill("SIGINT");
      const { code } = await trees.running.result;
      const ms = performance.now() - started;
      await trees.ledgers.assertGone(`after Ctrl-C, round ${round}`);
      assertEquals([code, swarm.report().status], [130, "cancelled"]);
      return { signed: trees.ledgers.signed().length, ms };
    }),
});

Deno.test({
  ...needing(
    `The end of a pass leaves nothing of children that ${KIND_LIST}, and counts it (G4)`,
    NEEDS,
  ),
  fn: () =>
    rounds("end of a pass", async (swarm, round) => {
      await using trees = startTrees(swarm, ALL_KINDS, { round, gate: true });
      await trees.ledgers.complete(trees.over);
      const started = performance.now();
      trees.open();
      const { code } = await trees.running.result;
      const ms = performance.now() - started;
      await trees.ledgers.assertGone(`after the end of a pass, round ${round}`);
      assertEquals(code, 0);
      const outcome = swarm.report();
      for (const kind of ALL_KINDS) {
        assertCounted(kind, taskIn(outcome, KINDS[kind].script).leftovers);
      }
      const all = outcome.tasks.reduce((sum, { leftovers }) => sum + leftovers, 0);
      assert(all > 50, `${all} leftovers`);
      return { signed: trees.ledgers.signed().length, ms };
    }),
});

/** An orphan that has lost marker, session and parent is counted at whichever pass ends last. */
function assertCounted(kind: KindName, leftovers: number): void {
  if (BARE_IN_THE_END.includes(kind)) return;
  const least = KINDS[kind].leaves ?? 1;
  assert(leftovers >= least, `"${kind}" left ${leftovers} of at least ${least} processes`);
}

const COUNTABLE = ALL_KINDS.filter((kind) => KINDS[kind].leaves !== null);
const COUNTED_TOGETHER = COUNTABLE.filter((kind) => !BARE_IN_THE_END.includes(kind));
const COUNTED_ALONE = COUNTABLE.filter((kind) => BARE_IN_THE_END.includes(kind));

for (const kinds of [COUNTED_TOGETHER, ...COUNTED_ALONE.map((kind) => [kind])]) {
  Deno.test({
    ...needing(`The report counts exactly what ${kinds.join("; ")} left (G4)`, NEEDS),
    async fn() {
      await using swarm = new Swarm();
      await using trees = startTrees(swarm, kinds, { gate: true });
      await trees.ledgers.complete(trees.over);
      trees.open();
      assertEquals((await trees.running.result).code, 0);
      await trees.ledgers.assertGone("after the end of a pass");
      const outcome = swarm.report();
      for (const kind of kinds) {
        const { script, leaves } = KINDS[kind];
        assertEquals(taskIn(outcome, script).leftovers, leaves, kind);
      }
    },
  });
}
