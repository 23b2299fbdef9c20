import { assert, assertEquals, assertNotEquals, assertStringIncludes } from "@std/assert";
import { exists, manifestOf, Swarm } from "../support/swarm.ts";
import { shown, submit } from "./queue_swarm.ts";

Deno.test("skein submit queues a run, prints its id, and starts nothing", async () => {
  await using swarm = new Swarm();
  swarm.manifest({ a: { sh: `echo > '${swarm.path("ran")}'` } });
  const { code, stdout } = await swarm.skein(["submit", "swarm.json", "--priority=-5"]);
  const { runId, ...rest } = JSON.parse(stdout);
  assertEquals([code, rest], [0, { known: false, name: "test", epoch: 1 }]);
  const run = await shown(swarm, runId) as unknown as Record<string, unknown>;
  assertEquals([run.status, run.priority, run.key, run.reason], ["queued", -5, null, null]);
  assertEquals(run.counts, { ...NO_TASKS, total: 1, pending: 1 });
  assert(!exists(swarm.path("ran")));
  assertEquals(swarm.runIds(), [], "a run has no folder before it is claimed");
});

const NO_TASKS = { running: 0, succeeded: 0, failed: 0, skipped: 0, stopped: 0, cancelled: 0 };

Deno.test("skein submit with a key is idempotent, and refuses another manifest under it", async () => {
  await using swarm = new Swarm();
  swarm.manifest({ a: {} });
  const runId = await submit(swarm, "--key", "nightly");
  const again = await swarm.skein(["submit", "swarm.json", "--key", "nightly"]);
  assertEquals([again.code, JSON.parse(again.stdout).runId], [0, runId]);
  assert(JSON.parse(again.stdout).known);
  assertStringIncludes(again.stderr, "nightly");
  assertNotEquals(await submit(swarm, "--key", "other"), runId);
  assertNotEquals(await submit(swarm), runId);
  swarm.manifest({ a: {}, b: {} });
  const taken = await swarm.skein(["submit", "swarm.json", "--key", "nightly"]);
  assertEquals([taken.code, taken.stdout], [1, ""]);
  for (const part of ["nightly", runId, "manifest is another", `skein show ${runId}`]) {
    assertStringIncludes(taken.stderr, part);
  }
});

Deno.test("skein submit reads a manifest from standard input", async () => {
  await using swarm = new Swarm();
  const stdin = JSON.stringify(manifestOf({ a: {} }));
  const { code, stdout } = await swarm.skein(["submit", "-", "--text"], { stdin });
  assertEquals(code, 0);
  assertEquals((await shown(swarm, stdout.trim())).status, "queued");
});

Deno.test("skein submit exits with 1 for a manifest that is invalid or lacks an input, and makes nothing (G6)", async () => {
  await using swarm = new Swarm();
  swarm.write("bad.json", '{"version": 2}');
  swarm.manifest({ a: { stdinFile: "not-there.txt" } });
  for (const name of ["missing.json", "bad.json", "swarm.json"]) {
    const { code, stdout } = await swarm.skein(["submit", name]);
    assertEquals([code, stdout], [1, ""], name);
  }
  assert(!exists(swarm.state));
});

Deno.test("skein submit exits with 4 while the swarm is stopped, and queues nothing (G1)", async () => {
  await using swarm = new Swarm();
  swarm.manifest({ a: {} });
  await swarm.json("stop", "--no-wait");
  const refused = await swarm.skein(["submit", "swarm.json"]);
  assertEquals([refused.code, refused.stdout], [4, ""]);
  assertStringIncludes(refused.stderr, "skein reset");
  assert(!exists(`${swarm.state}/queue.db`));
  await swarm.json("reset");
  assertEquals((await shown(swarm, await submit(swarm))).epoch, 2);
});

Deno.test("skein submit and work refuse an EPOCH below one that the queue has seen (G2)", async () => {
  await using swarm = new Swarm();
  swarm.manifest({ a: {} });
  await swarm.json("stop");
  await swarm.json("reset");
  await submit(swarm);
  for (const name of ["EPOCH", "EPOCH.high"]) {
    Deno.writeTextFileSync(`${swarm.state}/${name}`, "1\n");
  }
  for (const args of [["submit", "swarm.json"], ["work", "--once"]]) {
    const { code, stdout, stderr } = await swarm.skein(args);
    assertEquals([code, stdout], [1, ""], stderr);
    assertStringIncludes(stderr, "skein reset --epoch 3");
  }
  assertEquals((await swarm.skein(["reset", "--epoch", "2"])).code, 1, "the queue has seen 2");
  assertEquals((await swarm.json("reset", "--epoch", "3")).epoch, 3);
  assertEquals((await shown(swarm, await submit(swarm))).epoch, 3);
});
