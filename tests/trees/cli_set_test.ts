import { assertEquals } from "@std/assert";
import { needing, succeeds } from "../support/capability.ts";
import { report } from "../support/figures.ts";
import { startNarrow } from "../support/narrow.ts";
import { HAS_PROC } from "../support/processes.ts";
import { Swarm } from "../support/swarm.ts";
import { ALL_KINDS, BARE_ORPHANS, startTrees, type Trees, type TreesOptions } from "./trees.ts";

const NEEDS = { "/proc": HAS_PROC, setsid: succeeds("setsid", "true") };
/** What a compiled binary has: not all, so that the C library reads `/proc`. */
const SET = ["-P=cli"];

function start(swarm: Swarm, kinds = ALL_KINDS, options: TreesOptions = {}): Trees {
  return startTrees(swarm, kinds, {
    ...options,
    start: () => {
      const args = ["run", "swarm.json", "--quiet", "--grace", "200", "--state", swarm.state];
      return startNarrow(SET, "main.ts", args, swarm.folder);
    },
  });
}

Deno.test({
  ...needing(
    "skein run with the set `cli` ends every kind of tree that its passes leave (G4)",
    NEEDS,
  ),
  async fn() {
    await using swarm = new Swarm();
    await using trees = start(swarm, ALL_KINDS, { gate: true });
    await trees.ledgers.complete(trees.over);
    trees.open();
    const { code, stderr } = await trees.running.result;
    await trees.ledgers.assertGone("after the end of the passes");
    assertEquals(code, 0, stderr);
  },
});

for (const orchestrator of ["alive", "dead"] as const) {
  // Once nobody adopts them any more, these cannot be told from any other process: a limit of G4.
  const kinds = orchestrator === "alive"
    ? ALL_KINDS
    : ALL_KINDS.filter((kind) => !BARE_ORPHANS.includes(kind) && kind !== "move on every few ms");
  Deno.test({
    ...needing(
      `skein stop with the set \`cli\` proves itself, orchestrator ${orchestrator} (G4)`,
      NEEDS,
    ),
    async fn() {
      await using swarm = new Swarm();
      await using trees = start(swarm, kinds);
      await trees.ledgers.complete(trees.over);
      if (orchestrator === "dead") trees.running.kill("SIGKILL");
      const args = ["stop", "--state", swarm.state];
      const { code, stdout, stderr } = await startNarrow(SET, "main.ts", args, swarm.folder).result;
      await trees.ledgers.assertGone(`orchestrator ${orchestrator}`);
      const { proven, survivors, problems, elapsedMs } = JSON.parse(stdout);
      assertEquals([code, proven, survivors, problems], [0, true, 0, []], stderr);
      report(`stop with the set cli, orchestrator ${orchestrator}: ${Math.round(elapsedMs)} ms`);
    },
  });
}
