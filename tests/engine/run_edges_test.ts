/**
 * What an embedding program may do to a run: hold its thread, throw, change the manifest, bring a broken clock, or write
 * when it is too late.
 */
import { assert, assertEquals, assertRejects, assertThrows } from "@std/assert";
import { type Clock, systemClock } from "../../src/clock/mod.ts";
import { type Execution, functionExecutor, run, type RunOptions } from "../../src/engine/mod.ts";
import type { Manifest, Task } from "../../src/model/mod.ts";
import { SkeinError } from "../../src/model/mod.ts";
import { manifestOfGraph, type Node } from "./graphs.ts";

type Call = Parameters<typeof functionExecutor>[0];

function inMemory(manifest: Manifest, call: Call, options: RunOptions = {}) {
  return run(manifest, { inMemory: true, executor: functionExecutor(call), ...options });
}

function independent(count: number): Node[] {
  return Array.from({ length: count }, (_, index) => ({ id: `t${index}`, needs: [] }));
}

/** Holds the thread. */
function hold(ms: number): void {
  const until = systemClock.mono() + ms;
  while (systemClock.mono() < until);
}

function forever(): Promise<void> {
  return new Promise(() => {});
}

Deno.test("run() lets an abort through between two tasks that hold the thread, however many workers wait", async () => {
  for (const workers of [1, 8, 200]) {
    let ran = 0;
    const call = () => {
      ran++;
      hold(5);
    };
    const stop = new AbortController();
    void systemClock.sleep(60).then(() => stop.abort());
    const options = { workers, graceMs: 0, signal: stop.signal };
    const report = await inMemory(manifestOfGraph(independent(400)), call, options);
    assertEquals(report.status, "cancelled");
    // 60 ms are 12 tasks, and a busy machine is later; one task of each of 200 workers would be 200.
    assert(ran < 100, `${ran} tasks with ${workers} workers`);
  }
});

Deno.test("run() counts a task's time from its own start, and not from when it waited for its turn (G12)", async () => {
  const manifest = manifestOfGraph(independent(100), {
    workers: 100,
    blocks: { work: { argv: ["work"], timeoutMs: 400 } },
  });
  const begun = new Map<string, number>();
  const report = await inMemory(manifest, async ({ task }) => {
    begun.set(task.id, systemClock.mono());
    hold(6);
    await systemClock.sleep(20);
  });
  assertEquals(report.tasks.filter(({ status }) => status !== "succeeded"), []);
  const starts = [...begun.values()];
  assert(Math.max(...starts) - Math.min(...starts) > 400, "The test is too short to tell");
  assert(report.tasks.every(({ durationMs }) => durationMs < 400));
});

Deno.test("run() ends at once with the error of a caller's onProgress, and starts nothing after it", async () => {
  const started: string[] = [];
  const call = ({ task }: Execution) => {
    started.push(task.id);
    return forever();
  };
  let calls = 0;
  const onProgress = () => {
    if (++calls === 2) throw new RangeError("mine");
  };
  const began = systemClock.mono();
  const options = { workers: 2, onProgress };
  await assertRejects(
    () => inMemory(manifestOfGraph(independent(3)), call, options),
    RangeError,
    "mine",
  );
  assertEquals(started, ["t0"]);
  assert(systemClock.mono() - began < 2000);
});

Deno.test("run() hears a kill that comes before a function has returned", async () => {
  const [stop, kill] = [new AbortController(), new AbortController()];
  const call = () => {
    stop.abort();
    kill.abort();
    return forever();
  };
  const options = { signal: stop.signal, kill: kill.signal, graceMs: 60_000 };
  const began = systemClock.mono();
  const report = await inMemory(manifestOfGraph(independent(2)), call, options);
  assertEquals(report.status, "cancelled");
  assert(systemClock.mono() - began < 5000);
});

Deno.test("run() runs the manifest that it was given, whatever becomes of it meanwhile and afterwards", async () => {
  const manifest = structuredClone(manifestOfGraph(independent(3))) as Manifest & { tasks: Task[] };
  const report = await inMemory(manifest, ({ task }) => {
    if (task.id === "t0") manifest.tasks.length = 1;
  });
  manifest.tasks.push({ ...manifest.tasks[0], id: "other" } as Task);
  Object.assign(manifest.tasks[0] as Task, { id: "renamed" });
  assertEquals(report.tasks.map(({ id, status }) => `${id} ${status}`), [
    "t0 succeeded",
    "t1 succeeded",
    "t2 succeeded",
  ]);
});

Deno.test("run() refuses a manifest that was not decoded where it hangs together badly (G6)", async () => {
  const nodes = [{ id: "a", needs: [] }, { id: "b", needs: ["a"] }];
  const bad: [string, string, string[]][] = [
    ['needs "typo", which is no task', "b", ["typo"]],
    ['another task has the name "a"', "a", []],
  ];
  for (const [problem, id, needs] of bad) {
    const manifest = structuredClone(manifestOfGraph(nodes));
    Object.assign(manifest.tasks[1] as Task, { id, needs });
    const ran: string[] = [];
    const error = await assertRejects(
      () => inMemory(manifest, ({ task }) => void ran.push(task.id)),
      SkeinError,
      problem,
    );
    assertEquals([error.code, ran], ["manifest-invalid", []]);
  }
});

Deno.test("run() ends after one pass where a manifest that was not decoded says no number of them", async () => {
  const odd: unknown[] = [undefined, null, NaN, "x", 0, -1];
  for (const passes of odd) {
    for (const result of [undefined, "text"]) {
      let calls = 0;
      const manifest = manifestOfGraph(independent(1));
      const [block] = Object.values(manifest.blocks);
      assert(block !== undefined);
      const blocks = { [manifest.tasks[0]?.block ?? ""]: { ...block, passes: passes as number } };
      const limits = { ...manifest.limits, runTimeoutMs: 2000 };
      const report = await inMemory({ ...manifest, blocks, limits }, () => {
        if (++calls > 3) throw new Error("It goes on");
        return result;
      });
      assertEquals([report.status, calls, report.tasks[0]?.passes], ["succeeded", 1, 1]);
    }
  }
});

Deno.test("run() refuses a grace that is no time", async () => {
  for (const graceMs of [NaN, -1, Infinity]) {
    const error = await assertRejects(
      () => inMemory(manifestOfGraph(independent(1)), forever, { graceMs }),
      SkeinError,
      "grace",
    );
    assertEquals(error.code, "usage");
  }
});

Deno.test("run() fails, and never hangs, where a time limit is no number", async () => {
  const manifest = structuredClone(manifestOfGraph(independent(2)));
  Object.assign(manifest.tasks[0] as Task, { timeoutMs: NaN });
  await assertRejects(() => inMemory(manifest, forever), RangeError, "no number");
});

Deno.test("run() ends with the error of a clock that breaks down, at whichever reading", async () => {
  const call = async () => {
    await null;
  };
  for (let least = 0; least < 60; least++) {
    let left = least;
    const clock: Clock = {
      ...systemClock,
      mono() {
        if (left-- <= 0) throw new RangeError("broken");
        return systemClock.mono();
      },
    };
    await assertRejects(
      () => inMemory(manifestOfGraph(independent(200)), call, { clock, workers: 3 }),
      RangeError,
      "broken",
    );
  }
});

Deno.test("run() in memory gives way to an abort by a clock whose wall clock stands still", async () => {
  const stop = new AbortController();
  const clock: Clock = { ...systemClock, wall: () => 1_000_000 };
  void systemClock.sleep(30).then(() => stop.abort());
  const options = { clock, signal: stop.signal, graceMs: 0 };
  const report = await inMemory(manifestOfGraph(independent(2000)), () => hold(0.1), options);
  assertEquals(report.status, "cancelled");
});

Deno.test("run() takes nothing of an attempt that has ended: its output is closed, its lease holds no more", async () => {
  const manifest = manifestOfGraph([{ id: "a", needs: [] }, { id: "b", needs: ["a"] }]);
  Object.assign(manifest, {
    tasks: manifest.tasks.map((task) => task.id === "b" ? { ...task, stdinFrom: "a" } : task),
  });
  let first: Execution | null = null;
  const read: string[] = [];
  const report = await inMemory(manifest, async (execution) => {
    if (execution.task.id === "a") {
      first = execution;
      execution.output.write("A");
      assert(execution.leaseHolds());
      return;
    }
    assertThrows(() => first?.output.write("LATE"), Error, "has ended");
    assert(first?.leaseHolds() === false);
    read.push(await execution.input.text());
  });
  assertEquals([report.status, ...read], ["succeeded", "A"]);
});

Deno.test("run() closes an attempt too whose executor ends the run with an error of Skein's own", async () => {
  let left: Execution | null = null;
  const call = (execution: Execution) => {
    left = execution;
    execution.output.write("a");
    throw new SkeinError("internal", "mine");
  };
  await assertRejects(() => inMemory(manifestOfGraph(independent(1)), call), SkeinError, "mine");
  const late = left as Execution | null;
  assertThrows(() => late?.output.write("LATE"), Error, "has ended");
  assert(late?.leaseHolds() === false);
});

Deno.test("functionExecutor() counts the bytes of a text, and not its letters", async () => {
  const texts = ["", "a", "é", "€", "😀", "\ud800", "a".repeat(300), "é".repeat(300)];
  const manifest = manifestOfGraph(independent(texts.length));
  const report = await inMemory(manifest, ({ task }) => texts[Number(task.id.slice(1))] ?? "");
  assertEquals(
    report.tasks.map(({ outputBytes }) => outputBytes),
    texts.map((text) => new TextEncoder().encode(text).length),
  );
});
