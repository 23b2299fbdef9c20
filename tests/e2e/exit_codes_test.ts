import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { eventually } from "../support/cli.ts";
import { exists, type Running, Swarm, taskIn, textOf } from "../support/swarm.ts";

/** Ends by itself after a minute, whatever a failed test leaves behind. */
const WAITS = 'echo > "$STARTED"; sleep 60';
/** The same, and neither it nor what it starts listens to a polite request. */
const DEAF = `trap '' TERM INT HUP; ${WAITS}`;
/** The same signal within a tenth of a second is the same one: a program between may have passed it on. */
const ANOTHER_MS = 200;

/** Starts a run of scripts and waits until `a` has started. */
async function startRun(
  swarm: Swarm,
  scripts: Record<string, string>,
  ...flags: string[]
): Promise<Running> {
  const started = swarm.path("started");
  const drafts = Object.entries(scripts).map(([id, sh]) => [id, { sh }]);
  swarm.manifest(Object.fromEntries(drafts), { env: [`STARTED=${started}`] });
  const running = swarm.start(["run", "swarm.json", "--sync", ...flags]);
  await eventually("the task has started", () => exists(started));
  return running;
}

async function cancelNoticed(swarm: Swarm): Promise<void> {
  const noticed = () => textOf(swarm.inRun("events.jsonl")).includes("cancel-requested");
  await eventually("the run has noticed the signal", noticed);
}

Deno.test("skein run exits with 0 when every task succeeded, and with 3 when one failed", async () => {
  await using swarm = new Swarm();
  swarm.manifest({ a: { sh: "echo fine" } });
  assertEquals((await swarm.run()).code, 0);
  swarm.manifest({ a: { sh: "exit 9" }, b: { sh: "echo fine" } });
  const { code, report } = await swarm.run();
  assertEquals(code, 3);
  assertEquals([report.status, report.reason], ["failed", "RUN_FAILED_TASKS"]);
});

Deno.test("skein run exits with 1 for a manifest that is not there, a folder, or invalid (G6)", async () => {
  await using swarm = new Swarm();
  swarm.write("bad.json", '{"version": 2}');
  for (const name of ["missing.json", ".", "bad.json"]) {
    const { code, stdout, stderr } = await swarm.skein(["run", name]);
    assertEquals([code, stdout], [1, ""], stderr);
    assertStringIncludes(stderr, name);
  }
  assert(!exists(swarm.state));
});

Deno.test("skein exits with 2 for a command line that it does not understand", async () => {
  await using swarm = new Swarm();
  for (const args of [["rum"], ["run"], ["run", "m.json", "--nope"], ["run", "--workers", "x"]]) {
    const { code, stdout } = await swarm.skein(args);
    assertEquals([code, stdout], [2, ""], args.join(" "));
  }
  assert(!exists(swarm.state));
});

Deno.test("skein run exits with 4 when the swarm is stopped, and starts nothing (G1)", async () => {
  await using swarm = new Swarm();
  swarm.manifest({ a: { sh: `echo > '${swarm.path("ran")}'` } });
  assertEquals((await swarm.skein(["stop", "--no-wait"])).code, 0);
  const { code, stderr } = await swarm.skein(["run", "swarm.json"]);
  assertEquals(code, 4);
  assertStringIncludes(stderr, "skein reset");
  assert(!exists(swarm.path("ran")));
});

/** No file grows beyond 16 KiB, and who tries is told so instead of killed. */
const SMALL_FILES = ["bash", "-c", "trap '' XFSZ; ulimit -f 16; exec \"$@\"", "bash"];

Deno.test("skein run exits with 1 when all succeeded but its event log is incomplete", async () => {
  await using swarm = new Swarm();
  swarm.manifest({ a: { argv: ["true"], passes: 60 } });
  const through = SMALL_FILES;
  const { code, stderr } = await swarm.skein(["run", "swarm.json"], { through });
  const { status, eventsError } = swarm.report();
  assertEquals([code, status], [1, "succeeded"], stderr);
  assertStringIncludes(eventsError ?? "", "File too large");
  assertStringIncludes(stderr, eventsError ?? "");
});

for (const [signal, expected] of [["SIGHUP", 129], ["SIGINT", 130], ["SIGTERM", 143]] as const) {
  Deno.test(`skein run exits with ${expected} when ${signal} ends it`, async () => {
    await using swarm = new Swarm();
    const running = await startRun(swarm, { a: WAITS, b: "true" }, "--workers", "1");
    running.kill(signal);
    assertEquals((await running.result).code, expected);
    const report = swarm.report();
    assertEquals([report.status, report.reason], ["cancelled", "RUN_CANCELLED"]);
    assertEquals(taskIn(report, "a").reason, "TASK_CANCELLED");
    assertEquals([taskIn(report, "b").reason, taskIn(report, "b").attempts], ["TASK_CANCELLED", 0]);
  });
}

Deno.test("skein run asks with TERM first, and lets a task end within the grace", async () => {
  await using swarm = new Swarm();
  const polite = `trap 'echo bye; exit 0' TERM; ${WAITS}`;
  const running = await startRun(swarm, { a: polite }, "--grace", "60000");
  running.kill("SIGINT");
  assertEquals((await running.result).code, 130);
  assertEquals(swarm.read("data", "a.1.stdout"), "bye\n");
  assertEquals(taskIn(swarm.report(), "a").status, "cancelled");
  assert(!exists(swarm.inRun("output", "a")), "the output of a cancelled task is not published");
});

Deno.test("skein run kills a task that ignores TERM when the grace is over", async () => {
  await using swarm = new Swarm();
  const running = await startRun(swarm, { a: DEAF }, "--grace", "300");
  const asked = performance.now();
  running.kill("SIGTERM");
  assertEquals((await running.result).code, 143);
  assert(performance.now() - asked >= 300, "the grace was kept");
});

Deno.test("skein run kills at once when a second signal comes", async () => {
  await using swarm = new Swarm();
  const running = await startRun(swarm, { a: DEAF }, "--grace", "3600000");
  running.kill("SIGINT");
  await cancelNoticed(swarm);
  await new Promise((resolve) => setTimeout(resolve, ANOTHER_MS));
  assert(!exists(swarm.inRun("report.json")), "the first signal waits for the grace");
  running.kill("SIGINT");
  assertEquals((await running.result).code, 130);
});

Deno.test("skein run takes the same signal twice at the same moment for one", async () => {
  await using swarm = new Swarm();
  const polite = `trap 'sleep 0.5; echo bye; exit 0' TERM; ${WAITS}`;
  const running = await startRun(swarm, { a: polite }, "--grace", "60000");
  running.kill("SIGINT");
  running.kill("SIGINT");
  assertEquals((await running.result).code, 130);
  assertEquals(swarm.read("data", "a.1.stdout"), "bye\n");
});

Deno.test("skein run exits with 4 when it is stopped while it is being cancelled", async () => {
  await using swarm = new Swarm();
  const running = await startRun(swarm, { a: DEAF }, "--grace", "3600000");
  running.kill("SIGINT");
  await cancelNoticed(swarm);
  assert((await swarm.json("stop")).proven);
  assertEquals((await running.result).code, 4);
  const report = swarm.report();
  assertEquals([report.status, taskIn(report, "a").reason], ["stopped", "TASK_STOPPED"]);
});

Deno.test("skein run exits with the signal's code when a task had failed before", async () => {
  await using swarm = new Swarm();
  const running = await startRun(swarm, { b: "exit 1", a: WAITS }, "--workers", "1");
  running.kill("SIGTERM");
  assertEquals((await running.result).code, 143);
  assertEquals(swarm.report().counts.failed, 1);
});

Deno.test("skein run exits with 130 when INT comes before the manifest has been read", async () => {
  await using swarm = new Swarm();
  const pipe = swarm.path("pipe");
  assert(new Deno.Command("mkfifo", { args: [pipe] }).outputSync().success);
  const running = swarm.start(["run", pipe]);
  // Opening the other end waits until the command reads; nothing is ever written.
  using _writer = await Deno.open(pipe, { write: true });
  running.kill("SIGINT");
  assertEquals((await running.result).code, 130);
  assert(!exists(swarm.state));
});
