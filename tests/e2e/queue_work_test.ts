import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { eventually } from "../support/cli.ts";
import { needing, succeeds } from "../support/capability.ts";
import { HAS_PROC, isAlive, readLedger, SIGN_LEDGER } from "../support/processes.ts";
import { exists, Swarm, textOf } from "../support/swarm.ts";
import {
  assertHealthy,
  eventKinds,
  shown,
  started,
  startWorker,
  submit,
  waiting,
  work,
} from "./queue_swarm.ts";

/** The same signal within this time is the same one. */
const ANOTHER_MS = 200;
/** Short enough to wait for, and long enough for a busy machine to renew in. */
const TTL = "2000";

Deno.test("skein work --until-idle executes what waits, by priority, and exits with 0 whatever it came to", async () => {
  await using swarm = new Swarm();
  const order = swarm.path("order");
  swarm.manifest({ a: { sh: `echo fails >> '${order}'; exit 3` }, b: { needs: ["a"] } });
  const failing = await submit(swarm);
  swarm.manifest({ a: { sh: `echo first >> '${order}'; echo text` } });
  const first = await submit(swarm, "--priority", "10");
  const { code, stdout } = await work(swarm);
  const { why, executed } = JSON.parse(stdout);
  assertEquals([code, why, executed], [0, "idle", 2]);
  assertEquals(textOf(order), "first\nfails\n");
  const failed = await shown(swarm, failing);
  assertEquals([failed.status, failed.reason], ["failed", "RUN_FAILED_TASKS"]);
  assertEquals(failed.tasks.map(({ reason }) => reason), [
    "TASK_FAILED_EXIT",
    "TASK_SKIPPED_NEED_FAILED",
  ]);
  const { status, tasks: [task] } = await shown(swarm, first);
  assertEquals([status, task?.outputBytes], ["succeeded", 5]);
  assertEquals(Deno.readTextFileSync(`${swarm.state}/${task?.output}`), "text\n");
  await assertHealthy(swarm);
});

Deno.test("skein work --once exits with the run's own code", async () => {
  await using swarm = new Swarm();
  assertEquals((await work(swarm, "--once")).code, 0, "nothing is due");
  swarm.manifest({ a: { sh: "exit 1" } });
  const failing = await submit(swarm);
  swarm.manifest({ a: {} });
  const fine = await submit(swarm);
  const named = await work(swarm, "--once", fine.slice(0, -2));
  assertEquals([named.code, JSON.parse(named.stdout).last.runId], [0, fine]);
  const next = await work(swarm, "--once");
  assertEquals([next.code, JSON.parse(next.stdout).last.runId], [3, failing]);
  const ended = await work(swarm, "--once", fine);
  assertEquals([ended.code, ended.stdout], [1, ""]);
  assertStringIncludes(ended.stderr, "it is not queued");
  assertEquals((await work(swarm, "--once", "nothing")).code, 1);
});

Deno.test("skein work exits with 2 where it is asked for two ends, or for a run without --once", async () => {
  await using swarm = new Swarm();
  for (const args of [["--once", "--until-idle"], ["some-run"], ["--concurrency", "0"]]) {
    assertEquals((await swarm.skein(["work", ...args])).code, 2, args.join(" "));
  }
  assert(!exists(swarm.state));
});

Deno.test("skein work drains at the first signal: what ends within the grace is settled, the run goes back (G8)", async () => {
  await using swarm = new Swarm();
  swarm.manifest({ a: { sh: waiting(swarm) }, b: { needs: ["a"] } });
  const runId = await submit(swarm);
  const worker = startWorker(swarm);
  await started(swarm);
  worker.kill("SIGTERM");
  await new Promise((resolve) => setTimeout(resolve, ANOTHER_MS));
  swarm.write("go", "");
  const { code, stdout, stderr } = await worker.result;
  assertEquals([code, JSON.parse(stdout).why], [0, "drained"], stderr);
  const { status, reason, tasks } = await shown(swarm, runId);
  assertEquals([status, reason], ["queued", "RUN_HANDED_BACK_DRAIN"]);
  assertEquals(tasks.map((task) => [task.status, task.attempts]), [["succeeded", 1], [
    "pending",
    0,
  ]]);
  assertEquals((await work(swarm, "--once")).code, 0);
  assertEquals(textOf(swarm.path("started")), "1\n", "what was settled does not run again");
  await assertHealthy(swarm);
});

Deno.test("skein work kills at the second signal, and hands back what counts against nothing (G8)", async () => {
  await using swarm = new Swarm();
  const ledger = swarm.path("ledger");
  const deaf = `trap '' TERM; ${SIGN_LEDGER}; ${waiting(swarm)}`;
  swarm.manifest({ a: { sh: deaf } }, { env: [`LEDGER=${ledger}`] });
  const runId = await submit(swarm);
  const worker = startWorker(swarm, "--grace", "60000");
  await started(swarm);
  worker.kill("SIGTERM");
  await new Promise((resolve) => setTimeout(resolve, ANOTHER_MS));
  worker.kill("SIGTERM");
  assertEquals((await worker.result).code, 0);
  if (HAS_PROC) assert(!readLedger(ledger).some(isAlive));
  const { status, crashCount, tasks } = await shown(swarm, runId);
  assertEquals([status, crashCount, tasks[0]?.status], ["queued", 0, "pending"]);
  swarm.write("go", "");
  assertEquals((await work(swarm, "--once")).code, 0, "its only attempt was not used up");
  await assertHealthy(swarm);
});

Deno.test("skein drain ends a worker, by the beginning of its name or with all, and it exits with 0 (G8)", async () => {
  await using swarm = new Swarm();
  assertEquals(await swarm.json("drain", "--all"), { requested: 0, executors: [], dead: [] });
  for (const args of [["drain"], ["drain", "x", "--all"]]) {
    assertEquals((await swarm.skein(args)).code, 2);
  }
  for (const all of [true, false]) {
    const worker = startWorker(swarm);
    let executors: { executor: string }[] = [];
    await eventually("it has come", () => exists(`${swarm.state}/queue.db`));
    while (executors.length === 0) {
      const { queue } = await swarm.json("status") as { queue: { executors: typeof executors } };
      executors = queue.executors;
    }
    const name = executors[0]?.executor ?? "";
    const missing = await swarm.skein(["drain", "executor-0"]);
    assertEquals(missing.code, 1);
    assertStringIncludes(missing.stderr, "skein status");
    const asked = await swarm.json("drain", all ? "--all" : name.slice(0, -1));
    assertEquals(asked, { requested: 1, executors: [name], dead: [] });
    const { code, stdout } = await worker.result;
    assertEquals([code, JSON.parse(stdout).why], [0, "drained"]);
  }
});

Deno.test("skein drain and status count no worker that was killed, and name it as dead", async () => {
  await using swarm = new Swarm();
  swarm.manifest({ a: { sh: waiting(swarm) } });
  const runId = await submit(swarm);
  const worker = startWorker(swarm);
  await started(swarm);
  worker.kill("SIGKILL");
  await worker.result;
  const { queue } = await swarm.json("status") as {
    queue: { leader: string | null; executors: { executor: string; alive: boolean }[] };
  };
  assertEquals([queue.leader, queue.executors.map(({ alive }) => alive)], [null, [false]]);
  const name = queue.executors[0]?.executor ?? "";
  const none = { requested: 0, executors: [], dead: [name] };
  for (const which of ["--all", name]) assertEquals(await swarm.json("drain", which), none);
  const { stdout } = await swarm.skein(["drain", "--all", "--text"]);
  assertStringIncludes(stdout, `No worker is alive\n  ${name} is dead`);
  const explained = await swarm.skein(["explain", runId, "--text"]);
  assertStringIncludes(explained.stdout, "`skein work` continues it");
  assert((await swarm.json("stop")).proven, "what the worker has left is ended");
});

Deno.test("skein recover takes a run from a worker that was killed, and ends what it has left (G8)", async () => {
  await using swarm = new Swarm();
  const ledger = swarm.path("ledger");
  const task = { sh: `${SIGN_LEDGER}; ${waiting(swarm)}`, block: { retry: { maxAttempts: 2 } } };
  swarm.manifest({ a: task }, { env: [`LEDGER=${ledger}`] });
  const runId = await submit(swarm);
  const untouched = await swarm.json("recover", runId);
  assertEquals(untouched, { runId, recovered: false, status: "queued" });
  const worker = startWorker(swarm, "--lease-ttl", TTL);
  await started(swarm);
  const alive = await swarm.skein(["recover", runId, "--lease-ttl", TTL]);
  assertEquals([alive.code, alive.stdout], [1, ""]);
  assertStringIncludes(alive.stderr, "has renewed its claim");
  worker.kill("SIGKILL");
  await worker.result;
  const recovered = await swarm.json("recover", runId, "--lease-ttl", TTL);
  assertEquals([recovered.recovered, recovered.status, recovered.crashed], [true, "queued", true]);
  assertEquals(recovered.reason, "RUN_DEFERRED_CRASHED");
  if (HAS_PROC) assert(!readLedger(ledger).some(isAlive));
  assertStringIncludes((await swarm.skein(["explain", runId, "--text"])).stdout, "verifiably gone");
  swarm.write("go", "");
  assertEquals((await work(swarm)).code, 0);
  const { status, crashCount, tasks } = await shown(swarm, runId);
  assertEquals([status, crashCount, tasks[0]?.attempts], ["succeeded", 1, 2]);
  const kinds = await eventKinds(swarm, runId);
  assert(kinds.includes("run-lost") && kinds.includes("attempt-lost"), kinds.join());
  await assertHealthy(swarm);
});

Deno.test({
  ...needing(
    "skein work --sync syncs the log of the database with each commit, and without it only to move it",
    {
      strace: succeeds("strace", "-V"),
    },
  ),
  async fn() {
    const syncs = async (...flags: string[]) => {
      await using swarm = new Swarm();
      swarm.manifest({ a: {}, b: { needs: ["a"] } });
      await submit(swarm);
      const trace = swarm.path("trace");
      const through = ["strace", "-f", "-y", "-e", "trace=fsync,fdatasync", "-o", trace];
      const { code, stderr } = await swarm.skein(["work", "--until-idle", ...flags], { through });
      assertEquals(code, 0, stderr);
      return textOf(trace).split("\n").filter((line) => line.includes("queue.db-wal>")).length;
    };
    const [each, few] = [await syncs("--sync"), await syncs()];
    // A claim, two starts, two verdicts and the end of the run; a checkpoint syncs in both.
    assert(each - few >= 6, `${each} with the flag, ${few} without`);
  },
});
