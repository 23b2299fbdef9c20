import { assert, assertEquals, assertFalse, assertMatch, assertStringIncludes } from "@std/assert";
import { Engine, openQueue, outsideFence } from "../../src/engine/durable/mod.ts";
import { type LeaseEnv, savedLease, saveEnv, withLease } from "../support/carried_lease.ts";
import { eventually, skein, startSkein } from "../support/cli.ts";
import { exists, Swarm, textOf } from "../support/swarm.ts";
import { started, startWorker, submit, waiting } from "./queue_swarm.ts";

/** Short enough to wait for, and long enough for a busy machine to renew in. */
const TTL_MS = 2_000;
/** The same signal within this time is the same one. */
const ANOTHER_MS = 200;

/** What `skein lease check` says, with its exit code. */
async function checked(env: LeaseEnv): Promise<[number, string | null]> {
  const { code, stdout, stderr } = await withLease(env, "lease", "check", "--json");
  assert(stdout !== "", stderr);
  const { valid, why } = JSON.parse(stdout);
  assertEquals(valid, code === 0);
  return [code, why];
}

/** The exit code of a `skein lease exec` that writes a file, and whether it is there. */
async function executed(swarm: Swarm, env: LeaseEnv): Promise<[number, boolean]> {
  const effect = swarm.path("effect");
  const { code } = await withLease(env, "lease", "exec", "--", "touch", effect);
  const there = exists(effect);
  if (there) Deno.removeSync(effect);
  return [code, there];
}

/** A run whose task `a` has failed once, and waits in its second attempt. Both have saved their leases. */
async function runTwice(swarm: Swarm): Promise<{ first: LeaseEnv; second: LeaseEnv }> {
  const save = saveEnv(`${swarm.path("env")}-$SKEIN_ATTEMPT`);
  const sh = `${save}; test $SKEIN_ATTEMPT = 2 || exit 1; ${waiting(swarm)}`;
  swarm.manifest({ a: { sh, block: { retry: { maxAttempts: 2, backoffMs: 1 } } } });
  swarm.start(["run", "swarm.json", "--quiet"]);
  await started(swarm);
  return { first: savedLease(swarm.path("env-1")), second: savedLease(swarm.path("env-2")) };
}

Deno.test("skein lease: of a local run, the task's latest lease holds until the run is over; no other one does (G3)", async () => {
  await using swarm = new Swarm();
  const { first, second } = await runTwice(swarm);
  const { stdout } = await withLease(second, "lease", "check", "--json");
  const { lease, ...worth } = JSON.parse(stdout);
  assertEquals(worth, { valid: true, why: null, message: null });
  assertEquals([lease.taskId, lease.attempt, lease.epoch, lease.sequence], ["a", 2, 1, 2]);
  assertStringIncludes(
    (await withLease(second, "lease", "check", "--text")).stdout,
    "Worth something",
  );
  assertEquals(await executed(swarm, second), [0, true]);
  const forged: [LeaseEnv, string][] = [
    [first, "old-attempt"],
    [{ ...second, SKEIN_SEQUENCE: "3" }, "unknown"],
    [{ ...second, SKEIN_TASK_ID: "b" }, "unknown"],
    [{ ...second, SKEIN_PASS: "2" }, "unknown"],
    [{ ...second, SKEIN_ATTEMPT: "3" }, "unknown"],
    [{ ...second, SKEIN_TOKEN: "1" }, "unknown"],
    [{ ...second, SKEIN_RUN_ID: "20261129t174525123z-5k8h2m0q" }, "unknown"],
  ];
  for (const [env, why] of forged) {
    assertEquals(await checked(env), [1, why], JSON.stringify(env));
    assertEquals(await executed(swarm, env), [1, false]);
  }
  assertEquals(await checked({ ...second, SKEIN_EPOCH: "2" }), [4, "old-epoch"]);
  swarm.write("go", "");
  await eventually("the run has ended", () => exists(swarm.inRun("report.json")));
  assertEquals(await checked(second), [1, "run-over"]);
  assertEquals(await executed(swarm, second), [1, false]);
});

Deno.test("skein lease: nothing of a run whose orchestrator was killed may go on (G3)", async () => {
  await using swarm = new Swarm();
  swarm.manifest({ a: { sh: `${saveEnv(swarm.path("env"))}; ${waiting(swarm)}` } });
  const running = swarm.start(["run", "swarm.json"]);
  await started(swarm);
  const lease = savedLease(swarm.path("env"));
  assertEquals(await executed(swarm, lease), [0, true]);
  running.kill("SIGKILL");
  await running.result;
  assertEquals(await checked(lease), [1, "run-over"]);
  assertEquals(await executed(swarm, lease), [1, false]);
  await swarm.json("ps", "--kill", "latest");
});

Deno.test("skein lease exec refuses after a stop with 4, and still after its reset; while one comes it changes once (G1, G3)", async () => {
  await using swarm = new Swarm();
  const { second: lease } = await runTwice(swarm);
  assertEquals(await executed(swarm, lease), [0, true]);
  const stopping = swarm.json("stop", "--reason", "it loops");
  let stop: Record<string, unknown> | null = null;
  stopping.then((answer) => stop = answer);
  const came: string[] = [];
  while (stop === null) {
    const [code, effect] = await executed(swarm, lease);
    came.push(`${code} ${effect}`);
    await new Promise((resolve) => setTimeout(resolve));
  }
  assert((await stopping).proven);
  // One may have had its effect when the stop came: it is ended, and its code is the refusal's.
  assertMatch(came.join(), /^(0 true,?)*(4 true,?)?(4 false,?)*$/);
  assertEquals(await executed(swarm, lease), [4, false]);
  const { stderr } = await withLease(lease, "lease", "exec", "--", "true");
  assertStringIncludes(stderr, "the swarm is stopped: it loops");
  assertEquals((await swarm.json("reset")).epoch, 2);
  assertEquals(await checked(lease), [4, "old-epoch"]);
  assertEquals(await executed(swarm, lease), [4, false]);
});

Deno.test("skein lease exec marks its command, so that a stop finds it where the lease alone was passed on (G4)", async () => {
  await using swarm = new Swarm();
  const { second } = await runTwice(swarm);
  const outers = ["", "no marker", "/another/1/run/0/1/"];
  const ready = outers.map((_, index) => swarm.path(`ready-${index}`));
  const children = outers.map((outer, index) => {
    const sh = `echo > '${ready[index]}'; sleep 300; echo > '${swarm.path("late")}'`;
    const argv = ["lease", "exec", "--", "sh", "-c", sh];
    return startSkein(argv, { env: { ...second, SKEIN_LINEAGE: outer } }).output();
  });
  await eventually("the commands run", () => ready.every(exists));
  assert((await swarm.json("stop")).proven);
  for (const child of children) assertEquals((await child).code, 137);
  assertFalse(exists(swarm.path("late")));
});

Deno.test("skein lease exec is the command while the lease holds: its streams, its code", async () => {
  await using swarm = new Swarm();
  const argv = ["lease", "exec", "--", "sh", "-c", "cat; echo talk >&2; exit 7"];
  swarm.manifest({ a: { sh: `${saveEnv(swarm.path("env"))}; ${waiting(swarm)}` } });
  swarm.start(["run", "swarm.json", "--quiet"]);
  await started(swarm);
  const env = savedLease(swarm.path("env"));
  assertEquals(await skein(argv, { env, stdin: "text\n" }), {
    code: 7,
    stdout: "text\n",
    stderr: "talk\n",
  });
  const missing = await skein(["lease", "exec", "--", "no-such-program-anywhere"], { env });
  assertEquals([missing.code, missing.stdout], [1, ""]);
  assertStringIncludes(missing.stderr, 'Cannot start "no-such-program-anywhere"');
});

Deno.test("skein lease exec passes TERM and HUP on, waits for the command, and kills it at the second signal", async () => {
  await using swarm = new Swarm();
  swarm.manifest({ a: { sh: `${saveEnv(swarm.path("env"))}; ${waiting(swarm)}` } });
  swarm.start(["run", "swarm.json", "--quiet"]);
  await started(swarm);
  const env = savedLease(swarm.path("env"));
  const begin = async (sh: string) => {
    const ready = swarm.path("ready");
    const loop = `echo > '${ready}'; for _ in $(seq 3000); do sleep 0.02; done`;
    const child = startSkein(["lease", "exec", "--", "sh", "-c", `${sh}; ${loop}`], { env });
    await eventually("the command runs", () => exists(ready));
    Deno.removeSync(ready);
    return child;
  };
  for (const signal of ["TERM", "HUP"] as const) {
    const child = await begin(`trap 'exit 9' ${signal}`);
    child.kill(`SIG${signal}`);
    assertEquals((await child.output()).code, 9, signal);
  }
  const left = await begin("trap 'exit 9' INT");
  left.kill("SIGINT");
  await new Promise((resolve) => setTimeout(resolve, ANOTHER_MS));
  left.kill("SIGINT");
  assertEquals((await left.output()).code, 137, "INT is the terminal's to give");
});

Deno.test("skein lease: from the queue, the store is asked: expired, reaped, claimed again, stopped (G3, G7)", async () => {
  await using swarm = new Swarm();
  const save = saveEnv(`${swarm.path("env")}-$SKEIN_TOKEN`);
  const sh = `${save}; ${waiting(swarm)}`;
  swarm.manifest({ a: { sh, block: { retry: { maxAttempts: 2 } } } });
  const runId = await submit(swarm);
  const worker = startWorker(swarm, "--lease-ttl", String(TTL_MS));
  await started(swarm);
  const first = savedLease(swarm.path("env-1"));
  assertEquals([first.SKEIN_RUN_ID, first.SKEIN_TOKEN], [runId, "1"]);
  assertEquals(await checked(first), [0, null]);
  assertEquals(await executed(swarm, first), [0, true]);
  const forged: [LeaseEnv, string][] = [
    [{ ...first, SKEIN_TOKEN: "2" }, "old-token"],
    [{ ...first, SKEIN_SEQUENCE: "2" }, "unknown"],
    [{ ...first, SKEIN_ATTEMPT: "2" }, "unknown"],
    [{ ...first, SKEIN_TASK_ID: "b" }, "unknown"],
    [{ ...first, SKEIN_RUN_ID: runId.slice(0, -1) }, "unknown"],
  ];
  for (const [env, why] of forged) {
    assertEquals(await checked(env), [1, why], JSON.stringify(env));
    assertEquals(await executed(swarm, env), [1, false]);
  }
  const { SKEIN_TOKEN: _, ...local } = first;
  assertEquals(await checked(local), [1, "run-over"], "without its token it is no local run's");

  worker.kill("SIGKILL");
  await worker.result;
  await new Promise((resolve) => setTimeout(resolve, TTL_MS));
  assertEquals(await checked(first), [1, "expired"]);
  assertEquals(await executed(swarm, first), [1, false]);

  const store = await openQueue(swarm.state);
  try {
    const engine = new Engine({
      store,
      fence: outsideFence(swarm.state),
      leaseTtlMs: TTL_MS,
      requeueBackoff: { baseMs: 1, maxMs: 1 },
    });
    let reaped = 0;
    while (reaped === 0) reaped = (await engine.reapExpiredRuns()).length;
  } finally {
    await store.close();
  }
  assertEquals(await checked(first), [1, "old-token"]);
  assertEquals(await executed(swarm, first), [1, false]);

  startWorker(swarm, "--lease-ttl", String(TTL_MS));
  await started(swarm, 2);
  const third = savedLease(swarm.path("env-3"));
  assertEquals([third.SKEIN_TOKEN, third.SKEIN_ATTEMPT], ["3", "2"]);
  assertEquals(await executed(swarm, third), [0, true]);
  assertEquals(await executed(swarm, first), [1, false]);
  const exec = await withLease(first, "lease", "exec", "--", "true");
  assertStringIncludes(exec.stderr, "its token is 1, the run's is 3 by now (running)");

  assert((await swarm.json("stop")).proven);
  for (const lease of [first, third]) assertEquals(await executed(swarm, lease), [4, false]);
  await swarm.json("reset");
  for (const lease of [first, third]) assertEquals(await checked(lease), [4, "old-epoch"]);
  assertFalse(exists(swarm.path("effect")));
});

Deno.test("skein lease: a lease of the queue is over with its attempt (G3, G7)", async () => {
  await using swarm = new Swarm();
  const save = saveEnv(`${swarm.path("env")}-$SKEIN_TASK_ID`);
  swarm.manifest({ a: { sh: save }, b: { sh: `${save}; ${waiting(swarm)}`, needs: ["a"] } });
  await submit(swarm);
  const worker = startWorker(swarm, "--once");
  await started(swarm);
  const [a, b] = [savedLease(swarm.path("env-a")), savedLease(swarm.path("env-b"))];
  assertEquals([await checked(a), await checked(b)], [[1, "old-attempt"], [0, null]]);
  swarm.write("go", "");
  assertEquals((await worker.result).code, 0);
  for (const lease of [a, b]) assertEquals(await checked(lease), [1, "run-over"]);
  assertEquals(textOf(swarm.path("started")), "1\n");
});
