import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { eventually, skeinArgs } from "../support/cli.ts";
import { HAS_PROC, isAlive, readLedger, SIGN_LEDGER } from "../support/processes.ts";
import { needing } from "../support/capability.ts";
import { exists, type Running, Swarm } from "../support/swarm.ts";

/** The task of a test that calls the command line: what Deno needs to find its modules, and nothing of Skein's. */
const CALLING = { inheritEnv: ["DENO_*"] };

function calling(...args: string[]): { argv: string[]; block: Record<string, unknown> } {
  return { argv: [Deno.execPath(), ...skeinArgs(args)], block: { cwd: "/" } };
}

/** A run whose one task has signed the ledger and goes on for a minute. */
async function startWaiting(swarm: Swarm): Promise<Running> {
  const ledger = swarm.path("ledger");
  swarm.manifest({ a: { sh: `${SIGN_LEDGER}; sleep 60` } }, { env: [`LEDGER=${ledger}`] });
  const running = swarm.start(["run", "swarm.json"]);
  await eventually("the task has started", () => readLedger(ledger).length === 1);
  return running;
}

/** The marker that the swarm's own processes carry. */
function lineageOf(swarm: Swarm): string {
  const id = Deno.readTextFileSync(`${swarm.state}/ID`).trim();
  return `/${id}/1/some-run/0/1/`;
}

Deno.test("skein status and reset inside a task look at its own state directory; reset is refused", async () => {
  await using swarm = new Swarm();
  swarm.manifest({
    status: calling("status"),
    reset: calling("reset"),
    force: calling("reset", "--force"),
  }, { ...CALLING, workers: 1 });
  const { report } = await swarm.run();
  const status = JSON.parse(swarm.read("output", "status"));
  assertEquals([status.stateDir, status.runs], [swarm.state, [report.runId]]);
  assertEquals(report.tasks.map(({ exitCode }) => exitCode), [0, 1, 1]);
  for (const task of ["reset", "force"]) {
    assertStringIncludes(swarm.read("data", `${task}.1.stderr`), "from outside of the run");
  }
});

Deno.test("skein stop inside a task latches the swarm of that task (G1)", async () => {
  await using swarm = new Swarm();
  swarm.manifest({ a: calling("stop", "--reason", "from a task"), b: { needs: ["a"] } }, CALLING);
  const { code, report } = await swarm.run();
  assertEquals([code, report.counts.stopped], [4, 2]);
  const status = await swarm.json("status");
  assertEquals([status.stopped, status.epoch, status.reason], [true, 2, "from a task"]);
});

Deno.test("skein stop inside the swarm only latches, and says so (G1, G4)", async () => {
  await using swarm = new Swarm();
  const running = await startWaiting(swarm);
  const inside = { env: { SKEIN_LINEAGE: lineageOf(swarm) } };
  const { code, stdout, stderr } = await swarm.skein(["stop"], inside);
  const { stopped, proven, killed, problems } = JSON.parse(stdout);
  assertEquals([code, stopped, proven, killed], [1, true, false, 0]);
  assertStringIncludes(problems.join(), "only latched");
  assertStringIncludes(stderr, "only latched");
  assertEquals((await running.result).code, 4);
});

Deno.test("skein reset is refused while a run goes on, which it names (G2)", async () => {
  await using swarm = new Swarm();
  const running = await startWaiting(swarm);
  const [runId = ""] = swarm.runIds();
  const { code, stdout, stderr } = await swarm.skein(["reset"]);
  assertEquals([code, stdout], [1, ""]);
  assertStringIncludes(stderr, `process ${running.pid}`);
  assertStringIncludes(stderr, runId);
  running.kill("SIGTERM");
  await running.result;
});

Deno.test(
  "skein reset is refused while a hung run holds the latched swarm; --force proves it dead (G2, G4)",
  async () => {
    await using swarm = new Swarm();
    const running = await startWaiting(swarm);
    running.kill("SIGSTOP");
    assert((await swarm.json("stop", "--no-wait")).stopped);
    const refused = await swarm.skein(["reset"]);
    assertEquals(refused.code, 1);
    assertStringIncludes(refused.stderr, `process ${running.pid}`);
    assert(exists(`${swarm.state}/STOP`), "a refused reset keeps the latch");
    assertEquals(await swarm.json("reset", "--force"), { reset: true, stopped: false, epoch: 2 });
    assertEquals((await running.result).code, 137);
    swarm.manifest({ a: {} });
    assertEquals((await swarm.run()).report.epoch, 2);
  },
);

Deno.test({
  ...needing("skein reset is refused while a process of a dead run is alive (G4)", {
    "/proc": HAS_PROC,
  }),
  async fn() {
    await using swarm = new Swarm();
    const running = await startWaiting(swarm);
    running.kill("SIGKILL");
    await running.result;
    const signed = readLedger(swarm.path("ledger"));
    assert(signed.every(isAlive), "a task outlives an orchestrator that is killed");
    await swarm.json("stop", "--no-wait");
    const refused = await swarm.skein(["reset"]);
    assertEquals(refused.code, 1);
    assertStringIncludes(refused.stderr, `process ${signed[0]?.pid}`);
    assert((await swarm.json("reset", "--force")).reset);
    assert(!signed.some(isAlive));
  },
});

Deno.test("skein reset --force ends no run of a swarm that is not stopped, and names it (G4)", async () => {
  await using swarm = new Swarm();
  const running = await startWaiting(swarm);
  const { code, stderr } = await swarm.skein(["reset", "--force"]);
  assertEquals(code, 1);
  assertMatch(stderr, /is not stopped, and runs: process \d+ of run/);
  assertStringIncludes(stderr, "skein stop");
  if (HAS_PROC) assert(readLedger(swarm.path("ledger")).some(isAlive));
  running.kill("SIGINT");
  await running.result;
});
