/**
 * A process that takes runs of a queue. It waits for a line on its standard input, so that several begin at once.
 *
 * `claimer.ts PATH OWNER drain` takes each run from claim to end until there is none, and prints their ids;
 * `claimer.ts PATH OWNER loop MS` claims and hands back for a time, and prints how often and its longest wait.
 *
 * @module
 */
import { seededRng, systemClock } from "../../src/clock/mod.ts";
import { type LeaseRef, openStore, type Store } from "../../src/store/mod.ts";
import { TTL_MS } from "../conformance/world.ts";

const WARM_UP_MS = 1_000;
const [path = "", owner = "", mode = "", ms = "0"] = Deno.args;

async function claim(store: Store): Promise<LeaseRef | null> {
  const claim = await store.claim({ owner, epoch: 1, leaseTtlMs: TTL_MS });
  return claim.kind === "claimed" ? claim.ref : null;
}

async function drain(store: Store): Promise<string[]> {
  const ids: string[] = [];
  for (let ref = await claim(store); ref !== null; ref = await claim(store)) {
    const started = await store.startTask(ref, "a");
    if (started.kind !== "started") throw new Error(`The start came to ${JSON.stringify(started)}`);
    const attempt = { taskId: "a", pass: 1, attempt: started.attempt };
    const verdict = { kind: "succeeded", output: null } as const;
    const settled = await store.settleTask(ref, attempt, verdict);
    const finished = await store.finishRun(ref);
    if (settled.kind === "settled" && finished.kind === "finished") ids.push(ref.runId);
  }
  return ids;
}

async function loop(
  store: Store,
  durationMs: number,
): Promise<{ count: number; longestMs: number }> {
  const until = performance.now() + durationMs;
  let longestMs = 0;
  let count = 0;
  for (let before = performance.now(); before < until; count++) {
    const ref = await claim(store);
    const claimed = performance.now();
    if (ref !== null) await store.handBack(ref, "RUN_HANDED_BACK_DRAIN");
    const after = performance.now();
    longestMs = Math.max(longestMs, claimed - before, after - claimed);
    before = after;
  }
  return { count, longestMs };
}

const latch = { isClear: () => true, epoch: () => 1 };
const rng = seededRng(Deno.pid);
const store = await openStore({ path, clock: systemClock, rng, latch });
await Deno.stdin.read(new Uint8Array(1));
// The first loop is for the compiler.
if (mode === "loop") await loop(store, WARM_UP_MS);
const result = await (mode === "drain" ? drain(store) : loop(store, Number(ms)));
await Deno.stdout.write(new TextEncoder().encode(JSON.stringify(result)));
await store.close();
