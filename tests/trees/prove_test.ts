import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { needing, succeeds } from "../support/capability.ts";
import { LONG, skein } from "../support/cli.ts";
import { report } from "../support/figures.ts";
import { processesWith, WITHOUT_PROC } from "../support/namespace.ts";
import { HAS_PROC } from "../support/processes.ts";
import { manifestOf, namesIn, Swarm } from "../support/swarm.ts";

const ROUNDS = LONG ? 20 : 2;
const TREES = LONG ? 8 : 4;
const NEEDS = { "/proc": HAS_PROC };

interface Goes {
  readonly goneMs: number;
}

/** Proves in a folder of its own, and checks that nothing of it is left, neither a file nor a process. */
async function prove(...args: string[]) {
  await using swarm = new Swarm();
  const env = { TMPDIR: swarm.folder };
  swarm.write(
    "swarm.json",
    JSON.stringify(manifestOf({
      a: { sh: "setsid sleep 60 & exec sleep 60" },
      b: { sh: "trap '' TERM; sleep 60 & exec sleep 60" },
    })),
  );
  const { code, stdout, stderr } = await skein(["prove", "--json", ...args], {
    cwd: swarm.folder,
    env,
  });
  assertEquals(namesIn(swarm.folder), ["swarm.json"], "its folder is removed");
  assertEquals(processesWith(swarm.folder), [], "none of its processes is left");
  return { code, stderr, proof: JSON.parse(stdout) };
}

Deno.test({
  ...needing("skein prove counts every tree terminated and every heartbeat frozen (G4)", NEEDS),
  async fn() {
    const { code, stderr, proof } = await prove("--rounds", `${ROUNDS}`, "--trees", `${TREES}`);
    const all = ROUNDS * TREES;
    const { ok, trees, terminated, frozen, survivors, rounds, medianMs, worstMs, floorMs } = proof;
    assertEquals(
      [code, ok, trees, terminated, frozen, survivors],
      [0, true, all, all, all, 0],
      stderr,
    );
    assertEquals(rounds.length, ROUNDS);
    for (const round of rounds) {
      assertEquals([round.proven, round.terminated, round.survivors], [true, TREES, []]);
    }
    assert(medianMs > 0 && worstMs >= medianMs && floorMs > 0);
    for (const ms of [medianMs, worstMs, floorMs, ...rounds.map(({ goneMs }: Goes) => goneMs)]) {
      assertEquals(ms, Math.round(ms * 1000) / 1000, "three decimals");
    }
    const times = [medianMs, worstMs, floorMs].map((ms: number) => ms.toFixed(1));
    report(
      `skein prove: ${terminated}/${all} trees, ${frozen}/${all} heartbeats, ${survivors} survivors; ` +
        `median ${times[0]} ms, worst ${times[1]} ms, floor ${times[2]} ms`,
    );
  },
});

Deno.test({
  ...needing("skein prove fails on a planted survivor, names it, and takes it away (G4)", NEEDS),
  async fn() {
    const { code, stderr, proof } = await prove(
      "--rounds",
      "1",
      "--trees",
      "2",
      "--plant-survivor",
    );
    const { ok, terminated, survivors, worstMs, rounds } = proof;
    assertEquals([code, ok, terminated, survivors, worstMs], [1, false, 2, 1, null]);
    const [{ pid, startTime }] = rounds[0].survivors;
    assert(pid > 0);
    assertStringIncludes(stderr, `survivor in round 1: pid ${pid}, started ${startTime}`);
  },
});

Deno.test({
  ...needing("skein prove --manifest stops a manifest of the user's own (G4)", NEEDS),
  async fn() {
    const args = ["--manifest", "swarm.json", "--rounds", "2", "--after", "1500"];
    const { code, stderr, proof } = await prove(...args);
    const { ok, trees, terminated, survivors, floorMs } = proof;
    assertEquals([code, ok, survivors, floorMs], [0, true, 0, null], stderr);
    assertEquals([trees, terminated], [8, 8], "two tasks of two processes, twice");
  },
});

Deno.test({
  ...needing("skein prove says that it proves nothing where there is no /proc", {
    "mount namespaces": succeeds(...WITHOUT_PROC, "true"),
  }),
  async fn() {
    await using swarm = new Swarm();
    const env = { TMPDIR: swarm.folder };
    const options = { cwd: swarm.folder, env, through: WITHOUT_PROC };
    const { code, stdout, stderr } = await skein(["prove", "--rounds", "1"], options);
    assertEquals([code, stdout], [1, ""], stderr);
    assertStringIncludes(stderr, "there is no /proc/self/exe");
    assertStringIncludes(stderr, "Mount /proc");
    assertEquals(namesIn(swarm.folder), []);
  },
});
