import { assert, assertEquals } from "@std/assert";
import { artifactPaths, machineProcesses } from "../../../src/engine/durable/mod.ts";
import { functionExecutor, processExecutor } from "../../../src/engine/mod.ts";
import { systemClock } from "../../../src/clock/mod.ts";
import { eventually } from "../../support/cli.ts";
import { sha256 } from "../../support/digest.ts";
import { HAS_PROC, isAlive, readLedger, SIGN_LEDGER } from "../../support/processes.ts";
import { World } from "./world.ts";

const REAL = { executor: processExecutor, processes: machineProcesses, clock: systemClock };
/** The scripts are for a POSIX shell. */
const ignore = Deno.build.os === "windows";

function sh(script: string): { argv: string[] } {
  return { argv: ["sh", "-c", script] };
}

Deno.test("Every path of an attempt carries pass, attempt and token, and no two tasks share one", () => {
  assertEquals(artifactPaths("r", { taskId: "A/b", pass: 2, attempt: 3, token: 4 }), {
    lease: "runs/r/leases/=a%2fb.2.3.4.lease",
    stdin: "runs/r/data/=a%2fb.2.3.4.stdin",
    stdout: "runs/r/data/=a%2fb.2.3.4.stdout",
    stderr: "runs/r/data/=a%2fb.2.3.4.stderr",
  });
});

Deno.test({
  name:
    "A queued run's processes are given its token and one idempotency key a pass, whatever the attempt",
  ignore,
  async fn() {
    await using world = await World.make();
    const print = 'echo "$SKEIN_TOKEN $SKEIN_IDEMPOTENCY_KEY $SKEIN_ATTEMPT $SKEIN_SEQUENCE"';
    await world.submit("r", {
      "a b": { ...sh(`${print}; exit $((2 - SKEIN_ATTEMPT))`), maxAttempts: 2, backoffMs: 0 },
    });
    const engine = world.engine({ ...REAL, logRoot: world.folder });
    const executed = await engine.executeRun("r");
    assert(
      executed.kind === "finished" && executed.state === "succeeded",
      JSON.stringify(executed),
    );
    const read = (attempt: number) => {
      const { stdout } = artifactPaths("r", { taskId: "a b", pass: 1, attempt, token: 1 });
      return Deno.readTextFileSync(`${world.folder}/${stdout}`);
    };
    assertEquals([read(1), read(2)], ["1 r.a%20b.1 1 1\n", "1 r.a%20b.1 2 2\n"]);
  },
});

Deno.test("A settled output names its file, its size and its digest, and the next pass and the next claim read it", async () => {
  await using world = await World.make();
  Deno.writeTextFileSync(`${world.folder}/in.txt`, "from a file");
  await world.submit("r", {
    a: { passes: 2, stdinFile: `${world.folder}/in.txt` },
    b: { needs: ["a"], stdinFrom: "a" },
    c: { needs: ["b"], stdinFrom: "b" },
    d: {},
  });
  const read: string[] = [];
  const executor = functionExecutor(async ({ lease, input, output }) => {
    read.push(`${lease.taskId}.${lease.pass} ${await input.text()}`);
    if (lease.taskId !== "d") output.write(`${lease.taskId}${lease.pass}`);
  });
  const settings = { executor, logRoot: world.folder };
  const first = await world.begin(world.engine(settings), "r");
  await eventually("b is settled", () => read.some((line) => line.startsWith("b")));
  first.kill();
  if ((await first.done).kind !== "finished") {
    await world.clock.advance(1);
    assertEquals((await world.engine(settings).executeRun("r")).kind, "finished");
  }
  assertEquals([...new Set(read)].sort(), [
    "a.1 from a file",
    "a.2 a1",
    "b.1 a2",
    "c.1 b1",
    "d.1 ",
  ]);
  const [a, , , d] = await world.store.tasks("r");
  assertEquals(a?.output?.bytes, 2);
  assertEquals(a?.output?.digest, await sha256(new TextEncoder().encode("a2")));
  assertEquals(Deno.readTextFileSync(`${world.folder}/${a?.output?.path}`), "a2");
  assertEquals(d?.output?.bytes, 0);
  assertEquals(await world.engine(settings).fsck(), []);
});

Deno.test("fsck() names every settled output that is not on the disk as it was", async () => {
  await using world = await World.make();
  await world.submit("r", { a: {}, b: {}, c: {}, d: {} });
  const executor = functionExecutor(({ task }) => task.id);
  const engine = world.engine({ executor, logRoot: world.folder });
  assertEquals((await engine.executeRun("r")).kind, "finished");
  const path = async (index: number) =>
    `${world.folder}/${(await world.store.tasks("r"))[index]?.output?.path}`;
  Deno.removeSync(await path(0));
  Deno.writeTextFileSync(await path(1), "longer");
  Deno.writeTextFileSync(await path(2), "x");
  const violations = await engine.fsck();
  assertEquals(violations.map(({ check, id }) => `${check} ${id}`), [
    "outputs-on-disk r/a/1/1",
    "outputs-on-disk r/b/1/1",
    "outputs-on-disk r/c/1/1",
  ]);
});

Deno.test("A missing `stdinFile` and an output that something else has changed fail their attempts", async () => {
  await using world = await World.make();
  await world.submit("r", { a: { stdinFile: `${world.folder}/missing` }, b: {} });
  const engine = world.engine({
    logRoot: world.folder,
    executor: {
      async execute({ task, input, output }) {
        if (task.id === "a") await input.bytes();
        output.write("written");
        return { kind: "succeeded", written: 3 };
      },
    },
  });
  assertEquals((await engine.executeRun("r")).kind, "finished");
  const reasons = (await world.store.tasks("r")).map(({ reason, message }) =>
    `${reason} ${message}`
  );
  assert(reasons.every((reason) => reason.startsWith("TASK_FAILED_ENVIRONMENT")), reasons.join());
});

Deno.test({
  name:
    "What an older claim has left is dead before the next one's first process starts, and its own is untouched (G4)",
  ignore: !HAS_PROC,
  async fn() {
    await using world = await World.make();
    const ledger = `${world.folder}/ledger`;
    Deno.writeTextFileSync(ledger, "");
    // Each attempt notes who of the others lives when it starts, and stays.
    const stay = `${SIGN_LEDGER}; setsid sh -c '${
      SIGN_LEDGER.replaceAll("'", "")
    }; exec sleep 300' & exec sleep 300`;
    await world.submit("r", {
      a: { argv: ["sh", "-c", stay], env: [`LEDGER=${ledger}`], maxAttempts: 2, backoffMs: 0 },
    });
    const clock = world.clock;
    const settings = {
      executor: processExecutor,
      processes: machineProcesses,
      logRoot: world.folder,
    };
    const old = world.engine({ ...settings, clock: systemClock, leaseTtlMs: 600_000 });
    const first = await world.begin(old, "r");
    await eventually("its tree has started", () => readLedger(ledger).length === 2);
    const before = readLedger(ledger);
    assert(before.every(isAlive));
    // It goes on, and does not know that it has lost the run.
    clock.suspend(700_000);
    const next = world.engine({
      ...settings,
      clockSkewAllowanceMs: 0,
      requeueBackoff: { baseMs: 0, maxMs: 0 },
    });
    assertEquals((await next.reapExpiredRuns()).length, 1);
    assertEquals(before.map(isAlive), [false, false]);
    const second = await world.begin(next, "r");
    await eventually("the next tree has started", () => readLedger(ledger).length === 4);
    assertEquals(await first.done, { kind: "lost", runId: "r" });
    const after = readLedger(ledger).slice(2);
    assertEquals(after.map(isAlive), [true, true]);
    assertEquals(await world.refusals("r"), ["a#1 WRITE_REFUSED_STALE"]);
    second.kill();
    assertEquals((await second.done).kind, "handed-back");
    assertEquals(after.map(isAlive), [false, false]);
    assertEquals(await world.attempts("r"), ["a.1.1 lost", "a.1.2 handed-back"]);
  },
});
