import { assert, assertEquals } from "@std/assert";
import { assertHealthy, eventKinds, shown } from "../e2e/queue_swarm.ts";
import { eventually, LONG } from "../support/cli.ts";
import { isAlive } from "../support/processes.ts";
import type { Running } from "../support/swarm.ts";
import { stateOf } from "./harness.ts";
import { KILLED, QueueSite, TTL_MS } from "./queue_site.ts";

const ignore = Deno.build.os !== "linux";
const SUSPENDS = LONG ? 5 : 2;
const MOST_CRASHES = 5;
/** For what comes after expiries, sweeps and backoffs. */
const PATIENCE_MS = 60_000;

Deno.test({
  name:
    "A worker that is suspended with its tree past the ttl: one success, under the second's token; the first's tree is dead and the second's untouched (G7, G8)",
  ignore,
  async fn() {
    await using site = new QueueSite();
    site.chain(["a", "b"], 3);
    const runId = await site.submit();
    const first = site.worker();
    await site.executing(1);
    await suspend(site, first);
    const second = site.worker();
    await eventually("the second executes", () => site.executions().length >= 2, PATIENCE_MS);
    const [lost, taken] = site.executions();
    assert(lost !== undefined && taken !== undefined);
    assertEquals([taken.taskId, taken.token > lost.token], ["a", true]);
    assert(!isAlive(lost), "the first's tree is ended before the second's begins");
    first.kill("SIGCONT");
    assertEquals((await first.result).code, 0);
    assertEquals((await second.result).code, 0);
    const run = await shown(site, runId);
    const kinds = await eventKinds(site, runId);
    assertEquals([run.status, run.token, run.crashCount], ["succeeded", taken.token, 0]);
    assertEquals(kinds.filter((kind) => kind === "attempt-succeeded").length, 2);
    assert(kinds.includes("write-refused"), kinds.join());
    assertEquals(site.executions().slice(1).map(({ taskId, token }) => [taskId, token]), [
      ["a", taken.token],
      ["b", taken.token],
    ]);
    for (const { id, output } of run.tasks) {
      assertEquals(Deno.readTextFileSync(`${site.state}/${output}`), `${id}\n`);
    }
    site.assertDead();
    await assertHealthy(site);
  },
});

Deno.test({
  name: `${SUSPENDS} suspends past the ttl poison nothing (G9)`,
  ignore,
  async fn() {
    await using site = new QueueSite();
    site.chain(["a"], 60);
    const runId = await site.submit();
    const workers: Running[] = [];
    for (let suspends = 0; suspends < SUSPENDS; suspends++) {
      const worker = site.worker();
      workers.push(worker);
      await eventually("it executes", () => site.executions().length > suspends, PATIENCE_MS);
      await suspend(site, worker);
    }
    const last = site.worker();
    await eventually("it executes again", () => site.executions().length > SUSPENDS, PATIENCE_MS);
    const { crashCount, status } = await shown(site, runId);
    assertEquals([crashCount, status], [0, "running"]);
    assertEquals((await site.skein(["cancel", runId])).code, 0);
    for (const worker of workers) worker.kill("SIGCONT");
    for (const worker of [...workers, last]) assertEquals((await worker.result).code, 0);
    assertEquals((await shown(site, runId)).status, "cancelled");
    site.assertDead();
    await assertHealthy(site);
  },
});

Deno.test({
  name:
    `A run that kills its worker is quarantined after exactly ${MOST_CRASHES} deaths, and a long run beside it succeeds (G9)`,
  ignore: ignore || !LONG,
  async fn() {
    await using site = new QueueSite();
    site.chain(Array.from({ length: 20 }, (_, index) => `h${index}`), 0.5);
    const healthy = await site.submit("--priority", "100");
    const beside = site.start([
      "work",
      "--once",
      healthy,
      "--poll",
      "30",
      "--lease-ttl",
      String(TTL_MS),
    ]);
    await site.executing(1);
    const retry = { maxAttempts: 2 * MOST_CRASHES };
    site.manifest({ poison: { sh: "kill -9 $PPID; sleep 60", block: { retry } } });
    const poisoned = await site.submit();
    let deaths = 0;
    for (;;) {
      const { code, stderr } = await site.worker().result;
      if (code !== KILLED) {
        assertEquals(code, 0, stderr);
        break;
      }
      deaths++;
      assert(deaths <= MOST_CRASHES, "it goes on to kill");
    }
    assertEquals((await beside.result).code, 0);
    const { status, reason, crashCount } = await shown(site, poisoned);
    assertEquals([deaths, crashCount], [MOST_CRASHES, MOST_CRASHES]);
    assertEquals([status, reason], ["failed", "RUN_FAILED_POISON"]);
    const run = await shown(site, healthy);
    assertEquals([run.status, run.crashCount], ["succeeded", 0]);
    site.assertDead();
    await assertHealthy(site);
  },
});

/** Suspends a worker and the process of its last execution. */
async function suspend(site: QueueSite, worker: Running): Promise<void> {
  worker.kill("SIGSTOP");
  const last = site.executions().at(-1);
  if (last !== undefined) Deno.kill(-last.pid, "SIGSTOP");
  await eventually("it is suspended", () => stateOf(worker.pid) === "T");
}
