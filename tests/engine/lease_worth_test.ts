import { assertEquals } from "@std/assert";
import { type LossKind, lossOfLease } from "../../src/engine/lease_worth.ts";
import { RunFolder } from "../../src/engine/run_folder.ts";
import { requestStop } from "../../src/engine/stop.ts";
import { Fence } from "../../src/fence/mod.ts";
import type { CarriedLease, Manifest } from "../../src/model/mod.ts";
import { temporaryFolder } from "../support/cli.ts";

const RUN = "20261129t174525123z-5k8h2m0q";
const LEASE: CarriedLease = {
  runId: RUN,
  taskId: "A task",
  pass: 2,
  attempt: 3,
  epoch: 1,
  sequence: 9,
};
const PROCESS = { pid: Deno.pid, startTime: "1", bootId: "b", pidNamespace: "n" };

/** A local run that goes on, with the lease written down. */
async function run(stateDir: string): Promise<{ folder: RunFolder; fence: Fence }> {
  const fence = await Fence.enter(stateDir, { process: PROCESS, runId: RUN });
  const folder = RunFolder.create(stateDir, RUN, {} as Manifest);
  folder.writeLease({ ...LEASE, issuedAt: "" });
  return { folder, fence };
}

function noQueue(): Promise<null> {
  return Promise.reject(new Error("A local lease needs no queue"));
}

async function why(stateDir: string, lease = LEASE): Promise<LossKind | null> {
  return (await lossOfLease(stateDir, lease, noQueue))?.why ?? null;
}

Deno.test("lossOfLease() finds the lease of a local run where the run has written it, and the run ended by its report (G3)", async () => {
  using folder = temporaryFolder();
  const going = await run(folder.path);
  assertEquals(await why(folder.path), null);
  const report = `${going.folder.path}/report.json`;
  Deno.writeTextFileSync(report, "{}");
  assertEquals(await why(folder.path), "run-over", "its orchestrator still is here");
  Deno.removeSync(report);
  assertEquals(await why(folder.path), null);
  going.fence.close();
  assertEquals(await why(folder.path), "run-over", "without a report");
});

Deno.test("lossOfLease() calls no stop what nobody can look at, and still gives the lease up (G3)", async () => {
  using folder = temporaryFolder();
  const file = `${folder.path}/no-folder`;
  Deno.writeTextFileSync(file, "");
  assertEquals(await why(file), "unreadable");
  // Something at STOP is one, whatever it is.
  Deno.mkdirSync(`${folder.path}/STOP`);
  assertEquals(await why(folder.path), "stopped");
});

Deno.test("lossOfLease() gives up the lease of an attempt or a pass that a later one follows, and of a task that has published (G3)", async () => {
  using folder = temporaryFolder();
  const { folder: runFolder, fence } = await run(folder.path);
  const later = [{ attempt: 4, sequence: 10 }, { pass: 3, attempt: 1, sequence: 10 }];
  for (const next of later) {
    const lease = { ...LEASE, ...next };
    assertEquals(await why(folder.path, lease), "unknown");
    runFolder.writeLease({ ...lease, issuedAt: "" });
    assertEquals([await why(folder.path), await why(folder.path, lease)], ["old-attempt", null]);
    const { pass, attempt } = lease;
    const name = `=a%20task.${pass}${attempt > 1 ? `.${attempt}` : ""}.lease`;
    Deno.removeSync(`${runFolder.path}/leases/${name}`);
  }
  assertEquals(await why(folder.path), null);
  Deno.writeTextFileSync(runFolder.outputPath(LEASE.taskId), "");
  assertEquals(await why(folder.path), "old-attempt");
  fence.close();
});

Deno.test("lossOfLease() gives nothing for a lease whose file is damaged (G3)", async () => {
  using folder = temporaryFolder();
  const { folder: runFolder, fence } = await run(folder.path);
  const path = `${runFolder.path}/leases/=a%20task.2.3.lease`;
  for (const [text, expected] of [["", "unreadable"], ["{", "unreadable"], ["null", "unknown"]]) {
    Deno.writeTextFileSync(path, text ?? "");
    assertEquals(await why(folder.path), expected as LossKind);
  }
  assertEquals(await why(folder.path, { ...LEASE, taskId: "a".repeat(300) }), "unreadable");
  fence.close();
});

Deno.test("lossOfLease() answers with a stop that comes while the store is asked, whatever the store says (G1, G3)", async () => {
  using folder = temporaryFolder();
  const { fence } = await run(folder.path);
  const queued = { ...LEASE, token: 1 };
  const stopped = await lossOfLease(folder.path, queued, async () => {
    await requestStop(folder.path, {});
    return null;
  });
  assertEquals(stopped?.why, "stopped");
  fence.close();
});
