import { assert, assertEquals } from "@std/assert";
import { openQueue } from "../../src/cli/queue.ts";
import type { QueuedRun } from "../../src/model/mod.ts";
import type { Store } from "../../src/store/mod.ts";
import { assertHealthy } from "../e2e/queue_swarm.ts";
import { LONG } from "../support/cli.ts";
import { report } from "../support/figures.ts";
import type { Running } from "../support/swarm.ts";
import { KILLED, QueueSite, TTL_MS } from "./queue_site.ts";

const ignore = Deno.build.os !== "linux";
const WORKERS = 3;
const [RUNS, KILLS] = LONG ? [300, 500] : [12, 12];
const TASKS = ["a", "b", "c"];
/** Between two kills, at least and at most, in milliseconds. */
const PAUSE = [100, 900] as const;
/** Submissions at the same time. */
const AT_ONCE = 4;

Deno.test({
  name:
    `${KILLS} random kills of ${WORKERS} workers over ${RUNS} runs: every run ends, none is lost or settled twice, and nothing of a dead worker lives when the next begins (G7, G8, G9, G10)`,
  ignore,
  async fn() {
    await using site = new QueueSite();
    site.chain(TASKS, 0.3);
    const began = performance.now();
    await Promise.all(Array.from({ length: AT_ONCE }, async (_, index) => {
      for (let run = index; run < RUNS; run += AT_ONCE) await site.submit();
    }));
    await killAtRandom(site);
    await Promise.all(Array.from({ length: WORKERS }, () => site.settle()));
    const store = await openQueue(site.state);
    const runs = await store.runs({ limit: RUNS + 1 });
    assertEquals(runs.length, RUNS);
    let settled = 0;
    for (const run of runs) settled += await assertEnded(store, run);
    await store.close();
    site.assertDead();
    await assertHealthy(site);
    tell(runs, site.executions().length, settled, performance.now() - began);
  },
});

/** Kills one of the workers again and again, each replaced at once. */
async function killAtRandom(site: QueueSite): Promise<void> {
  const workers = Array.from({ length: WORKERS }, () => site.worker());
  for (let kills = 0; kills < KILLS;) {
    await sleep(PAUSE[0] + Math.random() * (PAUSE[1] - PAUSE[0]));
    const index = Math.floor(Math.random() * WORKERS);
    const code = await kill(workers[index]);
    if (code === KILLED) kills++;
    else assertEquals(code, 0, "it had ended by itself");
    workers[index] = site.worker();
  }
  for (const worker of workers) assertEquals((await worker.result).code, 0);
}

async function kill(worker: Running | undefined): Promise<number | undefined> {
  try {
    worker?.kill("SIGKILL");
  } catch {
    // It has ended by itself.
  }
  return (await worker?.result)?.code;
}

/** A run has ended, each task once, by events that agree. Returns how many tasks have succeeded. */
async function assertEnded(store: Store, run: QueuedRun): Promise<number> {
  assert(["succeeded", "failed"].includes(run.state), `${run.id} is ${run.state}`);
  const events = await store.events(run.id, 0);
  assertEquals(events.filter(({ kind }) => kind === "run-submitted").length, 1, run.id);
  const ends = events.filter(({ to, taskId }) => taskId === null && to === run.state);
  assertEquals(ends.length, 1, run.id);
  const tasks = await store.tasks(run.id);
  for (const { id, state } of tasks) {
    const of = events.filter(({ taskId, kind }) => taskId === id && kind === "attempt-succeeded");
    assertEquals(of.length, state === "succeeded" ? 1 : 0, `${run.id}/${id}`);
  }
  if (run.state === "succeeded") assert(tasks.every(({ state }) => state === "succeeded"));
  else {
    const reasons = tasks.map(({ id, reason }) => `${id}: ${reason}`).join(", ");
    assertEquals(run.reason, "RUN_FAILED_POISON", `${run.id}: ${reasons}`);
  }
  return tasks.filter(({ state }) => state === "succeeded").length;
}

function tell(
  runs: readonly QueuedRun[],
  executions: number,
  settled: number,
  ms: number,
): void {
  const count = (state: string) => runs.filter((run) => run.state === state).length;
  const crashes = runs.reduce((sum, { crashCount }) => sum + crashCount, 0);
  report(
    `${KILLS} kills, ${RUNS} runs: ${count("succeeded")} succeeded, ${
      count("failed")
    } quarantined, ` +
      `${crashes} deaths counted, ${executions} executions for ${settled} settled tasks, ` +
      `claims of ${TTL_MS} ms, ${Math.round(ms / 1000)} s`,
  );
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
