import { assert, assertEquals } from "@std/assert";
import { systemClock } from "../../src/clock/mod.ts";
import { Attempt, type AttemptGround } from "../../src/engine/attempt.ts";
import type { Ending } from "../../src/engine/executor.ts";
import { LiveAttempts } from "../../src/engine/live_attempts.ts";
import { MemoryStage } from "../../src/engine/stage.ts";
import { manifestOfGraph } from "./graphs.ts";

const MANIFEST = manifestOfGraph([{ id: "a", needs: [] }]);

function attempt(): Attempt {
  const ground: AttemptGround = {
    stage: new MemoryStage(1, MANIFEST),
    context: {
      runId: "r",
      epoch: 1,
      swarm: "",
      stateDir: "",
      ownsProcess: false,
      manifest: MANIFEST,
    },
    kill: new AbortController().signal,
  };
  const lease = {
    runId: "r",
    taskId: "a",
    pass: 1,
    attempt: 1,
    epoch: 1,
    sequence: 1,
    issuedAt: "",
  };
  const [task] = MANIFEST.tasks;
  const block = Object.values(MANIFEST.blocks)[0];
  assert(task !== undefined && block !== undefined);
  return new Attempt(ground, lease, task, block, null);
}

function aborted({ signal }: Attempt): Promise<Ending> {
  return new Promise((resolve) => {
    signal.addEventListener("abort", () => resolve(signal.reason as Ending));
  });
}

Deno.test("LiveAttempts ends each attempt at its own deadline and not before, whatever order they began in", async () => {
  const live = new LiveAttempts(systemClock, 0);
  const now = systemClock.mono();
  const delays = [60, 20, 90, 40, 5];
  await Promise.all(delays.map(async (delay) => {
    const one = attempt();
    const ending = aborted(one);
    live.begin(live.takeSlot(), one, now + delay);
    assertEquals(await ending, { cause: "timeout", graceMs: 0 });
    assert(one.timedOut);
    assert(systemClock.mono() >= now + delay - 1);
  }));
  live.close();
});

Deno.test("LiveAttempts abandons what goes on after the grace, and nothing that has finished", async () => {
  const live = new LiveAttempts(systemClock, 10);
  const soon = systemClock.mono() + 5;
  const slow = attempt();
  const outcome = slow.orAbandoned(new Promise(() => {}));
  live.begin(live.takeSlot(), slow, soon);
  const quick = attempt();
  const slot = live.takeSlot();
  live.begin(slot, quick, soon);
  live.finish(slot);
  assertEquals(await outcome, { kind: "aborted" });
  assert(!quick.isEnding);
  live.close();
});

Deno.test("LiveAttempts abandons at once what ends everything without a grace when its own time is over", async () => {
  const live = new LiveAttempts(systemClock, 60_000);
  const one = attempt();
  const outcome = one.orAbandoned(new Promise(() => {}));
  one.signal.addEventListener("abort", () => live.endAll({ cause: "stop", graceMs: 0 }));
  live.begin(live.takeSlot(), one, systemClock.mono() + 5);
  const begun = systemClock.mono();
  assertEquals(await outcome, { kind: "aborted" });
  // Not after the grace of its own timeout, which is a minute.
  assert(systemClock.mono() - begun < 10_000);
  live.close();
});

Deno.test("LiveAttempts calls the run's deadline once", async () => {
  const live = new LiveAttempts(systemClock, 0);
  let calls = 0;
  await new Promise<void>((resolve) => {
    live.limitRun(5, () => {
      calls++;
      live.endAll({ cause: "run-timeout", graceMs: 0 });
      resolve();
    });
  });
  await new Promise((resolve) => setTimeout(resolve));
  assertEquals(calls, 1);
  live.close();
});
