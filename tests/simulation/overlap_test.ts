import { assert, assertEquals } from "@std/assert";
import { Dice } from "./dice.ts";
import { Machine } from "./machine.ts";
import { type Excuses, judgeBegin } from "./overlap.ts";
import { TTL_MS } from "./plan.ts";
import type { Process } from "./processes.ts";
import { Timeline } from "./timeline.ts";

const HOLDS = true;
const LOST = false;

class Scene implements Excuses {
  readonly timeline = new Timeline(new Dice(1));
  readonly older = new Machine("older", "one", this.timeline, 0);
  readonly newer = new Machine("newer", "two", this.timeline, 0);
  storeClockSetOnAt = -Infinity;

  /** What is wrong with a second attempt that begins while the first goes on. */
  judge(holds: boolean, token = 3): string | null {
    const first = processOf(this.older, 1);
    return judgeBegin(this, processOf(this.newer, token), [first], holds);
  }
}

function processOf(machine: Machine, token: number): Process {
  const number = { pass: 1, attempt: token };
  return { machine, runId: "r", taskId: "a", ...number, token, outcome: null, isLive: true };
}

Deno.test("judgeBegin() refuses a second attempt beside one whose engine must have given up", () => {
  const scene = new Scene();
  assert(
    scene.judge(HOLDS)?.startsWith("Two attempts of a task run in the documented window only"),
  );
});

Deno.test("judgeBegin() lets it begin where that engine is held up, or has just woken", async () => {
  const scene = new Scene();
  scene.older.suspend(1_000);
  assertEquals(scene.judge(HOLDS), null);
  await scene.timeline.runUntil(1_050);
  assertEquals(scene.judge(HOLDS), null);
  await scene.timeline.runUntil(2_000);
  assert(scene.judge(HOLDS) !== null);
});

Deno.test("judgeBegin() lets it begin for one ttl after the database's clock was set on", async () => {
  const scene = new Scene();
  scene.storeClockSetOnAt = 0;
  assertEquals([scene.judge(HOLDS), scene.judge(LOST)], [null, null]);
  await scene.timeline.runUntil(TTL_MS + 1_000);
  assert(scene.judge(HOLDS) !== null);
});

Deno.test("judgeBegin() lets it begin beside what a dead engine left on another host", () => {
  const scene = new Scene();
  scene.older.end();
  assertEquals(scene.judge(HOLDS), null);
});

Deno.test("judgeBegin() refuses an attempt without a claim, and two under one claim", () => {
  const scene = new Scene();
  assert(scene.judge(LOST)?.startsWith("An attempt begins under a claim only"));
  scene.older.suspend(1_000);
  assert(scene.judge(HOLDS, 1)?.startsWith("A claim runs a task once at a time"));
});
