import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { eventually } from "../support/cli.ts";
import { exists, namesIn, Swarm, textOf } from "../support/swarm.ts";
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

interface Row {
  readonly runId: string;
  readonly status: string;
  readonly counts?: unknown;
  readonly queue?: { readonly reason: string | null; readonly round: number };
}

async function listed(swarm: Swarm, ...flags: string[]): Promise<Row[]> {
  return JSON.parse((await swarm.skein(["runs", ...flags])).stdout);
}

Deno.test("skein runs, show and explain tell runs of the queue and local ones together", async () => {
  await using swarm = new Swarm();
  swarm.manifest({ a: { sh: "exit 1" } });
  const failed = await submit(swarm, "--key", "k");
  assertEquals((await work(swarm)).code, 0);
  const local = (await swarm.run()).report.runId;
  swarm.manifest({ a: {} });
  const queued = await submit(swarm);
  const rows = await listed(swarm);
  assertEquals(rows.map(({ runId }) => runId), [queued, local, failed]);
  assertEquals(rows.map(({ status }) => status), ["queued", "failed", "failed"]);
  assertEquals(rows.map(({ queue }) => queue?.reason), [null, undefined, "RUN_FAILED_TASKS"]);
  assertEquals((await listed(swarm, "--limit", "1")).map(({ runId }) => runId), [queued]);
  assertEquals((await listed(swarm, "--limit", "2")).map(({ runId }) => runId), [queued, local]);
  const text = (await swarm.skein(["runs", "--text"])).stdout.trimEnd().split("\n");
  assertEquals(text.length, 3);
  assertEquals((await shown(swarm, "latest")).runId, queued);
  assertEquals((await shown(swarm, failed.slice(0, -1))).runId, failed);
  assertEquals((await shown(swarm, local)).runId, local);
  const unclear = await swarm.skein(["show", queued.slice(0, 6)]);
  assertEquals(unclear.code, 1);
  assertStringIncludes(unclear.stderr, "is ambiguous");
  assertEquals((await swarm.skein(["show", "zzz"])).code, 1);
  const shownText = (await swarm.skein(["show", failed, "--text"])).stdout;
  for (const part of ["test failed", failed, "key       k", "TASK_FAILED_EXIT"]) {
    assertStringIncludes(shownText, part);
  }
  for (const [runId, part] of [[queued, "skein work"], [failed, "skein logs"], [local, "failed"]]) {
    const { code, stdout } = await swarm.skein(["explain", runId ?? "", "--text"]);
    assertEquals(code, 0);
    assertStringIncludes(stdout, part ?? "");
  }
});

Deno.test("skein show --events prints the whole audit of a run of the queue, and of no other (G10)", async () => {
  await using swarm = new Swarm();
  swarm.manifest({ a: {} });
  const runId = await submit(swarm);
  await work(swarm);
  assertEquals(await eventKinds(swarm, runId), [
    "run-submitted",
    "run-claimed",
    "attempt-started",
    "attempt-succeeded",
    "run-finished",
  ]);
  const text = await swarm.skein(["show", runId, "--events", "--text"]);
  assertStringIncludes(text.stdout, "queued → running");
  const local = await swarm.run();
  const refused = await swarm.skein(["show", local.report.runId, "--events"]);
  assertEquals([refused.code, refused.stdout], [1, ""]);
  assertStringIncludes(refused.stderr, "events.jsonl");
});

Deno.test("skein explain says of every code what it means, and refuses one that it does not know", async () => {
  await using swarm = new Swarm();
  const code = await swarm.json("explain", "RUN_FAILED_POISON");
  assertEquals([code.code, code.level], ["RUN_FAILED_POISON", "error"]);
  assert([code.short, code.explanation, code.remedy].every((text) => typeof text === "string"));
  const unknown = await swarm.skein(["explain", "RUN_FAILED_POISN"]);
  assertEquals([unknown.code, unknown.stdout], [2, ""]);
  assertStringIncludes(unknown.stderr, 'did you mean "RUN_FAILED_POISON"?');
  assertEquals((await swarm.skein(["explain", "latest"])).code, 1);
  assert(!exists(swarm.state));
});

Deno.test("skein logs prints every attempt of a run of the queue, of every round, and follows one", async () => {
  await using swarm = new Swarm();
  swarm.manifest({
    talk: { sh: waiting(swarm, "echo two") },
    fails: { sh: 'echo "oops $SKEIN_ATTEMPT" >&2; test $SKEIN_ATTEMPT = 2' },
  });
  const runId = await submit(swarm);
  assertEquals((await swarm.skein(["logs", runId])).stderr, "Nothing was written\n");
  const out = swarm.path("out");
  const through = ["sh", "-c", 'exec "$@" > "$OUT"', "sh"];
  const logs = swarm.start(["logs", runId, "--follow"], { through, env: { OUT: out } });
  const worker = startWorker(swarm, "--until-idle");
  await started(swarm);
  await eventually("the failure is printed", () => textOf(out).includes("oops 1"));
  swarm.write("go", "");
  assertEquals((await worker.result).code, 0);
  assertEquals((await logs.result).code, 0);
  assertEquals(textOf(out).trimEnd().split("\n").sort(), ["oops 1", "two"]);
  await swarm.json("retry", runId, "--failed-only");
  assertEquals((await work(swarm, "--once")).code, 0);
  const all = await swarm.skein(["logs", runId]);
  assertEquals(all.stdout, "two\noops 1\noops 2\n");
  assertEquals(all.stderr.trimEnd().split("\n"), [
    "==> talk, pass 1, attempt 1, stdout <==",
    "==> fails, pass 1, attempt 1, stderr <==",
    "==> fails, pass 1, attempt 2, stderr <==",
  ]);
  const one = await swarm.skein(["logs", runId, "fails", "--stream", "stderr"]);
  assertEquals(one.stdout, "oops 1\noops 2\n");
  assertEquals((await swarm.skein(["logs", runId, "fials"])).code, 1);
});

Deno.test("skein logs says of a run of the queue that a recorded output is missing, with code 1", async () => {
  await using swarm = new Swarm();
  swarm.manifest({ a: { sh: "echo text" }, b: { sh: "echo other >&2" } });
  const runId = await submit(swarm);
  await work(swarm);
  Deno.removeSync(`${swarm.state}/${(await shown(swarm, runId)).tasks[0]?.output}`);
  for (const args of [[], ["a"], ["a", "--follow"]]) {
    const { code, stderr } = await swarm.skein(["logs", runId, ...args]);
    assertEquals(code, 1);
    assertStringIncludes(stderr, 'output of task "a" is missing: 5 bytes');
    assert(!stderr.includes("Nothing was written"));
  }
  for (const args of [["b"], ["a", "--stream", "stderr"]]) {
    const { code, stderr } = await swarm.skein(["logs", runId, ...args]);
    assertEquals(code, 0, stderr);
  }
});

Deno.test("skein status counts the queue and names its workers", async () => {
  await using swarm = new Swarm();
  swarm.manifest({ a: { sh: waiting(swarm) } });
  await submit(swarm);
  await submit(swarm);
  const worker = startWorker(swarm, "--until-idle");
  await started(swarm);
  const status = await swarm.skein(["status"]);
  const { queue, stopped } = JSON.parse(status.stdout);
  assertEquals([status.code, stopped], [0, false]);
  assertEquals([queue.runs.queued, queue.runs.running], [1, 1]);
  assert(queue.oldestWaitMs > 0);
  const [{ executor, alive, pid, holds, draining }] = queue.executors;
  assertEquals([alive, pid, holds, draining], [true, worker.pid, 1, false]);
  assertEquals(queue.leader, executor);
  swarm.write("go", "");
  assertEquals((await worker.result).code, 0);
  const after = (await swarm.json("status") as { queue: typeof queue }).queue;
  assertEquals([after.runs.succeeded, after.oldestWaitMs, after.executors, after.leader], [
    2,
    null,
    [],
    null,
  ]);
});

Deno.test("skein prune removes ended runs with their folders, and nothing that waits or runs (G2, G12)", async () => {
  await using swarm = new Swarm();
  assertEquals(await swarm.json("prune", "--keep", "0"), { removed: 0, queued: [], local: [] });
  swarm.manifest({ a: {} });
  await swarm.json("stop");
  await swarm.json("reset");
  const locals = [(await swarm.run()).report.runId, (await swarm.run()).report.runId];
  const ended = [await submit(swarm), await submit(swarm)];
  await work(swarm);
  swarm.manifest({ a: { sh: waiting(swarm) } });
  const running = await submit(swarm);
  const worker = startWorker(swarm, "--until-idle");
  await started(swarm);
  const local = swarm.start(["run", "swarm.json"]);
  await started(swarm, 2);
  const queued = await submit(swarm);
  assertEquals((await swarm.json("prune", "--older-than", "1h")).removed, 0);
  assertEquals(await swarm.json("prune", "--keep", "1"), {
    removed: 2,
    queued: ended.slice(0, 1),
    local: locals.slice(0, 1),
  });
  assertEquals((await swarm.json("prune", "--older-than", "1ms")).removed, 2);
  const left = namesIn(`${swarm.state}/runs`);
  assertEquals(left.filter((name) => [...locals, ...ended].includes(name)), []);
  assert(left.includes(running) && left.length === 2);
  swarm.write("go", "");
  assertEquals((await worker.result).code, 0);
  assertEquals((await local.result).code, 0);
  assertEquals((await shown(swarm, queued)).status, "succeeded");
  assertEquals((await swarm.json("prune", "--keep", "0")).removed, 3);
  assertEquals([await listed(swarm), namesIn(`${swarm.state}/runs`)], [[], []]);
  for (const name of ["EPOCH", "EPOCH.high"]) {
    Deno.writeTextFileSync(`${swarm.state}/${name}`, "1\n");
  }
  assertEquals((await swarm.skein(["submit", "swarm.json"])).code, 1, "epoch 2 is not forgotten");
  for (const args of [[], ["--older-than", "soon"], ["--keep", "-1"]]) {
    assertEquals((await swarm.skein(["prune", ...args])).code, 2);
  }
  await assertHealthy(swarm);
});

Deno.test("skein prune removes what an interrupted run left, once nothing of it is alive", async () => {
  await using swarm = new Swarm();
  swarm.manifest({ a: { sh: waiting(swarm) } });
  const run = swarm.start(["run", "swarm.json"]);
  await started(swarm);
  run.kill("SIGKILL");
  await run.result;
  const [runId = ""] = swarm.runIds();
  assertEquals((await swarm.json("prune", "--keep", "0")).removed, 0, "its task is alive");
  await swarm.json("ps", "--kill", runId);
  assertEquals((await swarm.json("prune", "--keep", "0")).local, [runId]);
  assertEquals(swarm.runIds(), []);
});

Deno.test("skein fsck names a damaged output and a broken invariant, with code 1", async () => {
  await using swarm = new Swarm();
  assertEquals(await swarm.json("fsck"), { healthy: true, violations: [] });
  swarm.manifest({ a: { sh: "echo text" } });
  const runId = await submit(swarm);
  await work(swarm);
  await assertHealthy(swarm);
  const path = `${swarm.state}/${(await shown(swarm, runId)).tasks[0]?.output}`;
  Deno.writeTextFileSync(path, "TEXT\n");
  using database = new DatabaseSync(`${swarm.state}/queue.db`);
  database.prepare("UPDATE runs SET state = 'succeeded', finished_at = queued_at - 1 WHERE id = ?")
    .run(runId);
  const { code, stdout } = await swarm.skein(["fsck"]);
  const { healthy, violations } = JSON.parse(stdout);
  assertEquals([code, healthy], [1, false]);
  assert(violations.length >= 2);
  for (const { check, id, message } of violations) {
    assert([check, message].every((text) => typeof text === "string" && text !== ""));
    assertStringIncludes(id, runId);
  }
  const text = await swarm.skein(["fsck", "--text"]);
  assertEquals(text.code, 1);
  assertStringIncludes(text.stdout, "outputs-on-disk");
});
