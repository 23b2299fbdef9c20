import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { eventually } from "../support/cli.ts";
import { exists, type Running, Swarm, textOf } from "../support/swarm.ts";

/** A run whose first task has said `one`, which is in its file, and waits until `go` is there. */
async function startWaiting(swarm: Swarm): Promise<Running> {
  // It ends by itself after a minute, whatever a failed test leaves behind.
  const wait = `for _ in $(seq 3000); do test -e '${swarm.path("go")}' && break; sleep 0.02; done`;
  swarm.manifest({
    talk: { sh: `echo one; ${wait}; echo two` },
    next: { sh: "echo next", needs: ["talk"] },
  }, { limits: { runTimeoutMs: 60_000 } });
  const running = swarm.start(["run", "swarm.json"]);
  await eventually("it has spoken", () => textOf(swarm.inRun("data", "talk.1.stdout")) === "one\n");
  return running;
}

Deno.test("skein runs lists every run, the newest first", async () => {
  await using swarm = new Swarm();
  assertEquals((await swarm.skein(["runs"])).stdout, "[]\n");
  assert(!exists(swarm.state));
  swarm.manifest({ a: {} });
  await swarm.run();
  swarm.manifest({ a: { sh: "exit 1" }, b: {} });
  const { report } = await swarm.run();
  const { code, stdout } = await swarm.skein(["runs"]);
  const list = JSON.parse(stdout);
  assertEquals(code, 0);
  assertEquals(list.map((run: { runId: string }) => run.runId), swarm.runIds().reverse());
  assertEquals(list.map((run: { status: string }) => run.status), ["failed", "succeeded"]);
  assertEquals(list[0].counts, report.counts);
  assertEquals(JSON.parse((await swarm.skein(["runs", "--limit", "1"])).stdout).length, 1);
  const text = (await swarm.skein(["runs", "--text"])).stdout.trimEnd().split("\n");
  assertEquals(text.length, 2);
  assertStringIncludes(text[0] ?? "", "1/2 tasks");
});

Deno.test("skein show finds a run by id, by beginning and as the latest, and refuses what is unclear", async () => {
  await using swarm = new Swarm();
  swarm.manifest({ a: { sh: "echo x" } });
  const first = (await swarm.run()).report;
  const second = (await swarm.run()).report;
  assertEquals(await swarm.json("show", first.runId), JSON.parse(JSON.stringify(first)));
  assertEquals((await swarm.json("show", "latest")).runId, second.runId);
  const shared = [...first.runId].findIndex((letter, at) => letter !== second.runId[at]);
  const beginning = first.runId.slice(0, shared + 1);
  assertEquals((await swarm.json("show", beginning)).runId, first.runId);
  for (const [name, said] of [[first.runId.slice(0, 4), "is ambiguous"], ["zzz", "is not in"]]) {
    const { code, stdout, stderr } = await swarm.skein(["show", name ?? ""]);
    assertEquals([code, stdout], [1, ""]);
    assertStringIncludes(stderr, said ?? "");
    assertStringIncludes(stderr, "skein runs");
  }
  const text = (await swarm.skein(["show", "latest", "--text"])).stdout;
  for (const part of ["test succeeded", second.runId, "a  succeeded"]) {
    assertStringIncludes(text, part);
  }
});

Deno.test("skein logs prints what tasks wrote: all, one task, one stream, one attempt after another", async () => {
  await using swarm = new Swarm();
  const retry = { maxAttempts: 2, backoffMs: 1 };
  swarm.manifest({
    one: { sh: "cat; echo one; echo oops >&2", passes: 2 },
    "B.two": { sh: 'echo "two $SKEIN_ATTEMPT"; test $SKEIN_ATTEMPT = 2', block: { retry } },
  });
  assertEquals((await swarm.run()).code, 0);
  const heads = [
    "==> one, pass 1, attempt 1, stderr <==",
    "==> one, pass 1, attempt 1, stdout <==",
    "==> one, pass 2, attempt 1, stderr <==",
    "==> one, pass 2, attempt 1, stdout <==",
    "==> B.two, pass 1, attempt 1, stdout <==",
    "==> B.two, pass 1, attempt 2, stdout <==",
  ];
  const all = await swarm.skein(["logs", "latest"]);
  assertEquals(all.stdout, "oops\none\noops\none\none\ntwo 1\ntwo 2\n");
  assertEquals(all.stderr.trimEnd().split("\n"), heads);
  const task = await swarm.skein(["logs", "latest", "B.two"]);
  assertEquals([task.code, task.stdout], [0, "two 1\ntwo 2\n"]);
  const stream = await swarm.skein(["logs", "latest", "one", "--stream", "stderr"]);
  assertEquals(stream.stdout, "oops\noops\n");
  const wrong = [["latest", "twoo"], ["latest", "--stream", "stdin"]];
  for (const [index, args] of wrong.entries()) {
    const { code, stdout } = await swarm.skein(["logs", ...args]);
    assertEquals([code, stdout], [index + 1, ""], "a name is missing: 1; a choice is none: 2");
  }
  assertEquals((await swarm.skein(["logs", "nothing"])).code, 1);
  Deno.removeSync(swarm.inRun("output", "one"));
  const missing = await swarm.skein(["logs", "latest", "one", "--stream", "stdout"]);
  assertEquals([missing.code, missing.stdout], [1, "one\n"], "the first pass is still there");
  assertStringIncludes(missing.stderr, 'output of task "one" is missing');
});

Deno.test("skein run and logs keep tasks apart whatever their ids are", async () => {
  await using swarm = new Swarm();
  const ids = ["a", "A", "a.1", "../a", "a/b", "con", "..", "é", "%61", "a.1.stdout"];
  swarm.manifest(Object.fromEntries(ids.map((id) => [id, { sh: 'echo "$SKEIN_TASK_ID"' }])));
  const { code, report } = await swarm.run();
  assertEquals(code, 0);
  assertEquals(new Set(report.tasks.map(({ output }) => output?.toLowerCase())).size, ids.length);
  for (const { id, output } of report.tasks) {
    assertEquals(swarm.read(output ?? ""), `${id}\n`);
  }
  const { stdout } = await swarm.skein(["logs", "latest"]);
  assertEquals(stdout.trimEnd().split("\n"), ids);
  assertEquals((await swarm.skein(["logs", "latest", "../a"])).stdout, "../a\n");
});

Deno.test("skein logs --follow prints what a run writes as it does, until its end", async () => {
  await using swarm = new Swarm();
  const running = await startWaiting(swarm);
  const out = swarm.path("out");
  const through = ["sh", "-c", 'exec "$@" > "$OUT"', "sh"];
  const logs = swarm.start(["logs", "latest", "--follow"], { through, env: { OUT: out } });
  await eventually("the first line is printed", () => textOf(out) === "one\n");
  assert(!exists(swarm.inRun("report.json")), "while the run goes on");
  swarm.write("go", "");
  assertEquals((await running.result).code, 0);
  assertEquals((await logs.result).code, 0);
  assertEquals(textOf(out), "one\ntwo\nnext\n");
  const again = await swarm.skein(["logs", "latest", "--follow"]);
  assertEquals([again.code, again.stdout], [0, "one\ntwo\nnext\n"]);
});

Deno.test("skein logs --follow ends with 130 when INT comes, and leaves the run alone", async () => {
  await using swarm = new Swarm();
  const running = await startWaiting(swarm);
  const out = swarm.path("out");
  const through = ["sh", "-c", 'exec "$@" > "$OUT"', "sh"];
  const logs = swarm.start(["logs", "latest", "--follow"], { through, env: { OUT: out } });
  await eventually("the first line is printed", () => textOf(out) === "one\n");
  logs.kill("SIGINT");
  assertEquals((await logs.result).code, 130);
  swarm.write("go", "");
  assertEquals((await running.result).code, 0);
});

Deno.test("skein runs, show, status and logs look at a run that goes on", async () => {
  await using swarm = new Swarm();
  const running = await startWaiting(swarm);
  const [runId = ""] = swarm.runIds();
  assertEquals((await swarm.json("status")).runs, [runId]);
  const [run] = JSON.parse((await swarm.skein(["runs"])).stdout);
  assertEquals(run, { runId, status: "running", name: "test", epoch: 1 });
  const listed = (await swarm.skein(["runs", "--text"])).stdout;
  assert(/running +epoch 1 +test$/.test(listed.trimEnd()), listed);
  const shown = await swarm.json("show", "latest");
  assertEquals([shown.status, shown.total, shown.started], ["running", 2, ["talk"]]);
  assertEquals((await swarm.skein(["logs", "latest"])).stdout, "one\n");
  swarm.write("go", "");
  assertEquals((await running.result).code, 0);
  assertEquals((await swarm.json("show", "latest")).status, "succeeded");
});

Deno.test("skein runs and show call a run interrupted whose orchestrator was killed", async () => {
  await using swarm = new Swarm();
  const running = await startWaiting(swarm);
  running.kill("SIGKILL");
  assertEquals((await running.result).code, 137);
  const [runId = ""] = swarm.runIds();
  const [run] = JSON.parse((await swarm.skein(["runs"])).stdout);
  assertEquals(run, { runId, status: "interrupted", name: "test", epoch: 1 });
  const shown = await swarm.skein(["show", "latest", "--text"]);
  assertEquals(shown.code, 0);
  assertStringIncludes(shown.stdout, "test interrupted");
  assertStringIncludes(shown.stdout, "2: 1 have written something");
  assertEquals((await swarm.skein(["logs", "latest", "--follow"])).stdout, "one\n");
  assert((await swarm.json("stop")).proven);
  assertEquals((await swarm.json("reset")).epoch, 2);
  swarm.write("go", "");
  assertEquals((await swarm.run()).code, 0);
});

Deno.test("skein runs and show name a report that is damaged", async () => {
  await using swarm = new Swarm();
  swarm.manifest({ a: {} });
  await swarm.run();
  for (const damage of ['{"version": 1,', "{}", "5"]) {
    Deno.writeTextFileSync(swarm.inRun("report.json"), damage);
    const { code, stdout } = await swarm.skein(["runs"]);
    const [{ status, problem }] = JSON.parse(stdout);
    assertEquals([code, status], [0, "unreadable"]);
    assertStringIncludes(problem, "report.json");
    const text = await swarm.skein(["runs", "--text"]);
    assertEquals(text.code, 0, text.stderr);
    assertStringIncludes(text.stdout, "unreadable");
    const shown = await swarm.skein(["show", "latest"]);
    assertEquals([shown.code, shown.stdout], [1, ""]);
    assertStringIncludes(shown.stderr, "report.json");
  }
});

Deno.test("skein logs and show name a manifest that is damaged", async () => {
  await using swarm = new Swarm();
  swarm.manifest({ a: {} });
  await swarm.run();
  Deno.removeSync(swarm.inRun("report.json"));
  Deno.writeTextFileSync(swarm.inRun("manifest.json"), "{}");
  const [run] = JSON.parse((await swarm.skein(["runs"])).stdout);
  assertEquals(run, { runId: swarm.runIds()[0], status: "interrupted", epoch: 1 });
  for (const command of ["logs", "show"]) {
    const { code, stdout, stderr } = await swarm.skein([command, "latest"]);
    assertEquals([code, stdout], [1, ""]);
    assertStringIncludes(stderr, "manifest.json");
  }
});
