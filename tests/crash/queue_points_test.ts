import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { assertHealthy, eventKinds, shown } from "../e2e/queue_swarm.ts";
import type { FaultPoint, QueueWrite } from "../../src/faults/mod.ts";
import { LONG } from "../support/cli.ts";
import { type Blow, KILLED, QueueSite, survive, TTL_MS } from "./queue_site.ts";

/** The tasks read `/proc`. */
const ignore = Deno.build.os !== "linux";
/** Swarms at the same time. */
const AT_ONCE = 3;
const ROUNDS = LONG ? 5 : 1;

type Transaction = `${QueueWrite}.${"before-commit" | "committed"}`;
type WorkPoint =
  | Extract<FaultPoint, "run.lease-written" | "run.spawned" | "run.exited">
  | "claim.stop-read"
  | "settle.checked"
  | Extract<Transaction, `${"claim" | "start" | "settle" | "finish" | "renew"}.${string}`>;

/** The hit at which a worker is struck, and the tasks that the window leaves to run twice. */
interface Window {
  readonly hit: number;
  readonly twice: Readonly<Record<Blow, readonly string[]>>;
}

const NONE = { kill: [], freeze: [] };
/** An attempt that has begun and is not settled. */
const SECOND = { kill: ["b"], freeze: ["b"] };
/** Frozen with the write lock, it may commit what it has asked for, and be too late for what follows. */
const LATE = { kill: [], freeze: ["b"] };

/** A new point does not compile without its line. */
const WORK_POINTS: Readonly<Record<WorkPoint, Window>> = {
  "claim.stop-read": { hit: 1, twice: NONE },
  "claim.before-commit": { hit: 1, twice: NONE },
  "claim.committed": { hit: 1, twice: NONE },
  "start.before-commit": { hit: 2, twice: LATE },
  "start.committed": { hit: 2, twice: LATE },
  "run.lease-written": { hit: 2, twice: LATE },
  "run.spawned": { hit: 2, twice: SECOND },
  "run.exited": { hit: 2, twice: SECOND },
  "settle.checked": { hit: 2, twice: SECOND },
  "settle.before-commit": { hit: 2, twice: SECOND },
  "settle.committed": { hit: 2, twice: NONE },
  "finish.before-commit": { hit: 1, twice: NONE },
  "finish.committed": { hit: 1, twice: NONE },
  "renew.before-commit": { hit: 1, twice: { kill: ["a", "b"], freeze: ["a", "b"] } },
  "renew.committed": { hit: 1, twice: { kill: ["a", "b"], freeze: ["a", "b"] } },
};

/** The points at which the short form freezes: without the lock, with it, before and after an execution. */
const FROZEN_IN_SHORT: readonly WorkPoint[] = [
  "claim.committed",
  "start.before-commit",
  "run.spawned",
  "settle.checked",
];

function pointsFor(blow: Blow): WorkPoint[] {
  const all = Object.keys(WORK_POINTS) as WorkPoint[];
  return blow === "freeze" && !LONG ? all.filter((point) => FROZEN_IN_SHORT.includes(point)) : all;
}

for (const blow of ["kill", "freeze"] as const) {
  Deno.test({
    name: `A run converges whose worker ${
      blow === "kill" ? "is killed" : "freezes past its ttl"
    } at any point, and only the window runs twice (G7, G8, G10)`,
    ignore,
    async fn() {
      await pooled(pointsFor(blow), (point) => strikeWorker(point, blow));
    },
  });
}

async function strikeWorker(point: WorkPoint, blow: Blow): Promise<void> {
  const { hit, twice } = WORK_POINTS[point];
  await using site = new QueueSite();
  site.chain(["a", "b", "c"], point.startsWith("renew") ? 0.4 : 0.05);
  const runId = await site.submit();
  const struck = site.faultyWorker(`${point}#${hit}:${blow}`);
  const { code, stderr } = await survive(struck, blow, () => site.settle());
  if (blow === "freeze") assertEquals(code, 0, stderr);
  await assertSucceeded(site, runId);
  // On a machine that is busy a claim of a second can be lost without the blow.
  const losses = (await eventKinds(site, runId)).filter((kind) => kind === "run-lost").length;
  for (const id of ["a", "b", "c"]) {
    const most = (twice[blow].includes(id) ? 2 : 1) + Math.max(0, losses - 1);
    const count = site.count(id);
    assert(count >= 1 && count <= most, `${id} was executed ${count} times`);
  }
}

/** It has ended well, once, and whatever was struck has left nothing. */
async function assertSucceeded(site: QueueSite, runId: string): Promise<void> {
  const { status, tasks } = await shown(site, runId);
  assertEquals(
    [status, ...tasks.map((task) => task.status)],
    Array(tasks.length + 1).fill("succeeded"),
  );
  const kinds = await eventKinds(site, runId);
  const of = (kind: string) => kinds.filter((each) => each === kind).length;
  assertEquals([of("attempt-succeeded"), of("run-finished")], [tasks.length, 1]);
  for (const { id, output } of tasks) {
    assertEquals(Deno.readTextFileSync(`${site.state}/${output}`), `${id}\n`);
  }
  site.assertDead();
  await assertHealthy(site);
}

/** What an operator or a reaper does when it is struck, and what the run comes to. */
type Scene = (site: QueueSite, fault: string, blow: Blow) => Promise<void>;

const SCENES: Readonly<
  Record<Exclude<QueueWrite, "claim" | "start" | "settle" | "finish" | "renew">, Scene>
> = {
  async submit(site, fault, blow) {
    site.chain(["a"], 0.05);
    // The database is there, so that the fault is the submission's own.
    await site.json("status");
    const args = ["submit", "swarm.json", "--key", "once", "--text"];
    const again = () => site.skein(args);
    await survive(site.faulty(args, fault), blow, again);
    const { stdout } = await again();
    const runs = await site.json("runs") as unknown as readonly unknown[];
    assertEquals(runs.length, 1);
    await site.settle();
    await assertSucceeded(site, stdout.trim());
  },

  async migration(site, fault, blow) {
    site.chain(["a"], 0.05);
    const args = ["submit", "swarm.json", "--key", "once", "--text"];
    await survive(site.faulty(args, fault), blow, () => site.skein(args));
    const runId = (await site.skein(args)).stdout.trim();
    await site.settle();
    await assertSucceeded(site, runId);
  },

  async reap(site, fault, blow) {
    const runId = await loseRun(site);
    await survive(site.faultyWorker(fault), blow, () => site.settle());
    await assertSucceeded(site, runId);
    assertEquals((await shown(site, runId)).crashCount, 1);
  },

  async recover(site, fault, blow) {
    const runId = await loseRun(site);
    const args = ["recover", runId, "--lease-ttl", String(TTL_MS)];
    await survive(site.faulty(args, fault), blow, () => site.skein(args));
    assertEquals((await shown(site, runId)).crashCount, 1);
    await site.settle();
    await assertSucceeded(site, runId);
  },

  async drain(site, fault, blow) {
    site.chain(["a", "b"], 1);
    const runId = await site.submit();
    const worker = site.faultyWorker(fault, "--grace", "50");
    await site.executing(1);
    worker.kill("SIGTERM");
    await survive(worker, blow, () => site.settle());
    await assertSucceeded(site, runId);
    assert(site.count("a") <= 2);
    assertEquals(site.count("b"), 1);
  },

  async cancel(site, fault, blow) {
    site.chain(["a", "b"], 5);
    const runId = await site.submit();
    const worker = site.worker();
    await site.executing(1);
    const again = () => site.skein(["cancel", runId]);
    await survive(site.faulty(["cancel", runId], fault), blow, again);
    await worker.result;
    const { status } = await shown(site, runId);
    const kinds = await eventKinds(site, runId);
    assertEquals([status, site.count("b")], ["cancelled", 0]);
    assertEquals(kinds.filter((kind) => kind === "run-cancelled").length, 1);
    site.assertDead();
    await assertHealthy(site);
  },

  async retry(site, fault, blow) {
    site.chain(["a"], 0.05, "fail");
    const runId = await site.submit();
    await site.settle();
    const before = site.count("a");
    const again = () => site.skein(["retry", runId]);
    await survive(site.faulty(["retry", runId], fault), blow, again);
    await site.settle();
    const { status, round } = await shown(site, runId);
    assertEquals([status, round, site.count("a")], ["failed", 2, 2 * before]);
    await assertHealthy(site);
  },
};

/** A run whose executor has died in the middle of its second task. */
async function loseRun(site: QueueSite): Promise<string> {
  site.chain(["a", "b"], 0.3);
  const runId = await site.submit();
  const { code } = await site.faultyWorker("run.spawned#2:kill").result;
  assertEquals(code, KILLED);
  return runId;
}

for (const blow of ["kill", "freeze"] as const) {
  Deno.test({
    name: `The queue converges where whoever writes is ${
      blow === "kill" ? "killed" : "frozen"
    } before or after the commit: submit, migration, reap, recover, drain, cancel, retry (G8, G10, G11)`,
    ignore,
    async fn() {
      const scenes = Object.entries(SCENES).flatMap(([write, scene]) =>
        ["before-commit", "committed"].map((moment) => ({ point: `${write}.${moment}`, scene }))
      );
      const chosen = blow === "freeze" && !LONG
        ? scenes.filter((_, index) => index % 3 === 0)
        : scenes;
      await pooled(chosen, async ({ point, scene }) => {
        try {
          await using site = new QueueSite();
          await scene(site, `${point}#1:${blow}`, blow);
        } catch (error) {
          throw new Error(point, { cause: error });
        }
      });
    },
  });
}

Deno.test({
  name:
    "queue control: with the points swapped in and no fault, a run succeeds and nothing runs twice",
  ignore,
  async fn() {
    await using site = new QueueSite();
    site.chain(["a", "b", "c"], 0.05);
    const runId = await site.submit();
    const { code, stderr } = await site.faultyWorker("").result;
    assertEquals(code, 0, stderr);
    await assertSucceeded(site, runId);
    assertEquals(site.executions().map(({ taskId, token }) => [taskId, token]), [
      ["a", 1],
      ["b", 1],
      [
        "c",
        1,
      ],
    ]);
  },
});

Deno.test({
  name: "queue control: a point that is never passed is reported as not reached",
  ignore,
  async fn() {
    await using site = new QueueSite();
    site.chain(["a"], 0.05);
    await site.submit();
    for (const blow of ["kill", "freeze"] as const) {
      let caught: unknown = null;
      try {
        await survive(site.faultyWorker(`claim.nowhere:${blow}`), blow, () => Promise.resolve());
      } catch (error) {
        caught = error;
      }
      assertStringIncludes(String(caught), "the point was not reached");
    }
  },
});

/** Does something for each, so many at a time, in as many rounds as the form of the test has. */
async function pooled<T>(each: readonly T[], act: (one: T) => Promise<void>): Promise<void> {
  const waiting = Array.from({ length: ROUNDS }, () => each).flat();
  await Promise.all(
    Array.from({ length: AT_ONCE }, async () => {
      for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) {
        try {
          await act(one);
        } catch (error) {
          throw new Error(`At ${JSON.stringify(one)}`, { cause: error });
        }
      }
    }),
  );
}
