import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { FaultPoint } from "../../src/faults/mod.ts";
import { eventually } from "../support/cli.ts";
import { Site, stateOf, wasReached } from "./harness.ts";

/** The ledger of the tasks reads `/proc`. */
const ignore = Deno.build.os !== "linux";

type StopPoint = Extract<FaultPoint, `stop.${string}`>;
type ResetPoint = Extract<FaultPoint, `reset.${string}`>;
type RunPoint = Extract<FaultPoint, `run.${string}`>;

/** Whether the latch is set when the stop dies. A new point does not compile without its line. */
const STOP_POINTS: Readonly<Record<StopPoint, { latched: boolean }>> = {
  "stop.locked": { latched: false },
  "stop.read": { latched: false },
  "stop.linked": { latched: true },
  "stop.epoch-written": { latched: true },
  "stop.lock-held": { latched: true },
};

const RESET_POINTS: Readonly<Record<ResetPoint, { latched: boolean }>> = {
  "reset.epoch-written": { latched: true },
  "reset.stop-aside": { latched: true },
  "reset.stop-removed": { latched: false },
};

/** The hit at which the run dies, whether it has a folder then, and whether the tree that does not end runs. */
const RUN_POINTS: Readonly<Record<RunPoint, { hit: number; folder: boolean; tree: boolean }>> = {
  "run.lock-held": { hit: 1, folder: false, tree: false },
  "run.epoch-read": { hit: 1, folder: false, tree: false },
  "run.lease-written": { hit: 3, folder: true, tree: true },
  "run.spawned": { hit: 2, folder: true, tree: true },
  "run.exited": { hit: 1, folder: true, tree: true },
  "run.renamed": { hit: 2, folder: true, tree: true },
  "run.rechecked": { hit: 1, folder: true, tree: true },
  "run.reported": { hit: 1, folder: true, tree: false },
};

function each<K extends string, V>(table: Readonly<Record<K, V>>): [K, V][] {
  return Object.entries(table) as [K, V][];
}

Deno.test({
  name: "crash control: with the points swapped in and no fault, a run, a stop and a reset succeed",
  ignore,
  async fn() {
    using site = new Site();
    const codes: number[] = [];
    for (const args of [["run", site.quick], ["stop"], ["run", site.quick], ["reset"]]) {
      codes.push((await site.skein(args)).code);
    }
    assertEquals(codes, [0, 0, 4, 0]);
    await site.succeed(2);
  },
});

Deno.test({
  name: "crash control: a point that is never passed is reported as not reached",
  ignore,
  async fn() {
    using site = new Site();
    for (const fault of ["run.nowhere:kill", "run.reported#2:kill", "stop.linked:kill"]) {
      const ended = await site.skein(["run", site.quick], fault);
      assert(!wasReached(ended), fault);
      assertEquals(ended.code, 0, ended.stderr);
    }
    let caught: unknown = null;
    try {
      await site.crash(["run", site.quick], "stop.linked");
    } catch (error) {
      caught = error;
    }
    assertStringIncludes(String(caught), `"stop.linked" was not reached`);
  },
});

for (const [point, { latched }] of each(STOP_POINTS)) {
  Deno.test({
    name: `stop killed at ${point} leaves ${
      latched ? "a latch" : "no latch"
    }, and the next stop proves (G1, G2, G4)`,
    ignore,
    async fn() {
      using site = new Site();
      const running = site.start(["run", site.slow]);
      const ended = running.output();
      await site.treeStarted();
      await site.crash(["stop"], point);
      assertEquals(site.fence(), { stopped: latched, epoch: latched ? 2 : 1 });
      if (latched) await site.refused();
      await site.stop(2);
      assertEquals((await ended).code, 4);
      await site.refused();
      await site.stop(2);
      await site.reset(2);
      await site.succeed(2);
    },
  });
}

for (const [point, { latched }] of each(RESET_POINTS)) {
  Deno.test({
    name: `reset killed at ${point} leaves it ${
      latched ? "latched" : "open"
    } at the right epoch, never in between (G1, G2)`,
    ignore,
    async fn() {
      using site = new Site();
      await site.succeed(1);
      await site.stop(2);
      await site.crash(["reset"], point);
      assertEquals(site.fence(), { stopped: latched, epoch: 2 });
      if (latched) {
        await site.refused();
        await site.reset(2);
      }
      await site.succeed(2);
      await site.stop(3);
      await site.reset(3);
      await site.succeed(3);
    },
  });

  Deno.test({
    name: `reset killed at ${point}, then stopped: latched above every epoch that was used (G2)`,
    ignore,
    async fn() {
      using site = new Site();
      await site.stop(2);
      await site.crash(["reset"], point);
      // Between the latch and its removal either answer is above every epoch that was used.
      const next = point === "reset.stop-aside" ? [2, 3] : [latched ? 2 : 3];
      const { epoch } = await site.stop(...next);
      await site.refused();
      await site.reset(epoch);
      await site.succeed(epoch);
    },
  });
}

for (const [point, { hit, folder, tree }] of each(RUN_POINTS)) {
  Deno.test({
    name:
      `run killed at ${point}: outputs are whole or absent, stop proves, the next run succeeds (G2, G4, G5)`,
    ignore,
    async fn() {
      using site = new Site();
      const manifest = point === "run.reported" ? site.quick : site.slow;
      await site.crash(["run", manifest], point, hit);
      assertEquals(site.fence(), { stopped: false, epoch: 1 });
      const runs = site.runs();
      assertEquals(
        runs.map(({ status }) => status),
        !folder ? [] : [point === "run.reported" ? "succeeded" : "interrupted"],
      );
      for (const { runId } of runs) site.outputs(runId);
      if (tree) await site.treeStarted();
      await site.stop(2);
      for (const { runId } of runs) site.outputs(runId);
      await site.refused();
      await site.reset(2);
      await site.succeed(2);
      assertEquals(site.runs().length, runs.length + 1);
    },
  });
}

for (const [point, hit] of [["run.spawned", 2], ["run.renamed", 1]] as const) {
  Deno.test({
    name: `stop proves although the run is frozen at ${point}, and nothing is left of it (G4)`,
    ignore,
    async fn() {
      using site = new Site();
      const running = site.start(["run", site.slow], `${point}#${hit}:freeze`);
      const ended = running.output();
      await eventually(`the run is frozen at ${point}`, () => stateOf(running.pid) === "T");
      await site.treeStarted();
      const [run] = site.runs();
      assertEquals(run?.status, "running");
      const { stdout } = await site.skein(["stop", "--wait", "200"]);
      const { proven, epoch, killed } = JSON.parse(stdout);
      assertEquals([proven, epoch], [true, 2]);
      assert(killed >= 3, `${killed} killed: the run, its task and its task's child`);
      assertEquals(site.alive(), []);
      assertEquals((await ended).signal, "SIGKILL");
      const outputs = site.outputs(run?.runId ?? "");
      assertEquals(site.runs().map(({ status }) => status), ["interrupted"]);
      await site.reset(2);
      await site.succeed(2);
      assertEquals(site.outputs(run?.runId ?? ""), outputs);
    },
  });
}

Deno.test({
  name: "a publication that a stop overtakes after its rename is withdrawn (G3)",
  ignore,
  async fn() {
    using site = new Site();
    const running = site.start(["run", site.quick], "run.renamed:hold:3000");
    const ended = running.output();
    const renamed = () => runFolders(site).some((folder) => has(`${folder}/output`));
    await eventually("an output is renamed", renamed);
    await site.stop(2);
    assertEquals((await ended).code, 4);
    const [run] = site.runs();
    assertEquals([run?.status, site.outputs(run?.runId ?? "")], ["stopped", []]);
  },
});

Deno.test({
  name: "a process whose spawn a stop overtakes is killed by its spawner (G3, G4)",
  ignore,
  async fn() {
    using site = new Site();
    const running = site.start(["run", site.slow], "run.spawned:hold:1500");
    const ended = running.output();
    await eventually("the task has started", () => site.ledger().length > 0);
    const latched = await site.skein(["stop", "--no-wait"]);
    assertEquals(latched.code, 0, latched.stderr);
    assertEquals((await ended).code, 4);
    // Nothing but the run itself has looked for processes so far.
    assertEquals(site.alive(), []);
    await site.stop(2);
  },
});

function runFolders({ state }: Site): string[] {
  try {
    return Array.from(Deno.readDirSync(`${state}/runs`), ({ name }) => `${state}/runs/${name}`);
  } catch {
    return [];
  }
}

function has(folder: string): boolean {
  try {
    return [...Deno.readDirSync(folder)].length > 0;
  } catch {
    return false;
  }
}
