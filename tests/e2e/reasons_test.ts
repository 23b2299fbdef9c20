import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { exists, namesIn, Swarm, taskIn } from "../support/swarm.ts";

/** More than any system takes as one argument. */
const TOO_LONG = "x".repeat(4_000_000);

Deno.test("skein run tells every way to fail apart in its report (G12)", async () => {
  await using swarm = new Swarm();
  const plain = swarm.write("plain", "no program\n");
  swarm.manifest({
    exit: { sh: "exit 7" },
    signal: { sh: "kill -SEGV $$" },
    realtime: { sh: "kill -40 $$" },
    missing: { argv: ["no-such-program-anywhere"] },
    plain: { argv: [plain] },
    timeout: { sh: "sleep 60", timeoutMs: 100 },
    folder: { sh: "true", block: { cwd: "no-such-folder" } },
    output: { sh: "head -c 5000 /dev/zero" },
    arguments: { sh: "true", args: [TOO_LONG] },
    dependent: { sh: "true", needs: ["fine", "exit"] },
    further: { sh: "true", needs: ["dependent"] },
    fine: { sh: "true" },
  }, { limits: { maxOutputBytes: 4096 } });
  const { code, report } = await swarm.run();
  assertEquals(code, 3);
  const reasons = report.tasks.map(({ id, reason }) => [id, reason]);
  assertEquals(Object.fromEntries(reasons), {
    exit: "TASK_FAILED_EXIT",
    signal: "TASK_FAILED_SIGNAL",
    realtime: "TASK_FAILED_SIGNAL",
    missing: "TASK_FAILED_PROGRAM_MISSING",
    plain: "TASK_FAILED_PROGRAM_NOT_EXECUTABLE",
    timeout: "TASK_FAILED_TIMEOUT",
    folder: "TASK_FAILED_FOLDER_MISSING",
    output: "TASK_FAILED_OUTPUT_LIMIT",
    arguments: "TASK_FAILED_ENVIRONMENT",
    dependent: "TASK_SKIPPED_NEED_FAILED",
    further: "TASK_SKIPPED_NEED_FAILED",
    fine: null,
  });
  const { succeeded, failed, skipped, total } = report.counts;
  assertEquals([succeeded, failed, skipped, total], [1, 9, 2, 12]);
  assertEquals(taskIn(report, "exit").exitCode, 7);
  assertEquals(taskIn(report, "signal").signal, "SIGSEGV");
  assertEquals([taskIn(report, "further").attempts, taskIn(report, "further").durationMs], [0, 0]);
  assertStringIncludes(taskIn(report, "missing").message ?? "", "no-such-program-anywhere");
  assertStringIncludes(taskIn(report, "folder").message ?? "", swarm.path("no-such-folder"));
  assertEquals(namesIn(swarm.inRun("output")), ["fine"]);
});

Deno.test("skein run repeats a failed pass as often as it may, in files of their own (G12)", async () => {
  await using swarm = new Swarm();
  const block = { retry: { maxAttempts: 3, backoffMs: 1 } };
  const third = 'echo "try $SKEIN_ATTEMPT"; test "$SKEIN_ATTEMPT" = 3';
  swarm.manifest({
    third: { sh: third, block: { ...block, passes: 2 } },
    never: { sh: 'echo "$SKEIN_ATTEMPT" >&2; kill -9 $$', block },
    slow: { sh: "sleep 60", timeoutMs: 50, block },
    missing: { argv: ["no-such-program-anywhere"], block },
    output: { sh: "head -c 5000 /dev/zero", block },
  }, { limits: { maxOutputBytes: 4096 } });
  const { report } = await swarm.run();
  const attempts = report.tasks.map(({ id, attempts }) => [id, attempts]);
  const expected = { third: 6, never: 3, slow: 3, missing: 1, output: 1 };
  assertEquals(Object.fromEntries(attempts), expected);
  assertEquals(taskIn(report, "third").passes, 2);
  assertEquals(swarm.read("output", "third"), "try 3\n");
  for (const pass of [1, 2]) {
    assertEquals(swarm.read("data", `third.${pass}.stdout`), "try 1\n");
    assertEquals(swarm.read("data", `third.${pass}.2.stdout`), "try 2\n");
  }
  const leases = namesIn(swarm.inRun("leases")).filter((name) => name.startsWith("never.")).sort();
  assertEquals(leases, ["never.1.2.lease", "never.1.3.lease", "never.1.lease"]);
  const last = JSON.parse(swarm.read("leases", "never.1.3.lease"));
  assertEquals([last.taskId, last.pass, last.attempt], ["never", 1, 3]);
  assertEquals(swarm.events().filter(({ kind }) => kind === "pass-retrying").length, 4 + 2 + 2);
});

Deno.test("skein run reads what a later attempt reads from the same source as the first", async () => {
  await using swarm = new Swarm();
  swarm.write("input.txt", "from a file\n");
  const again = { retry: { maxAttempts: 2, backoffMs: 1 } };
  const script = 'cat; test "$SKEIN_ATTEMPT" = 2';
  swarm.manifest({
    text: { sh: script, block: again, stdin: "a text\n" },
    file: { sh: script, block: again, stdinFile: "input.txt" },
    from: { sh: script, block: again, needs: ["text"], stdinFrom: "text" },
  });
  assertEquals((await swarm.run()).code, 0);
  assertEquals(swarm.read("output", "text"), "a text\n");
  assertEquals(swarm.read("output", "file"), "from a file\n");
  assertEquals(swarm.read("output", "from"), "a text\n");
});

Deno.test("skein run --fail-fast admits nothing more after a failure, and goes on without it", async () => {
  await using swarm = new Swarm();
  swarm.manifest({ bad: { sh: "exit 1" }, good: {}, after: { needs: ["good"] } }, { workers: 1 });
  const fast = (await swarm.run("--fail-fast")).report;
  assertEquals(taskIn(fast, "bad").status, "failed");
  for (const id of ["good", "after"]) {
    const { status, reason, attempts } = taskIn(fast, id);
    assertEquals([status, reason, attempts], ["cancelled", "TASK_CANCELLED_FAIL_FAST", 0]);
  }
  const { code, report } = await swarm.run();
  assertEquals([code, report.counts.succeeded], [3, 2]);
});

Deno.test("skein run ends at its own time limit with a reason (G12)", async () => {
  await using swarm = new Swarm();
  swarm.manifest({ a: { sh: "sleep 60" }, b: { needs: ["a"] } }, { limits: { runTimeoutMs: 300 } });
  const { code, report } = await swarm.run();
  assertEquals([code, report.status, report.reason], [3, "failed", "RUN_FAILED_TIMEOUT"]);
  assertEquals(report.tasks.map(({ reason }) => reason), [
    "TASK_CANCELLED_RUN_TIMEOUT",
    "TASK_CANCELLED_RUN_TIMEOUT",
  ]);
});

Deno.test("skein run --workers bounds the tasks at the same time (G12)", async () => {
  await using swarm = new Swarm();
  const log = swarm.path("log");
  // Each waits for three to have started, so that fewer at the same time would wait for ever.
  const wait = `until test "$(grep -c start '${log}')" -ge 3; do sleep 0.01; done`;
  const sh = `echo start >> '${log}'; ${wait}; echo end >> '${log}'`;
  const tasks = Array.from({ length: 9 }, (_, index) => [`t${index}`, { sh }]);
  swarm.manifest(Object.fromEntries(tasks), { workers: 9, limits: { runTimeoutMs: 30_000 } });
  assertEquals((await swarm.run("--workers", "3")).report.workers, 3);
  let running = 0;
  let most = 0;
  for (const line of Deno.readTextFileSync(log).trimEnd().split("\n")) {
    running += line === "start" ? 1 : -1;
    most = Math.max(most, running);
  }
  assertEquals([most, running], [3, 0]);
});

Deno.test("skein run --include-tasks prints every task, --json and --text choose the form", async () => {
  await using swarm = new Swarm();
  swarm.manifest({ alpha: {}, beta: { sh: "exit 1" } });
  const plain = JSON.parse((await swarm.run("--json")).stdout);
  assertEquals([plain.status, plain.tasks], ["failed", undefined]);
  const full = await swarm.run("--include-tasks");
  assertEquals(JSON.parse(full.stdout), JSON.parse(JSON.stringify(full.report)));
  const text = (await swarm.run("--text")).stdout;
  assert(!text.includes("alpha") && text.includes("beta"), text);
  assertStringIncludes(text, "TASK_FAILED_EXIT: Exit code 1");
  assertStringIncludes((await swarm.run("--text", "--include-tasks")).stdout, "alpha");
});

Deno.test("skein run numbers its events, --no-events writes none, --sync changes nothing else", async () => {
  await using swarm = new Swarm();
  swarm.manifest({ a: { sh: "echo x", block: { passes: 2 } } });
  const kinds = [
    "run-started",
    "pass-started",
    "pass-finished",
    "pass-started",
    "pass-finished",
    "output-published",
    "task-finished",
    "run-finished",
  ];
  for (const flags of [[], ["--sync"]]) {
    assertEquals((await swarm.run(...flags)).report.eventsError, null);
    const events = swarm.events();
    assertEquals(events.map(({ kind }) => kind), kinds);
    assertEquals(events.map(({ seq }) => seq), kinds.map((_, index) => index + 1));
  }
  assertEquals((await swarm.run("--no-events")).code, 0);
  assert(!exists(swarm.inRun("events.jsonl")));
});

Deno.test("skein run hands the output of each pass to the next, and the last one's on (G5)", async () => {
  await using swarm = new Swarm();
  swarm.write("input.txt", "file");
  const sh = 'cat; printf " %s" "$SKEIN_PASS"';
  swarm.manifest({
    text: { sh, block: { passes: 3 }, stdin: "text" },
    file: { sh, passes: 2, stdinFile: "input.txt" },
    from: { sh, passes: 2, needs: ["text"], stdinFrom: "text" },
    none: { sh: "wc -c" },
  });
  assertEquals((await swarm.run()).code, 0);
  assertEquals(swarm.read("output", "text"), "text 1 2 3");
  assertEquals(swarm.read("output", "file"), "file 1 2");
  assertEquals(swarm.read("output", "from"), "text 1 2 3 1 2");
  assertEquals(swarm.read("output", "none").trim(), "0");
  assertEquals(swarm.read("data", "text.1.stdout"), "text 1");
  assert(!exists(swarm.inRun("data", "text.3.stdout")), "published in one rename");
});

Deno.test("skein run reads an input as it was when the run began", async () => {
  await using swarm = new Swarm();
  swarm.write("input.txt", "before");
  swarm.manifest({
    first: { sh: "printf after > input.txt" },
    second: { sh: "cat", needs: ["first"], stdinFile: "input.txt" },
  });
  assertEquals((await swarm.run()).code, 0);
  assertEquals(swarm.read("output", "second"), "before");
});

Deno.test("skein run starts nothing and makes nothing when a stdinFile is missing (G6)", async () => {
  await using swarm = new Swarm();
  const ran = swarm.path("ran");
  swarm.manifest({ a: { sh: `echo > '${ran}'` }, b: { needs: ["a"], stdinFile: "no-such-input" } });
  const { code, stderr } = await swarm.skein(["run", "swarm.json"]);
  assertEquals(code, 1);
  assertStringIncludes(stderr, swarm.path("no-such-input"));
  assertStringIncludes(stderr, '"b"');
  assert(!exists(ran) && !exists(swarm.state));
});

Deno.test("skein run keeps its files from other users", async () => {
  await using swarm = new Swarm();
  swarm.manifest({ a: { sh: "echo x; echo y >&2" } });
  assertEquals((await swarm.run()).code, 0);
  const wrong: string[] = [];
  const look = (path: string) => {
    const { mode, isDirectory } = Deno.lstatSync(path);
    const expected = isDirectory ? 0o700 : 0o600;
    if (((mode ?? 0) & 0o777) !== expected) {
      wrong.push(`${path}: ${((mode ?? 0) & 0o777).toString(8)}`);
    }
    if (isDirectory) { for (const name of namesIn(path)) look(`${path}/${name}`); }
  };
  look(swarm.state);
  assertEquals(wrong, []);
});
