import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { openQueue } from "../../src/cli/queue.ts";
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

Deno.test("skein stop ends a worker with 4; reset closes what was queued and running, and only retry reopens it (G1, G3, G8)", async () => {
  await using swarm = new Swarm();
  const ledger = swarm.path("ledger");
  swarm.manifest({
    before: { sh: "echo kept" },
    a: { sh: `${SIGN_LEDGER}; ${waiting(swarm)}`, needs: ["before"] },
  }, { env: [`LEDGER=${ledger}`] });
  const running = await submit(swarm);
  const queued = await submit(swarm);
  const worker = startWorker(swarm);
  await started(swarm);
  const stop = await swarm.json("stop");
  assertEquals([stop.proven, stop.epoch], [true, 2]);
  assertEquals((await worker.result).code, 4);
  if (HAS_PROC) assert(!readLedger(ledger).some(isAlive));
  for (const args of [["work", "--once"], ["retry", running], ["submit", "swarm.json"]]) {
    assertEquals((await swarm.skein(args)).code, 4, args.join(" "));
  }
  const reset = await swarm.json("reset");
  assertEquals([reset.reset, reset.epoch], [true, 2]);
  for (const [runId, reason] of [[running, "RUN_STOPPED"], [queued, "RUN_STOPPED_QUEUED"]]) {
    const run = await shown(swarm, runId ?? "");
    assertEquals([run.status, run.reason, run.crashCount], ["stopped", reason, 0]);
    assertEquals(
      (await eventKinds(swarm, runId ?? "")).filter((kind) => kind === "run-stopped").length,
      1,
    );
  }
  const explained = await swarm.skein(["explain", queued, "--text"]);
  assertStringIncludes(explained.stdout, "skein retry");
  swarm.write("go", "");
  assertEquals(JSON.parse((await work(swarm)).stdout).executed, 0, "nothing starts by itself");
  const retried = await swarm.json("retry", running, "--failed-only");
  assertEquals([retried.round, retried.reopened, retried.epoch], [2, 1, 2]);
  assertEquals(JSON.parse((await work(swarm)).stdout).executed, 1);
  const run = await shown(swarm, running);
  assertEquals([run.status, run.epoch, run.round], ["succeeded", 2, 2]);
  assertEquals(run.tasks.map(({ attempts }) => attempts), [1, 2], "what had succeeded is kept");
  assertEquals((await shown(swarm, queued)).status, "stopped");
  await assertHealthy(swarm);
});

Deno.test("skein work exits with 4 and starts nothing while the swarm is stopped (G1)", async () => {
  await using swarm = new Swarm();
  swarm.manifest({ a: { sh: `echo > '${swarm.path("ran")}'` } });
  const runId = await submit(swarm);
  await swarm.json("stop", "--no-wait");
  const { code, stderr } = await work(swarm);
  assertEquals(code, 4);
  assertStringIncludes(stderr, "skein reset");
  assertStringIncludes((await swarm.skein(["explain", runId, "--text"])).stdout, "skein reset");
  assert(!exists(swarm.path("ran")));
  assertEquals(await swarm.json("reset"), { reset: true, stopped: false, epoch: 2, closedRuns: 1 });
  assertEquals((await work(swarm)).code, 0);
  assert(!exists(swarm.path("ran")));
});

Deno.test("skein reset keeps the latch where the queue cannot be raised (G1, G2)", async () => {
  await using swarm = new Swarm();
  swarm.manifest({ a: {} });
  const runId = await submit(swarm);
  await swarm.json("stop");
  const database = `${swarm.state}/queue.db`;
  const whole = Deno.readFileSync(database);
  Deno.writeTextFileSync(
    database,
    "this is no database, and never was one, whatever its name says",
  );
  const refused = await swarm.skein(["reset"]);
  assertEquals([refused.code, refused.stdout], [1, ""]);
  assertStringIncludes(refused.stderr, "queue.db");
  assert(exists(`${swarm.state}/STOP`));
  const status = await swarm.skein(["status"]);
  assertEquals([status.code, JSON.parse(status.stdout).stopped], [1, true]);
  assertStringIncludes(JSON.parse(status.stdout).problem, "queue.db");
  Deno.writeFileSync(database, whole);
  assertEquals((await swarm.json("reset")).epoch, 2);
  assertEquals((await shown(swarm, runId)).status, "stopped");
});

Deno.test("skein reset after a corrupt EPOCH needs an epoch above the queue's (G2)", async () => {
  await using swarm = new Swarm();
  swarm.manifest({ a: {} });
  await submit(swarm);
  await swarm.json("stop");
  await swarm.json("reset", "--epoch", "7");
  await submit(swarm);
  for (const name of ["EPOCH", "EPOCH.high"]) Deno.removeSync(`${swarm.state}/${name}`);
  const refused = await swarm.skein(["reset"]);
  assertEquals(refused.code, 1);
  assertStringIncludes(refused.stderr, "skein reset --epoch 8");
  assertEquals((await swarm.skein(["reset", "--epoch", "7"])).code, 1);
  assertEquals((await swarm.json("reset", "--epoch", "8")).epoch, 8);
  assertEquals((await shown(swarm, await submit(swarm))).epoch, 8);
});

Deno.test("skein retry refuses a run that has succeeded or has not ended, and keeps what it asks for (G11)", async () => {
  await using swarm = new Swarm();
  swarm.manifest({ a: { sh: `test -e '${swarm.path("mended")}'` }, b: { sh: "echo b" } });
  const runId = await submit(swarm);
  const waits = await swarm.skein(["retry", runId]);
  assertEquals([waits.code, waits.stdout], [1, ""]);
  assertStringIncludes(waits.stderr, `skein explain ${runId}`);
  assertEquals((await work(swarm, "--once")).code, 3);
  swarm.write("mended", "");
  assertEquals((await swarm.json("retry", runId)).reopened, 2, "every task");
  assertEquals((await work(swarm, "--once")).code, 0);
  const { status, tasks } = await shown(swarm, runId);
  assertEquals([status, ...tasks.map(({ attempts }) => attempts)], ["succeeded", 2, 2]);
  const done = await swarm.skein(["retry", runId]);
  assertEquals([done.code, done.stdout], [1, ""]);
  assertStringIncludes(done.stderr, "it has succeeded");
  assertEquals((await swarm.skein(["retry", "nothing"])).code, 1);
});

Deno.test("skein cancel ends a run that waits at once, and one that runs through its worker (G11)", async () => {
  await using swarm = new Swarm();
  const ledger = swarm.path("ledger");
  swarm.manifest({ a: { sh: `${SIGN_LEDGER}; ${waiting(swarm)}` }, b: { needs: ["a"] } }, {
    env: [`LEDGER=${ledger}`],
  });
  const running = await submit(swarm);
  const worker = startWorker(swarm, "--until-idle");
  await started(swarm);
  const queued = await submit(swarm, "--priority=-1");
  assertEquals(await swarm.json("cancel", queued), { runId: queued, status: "cancelled" });
  assertEquals(await swarm.json("cancel", queued), { runId: queued, status: "cancelled" });
  assertEquals(await swarm.json("cancel", running), { runId: running, status: "requested" });
  assertEquals((await worker.result).code, 0);
  if (HAS_PROC) assert(!readLedger(ledger).some(isAlive));
  for (const runId of [running, queued]) {
    const { status, reason, tasks } = await shown(swarm, runId);
    assertEquals([status, reason], ["cancelled", "RUN_CANCELLED_OPERATOR"]);
    assertEquals([tasks[0]?.status, tasks[1]?.attempts], ["cancelled", 0]);
  }
  assertEquals(textOf(swarm.path("started")), "1\n");
  assertEquals((await swarm.skein(["cancel", "nothing"])).code, 1);
  await assertHealthy(swarm);
});

Deno.test("skein cancel and retry refuse local runs and runs that have ended otherwise", async () => {
  await using swarm = new Swarm();
  swarm.manifest({ a: {} });
  const local = (await swarm.run()).report.runId;
  for (const command of ["cancel", "retry", "recover"]) {
    const { code, stdout, stderr } = await swarm.skein([command, local]);
    assertEquals([code, stdout], [1, ""]);
    assertStringIncludes(stderr, "is a local run");
  }
  const runId = await submit(swarm);
  assertEquals((await work(swarm, "--once")).code, 0);
  const { code, stderr } = await swarm.skein(["cancel", runId]);
  assertEquals(code, 1);
  assertStringIncludes(stderr, "it has ended, succeeded");
});

Deno.test("skein status names the process that holds the write lock, and submit says that it waits for it", async () => {
  await using swarm = new Swarm();
  swarm.manifest({ a: {} });
  await submit(swarm);
  using database = new DatabaseSync(`${swarm.state}/queue.db`);
  database.exec("BEGIN IMMEDIATE");
  const waiter = swarm.start(["submit", "swarm.json", "--text"]);
  const { queue } = await swarm.json("status") as { queue: { writer: { pid: number } | null } };
  if (HAS_PROC) assertEquals(queue.writer?.pid, Deno.pid);
  await new Promise((resolve) => setTimeout(resolve, 2_500));
  database.exec("ROLLBACK");
  const { code, stderr } = await waiter.result;
  assertEquals(code, 0);
  assertStringIncludes(stderr, "for the write lock of");
});

Deno.test("skein stop with 20 runs queued and 4 running ends all 24 as stopped, without a crash; nothing restarts, and retry reopens one (G1, G3, G9)", async () => {
  await using swarm = new Swarm();
  swarm.manifest({ a: { sh: waiting(swarm) } });
  const runIds: string[] = [];
  const submitAll = async () => {
    while (runIds.length < 24) {
      const index = runIds.push("") - 1;
      runIds[index] = await submit(swarm);
    }
  };
  await Promise.all([submitAll(), submitAll(), submitAll()]);
  const worker = startWorker(swarm, "--concurrency", "4");
  await started(swarm, 4);
  const stop = await swarm.json("stop");
  assertEquals([stop.proven, stop.survivors], [true, 0]);
  assertEquals((await worker.result).code, 4);
  assert((await swarm.json("reset")).reset);
  swarm.write("go", "");
  assertEquals(JSON.parse((await work(swarm)).stdout).executed, 0, "nothing restarts");
  const store = await openQueue(swarm.state);
  const runs = await store.runs({ limit: 25 });
  await store.close();
  assertEquals(
    runs.map(({ state, crashCount }) => [state, crashCount]),
    Array(24).fill(["stopped", 0]),
  );
  const [retried = ""] = runIds;
  assertEquals((await swarm.json("retry", retried)).epoch, 2);
  assertEquals(JSON.parse((await work(swarm)).stdout).executed, 1);
  const run = await shown(swarm, retried);
  assertEquals([run.status, run.epoch], ["succeeded", 2]);
  await assertHealthy(swarm);
});
