import { assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { LONG } from "../support/cli.ts";
import { report } from "../support/figures.ts";
import { Swarm, textOf } from "../support/swarm.ts";
import { assertHealthy, shown, submit, work } from "./queue_swarm.ts";

const HOLDER = fromFileUrl(new URL("hold_write_lock.ts", import.meta.url));
const WORKERS = LONG ? 8 : 3;
const RUNS = LONG ? 40 : 6;
/** How long the lock is held each time, in milliseconds. */
const HOLD_MS = LONG ? 8_000 : 1_500;

Deno.test(`${WORKERS} workers on one queue while somebody holds the write lock ${HOLD_MS} ms at a time: nothing fails, is lost or doubled (G7, G10)`, async () => {
  await using swarm = new Swarm();
  const done = swarm.path("done");
  swarm.manifest({
    a: { sh: `echo $SKEIN_RUN_ID a >> '${done}'` },
    b: { sh: `echo $SKEIN_RUN_ID b >> '${done}'`, needs: ["a"] },
  });
  const runIds: string[] = [];
  for (let run = 0; run < RUNS; run++) runIds.push(await submit(swarm));
  const holder = new Deno.Command(Deno.execPath(), {
    args: ["run", "-A", "-q", HOLDER, `${swarm.state}/queue.db`, String(HOLD_MS)],
    stdout: "piped",
    stdin: "null",
  }).spawn();
  const began = performance.now();
  try {
    const reader = holder.stdout.getReader();
    await reader.read();
    reader.releaseLock();
    const results = await Promise.all(Array.from({ length: WORKERS }, () => work(swarm)));
    assertEquals(results.map(({ code }) => code), Array(WORKERS).fill(0), results[0]?.stderr);
    const executed = results.map(({ stdout }) => JSON.parse(stdout).executed as number);
    assertEquals(executed.reduce((sum, each) => sum + each, 0), RUNS);
  } finally {
    holder.kill("SIGKILL");
    await Promise.all([holder.status, holder.stdout.cancel()]);
  }
  const lines = textOf(done).trimEnd().split("\n").sort();
  assertEquals(lines, runIds.flatMap((runId) => [`${runId} a`, `${runId} b`]).sort());
  for (const runId of runIds) assertEquals((await shown(swarm, runId)).status, "succeeded");
  await assertHealthy(swarm);
  report(`${RUNS} runs beside the lock: ${Math.round((performance.now() - began) / 1000)} s`);
});
