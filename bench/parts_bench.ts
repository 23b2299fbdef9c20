/**
 * What the paths consist of: the lease predicate, the check, a manifest's decoding, an event.
 *
 * @module
 */
import { systemClock } from "../src/clock/mod.ts";
import { EventFile } from "../src/engine/events.ts";
import { Fence } from "../src/fence/mod.ts";
import { validateManifest } from "../src/manifest/mod.ts";
import { type Lease, leaseValid } from "../src/model/mod.ts";
import { platform } from "../src/proc/mod.ts";

const NO_SYNC = false;
const folder = Deno.makeTempDirSync({ prefix: "skein-bench-" });
const fence = await Fence.enter(`${folder}/state`, { process: platform.self(), runId: "bench" });
const lease: Lease = {
  runId: "bench",
  taskId: "a",
  pass: 1,
  attempt: 1,
  epoch: 1,
  sequence: 1,
  issuedAt: "2026-01-01T00:00:00.000Z",
};
const events = new EventFile(
  `${folder}/events.jsonl`,
  { runId: "bench", epoch: 1 },
  systemClock,
  NO_SYNC,
);
const manifest = {
  version: 1,
  blocks: { work: { argv: ["work"] } },
  tasks: Array.from({ length: 1000 }, (_, index) => ({
    id: `t${index}`,
    block: "work",
    needs: index === 0 ? [] : [`t${index - 1}`],
  })),
};

globalThis.addEventListener("unload", () => {
  events.close();
  fence.close();
  Deno.removeSync(folder, { recursive: true });
});

Deno.bench("leaseValid()", () => void leaseValid(lease, 1));
Deno.bench("the check at admission, behind a fence", () => void fence.check(lease));
Deno.bench("an event", () => events.emit("pass-started", "a", 1, 1));
Deno.bench("decoding 1,000 tasks", () => void validateManifest(manifest));
