/**
 * What the paths consist of, as a process that is asked for samples: the lease predicate, the check behind a fence, an
 * event, the decoding of a large manifest.
 *
 * @module
 */
import { systemClock } from "../../src/clock/mod.ts";
import { EventFile } from "../../src/engine/events.ts";
import { Fence } from "../../src/fence/mod.ts";
import { validateManifest } from "../../src/manifest/mod.ts";
import { type Lease, leaseValid } from "../../src/model/mod.ts";
import { platform } from "../../src/proc/mod.ts";
import { serve } from "./lines.ts";
import { largeManifest } from "./recipes.ts";

const [folder = "", tasks = ""] = Deno.args;
const REPEATS = 100_000;
const FEW_REPEATS = 10_000;
const NO_SYNC = false;

const fence = await Fence.enter(`${folder}/state`, { process: platform.self(), runId: "bench" });
const file = `${folder}/events.jsonl`;
const events = new EventFile(file, { runId: "bench", epoch: 1 }, systemClock, NO_SYNC);
const manifest = largeManifest(Number(tasks));
const lease: Lease = {
  runId: "bench",
  taskId: "a",
  pass: 1,
  attempt: 1,
  epoch: 1,
  sequence: 1,
  issuedAt: "2026-01-01T00:00:00.000Z",
};
const collect = (globalThis as { gc?: () => void }).gc;

/** Milliseconds of one of many. */
function time(repeats: number, part: () => unknown): number {
  collect?.();
  const started = performance.now();
  for (let repeat = 0; repeat < repeats; repeat++) part();
  return (performance.now() - started) / repeats;
}

const PARTS: Record<string, () => number> = {
  lease: () => time(REPEATS, () => leaseValid(lease, 1)),
  check: () => time(REPEATS, () => fence.check(lease)),
  event: () => time(FEW_REPEATS, () => events.emit("pass-started", "a", 1, 1)),
  manifest: () =>
    time(1, () => {
      if (!validateManifest(manifest).ok) {
        throw new Error("The manifest is not valid");
      }
    }),
};

await serve(({ part }) => Promise.resolve({ ms: PARTS[String(part)]?.() }));
events.close();
fence.close();
