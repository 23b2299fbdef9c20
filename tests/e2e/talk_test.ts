import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { eventually } from "../support/cli.ts";
import { needing, succeeds } from "../support/capability.ts";
import { exists, Swarm, taskIn, textOf } from "../support/swarm.ts";

const NEEDS = { "/dev/full": exists("/dev/full") };
const NOHUP = { nohup: Deno.build.os === "linux" && succeeds("nohup", "true") };

/** Elsewhere than on a terminal a line of progress is written every five seconds. */
const PAST_A_LINE_S = 5.5;

function through(script: string): { through: string[] } {
  return { through: ["bash", "-c", script, "bash"] };
}

/** Standard error is a pipe that is full to its last byte, and that nobody reads. */
const STALLED = through(
  'mkfifo err; exec 3<> err; head -c 65536 /dev/zero >&3; exec "$@" 2>&3 3>&-',
);

Deno.test({
  ...needing("skein run goes on when standard error is a full disk", NEEDS),
  async fn() {
    await using swarm = new Swarm();
    swarm.manifest({ a: { sh: `sleep ${PAST_A_LINE_S}` }, b: { needs: ["a"] } });
    const { code } = await swarm.skein(["run", "swarm.json"], through('exec "$@" 2> /dev/full'));
    assertEquals([code, swarm.report().status], [0, "succeeded"]);
  },
});

Deno.test({
  ...needing("skein run exits with 1 when standard output is a full disk, stopped with 4", NEEDS),
  async fn() {
    await using swarm = new Swarm();
    const full = through('exec "$@" > /dev/full');
    swarm.manifest({ a: {} });
    const run = await swarm.skein(["run", "swarm.json"], full);
    assertEquals([run.code, swarm.report().status], [1, "succeeded"]);
    assertStringIncludes(run.stderr, "Cannot write to standard output: No space left");
    const started = swarm.path("started");
    swarm.manifest({ a: { sh: `echo > '${started}'; sleep 60` } });
    for (const expected of [143, 4]) {
      const running = swarm.start(["run", "swarm.json"], full);
      await eventually("the task has started", () => exists(started));
      if (expected === 4) assert((await swarm.json("stop")).proven);
      else running.kill("SIGTERM");
      const { code, stderr } = await running.result;
      assertEquals(code, expected, stderr);
      assertStringIncludes(stderr, "Cannot write to standard output");
      Deno.removeSync(started);
    }
  },
});

Deno.test({
  ...needing("skein run keeps timeouts and hears signals while standard error has stalled", {
    mkfifo: Deno.build.os === "linux",
  }),
  async fn() {
    await using swarm = new Swarm();
    const started = swarm.path("started");
    const timeoutMs = PAST_A_LINE_S * 1000;
    swarm.manifest({
      slow: { sh: `echo > '${started}'; sleep 60` },
      bounded: { sh: "sleep 60", block: { timeoutMs } },
    });
    const running = swarm.start(["run", "swarm.json", "--sync"], STALLED);
    await eventually("the task has started", () => exists(started));
    const finished = () => textOf(swarm.inRun("events.jsonl")).includes("task-finished");
    await eventually("the timeout is kept", finished);
    running.kill("SIGTERM");
    const { code, stdout } = await running.result;
    assertEquals([code, JSON.parse(stdout).status], [143, swarm.report().status]);
    assertEquals(taskIn(swarm.report(), "bounded").reason, "TASK_FAILED_TIMEOUT");
  },
});

Deno.test({
  ...needing("skein run leaves HUP ignored where nohup has started it", NOHUP),
  async fn() {
    await using swarm = new Swarm();
    const [started, go] = [swarm.path("started"), swarm.path("go")];
    swarm.manifest({
      a: { sh: `echo > '${started}'; until test -e '${go}'; do sleep 0.02; done` },
    });
    const running = swarm.start(["run", "swarm.json"], { through: ["nohup"] });
    await eventually("the task has started", () => exists(started));
    running.kill("SIGHUP");
    swarm.write("go", "");
    const { code, stderr } = await running.result;
    assertEquals([code, swarm.report().status], [0, "succeeded"], stderr);
  },
});

Deno.test("skein prove says that a manifest had ended before the stop, and of --after", async () => {
  await using swarm = new Swarm();
  swarm.manifest({ a: {} });
  const args = ["prove", "--manifest", "swarm.json", "--rounds", "1", "--after", "20000"];
  const { code, stdout, stderr } = await swarm.skein(args);
  assertEquals([code, JSON.parse(stdout).trees], [1, 0]);
  assertStringIncludes(stderr, "nothing was running any more");
  assertStringIncludes(stderr, "--after");
});
