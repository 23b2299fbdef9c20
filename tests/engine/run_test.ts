import {
  assert,
  assertEquals,
  assertInstanceOf,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import fc from "fast-check";
import type { Clock, Rng } from "../../src/clock/mod.ts";
import { seededRng, systemClock } from "../../src/clock/mod.ts";
import {
  type Ending,
  type Execution,
  type Executor,
  functionExecutor,
  processExecutor,
  run,
  type RunOptions,
} from "../../src/engine/mod.ts";
import { type Lease, leaseValid, type Manifest, SkeinError } from "../../src/model/mod.ts";
import { isAbsent } from "../../src/disk/mod.ts";
import { LONG, temporaryFolder } from "../support/cli.ts";
import { graphs, manifestOf, manifestOfGraph, type Node } from "./graphs.ts";

type Call = Parameters<typeof functionExecutor>[0];

function inMemory(manifest: Manifest, call: Call, options: RunOptions = {}) {
  return run(manifest, { inMemory: true, executor: functionExecutor(call), ...options });
}

/** Tasks without needs, all of the block `work`. */
function independent(count: number): Node[] {
  return Array.from({ length: count }, (_, index) => ({ id: `t${index}`, needs: [] }));
}

/** Lasts until its signal aborts, and then ends by itself. */
function untilAborted({ signal }: Execution): Promise<void> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
}

/** A function that ignores its signal and never ends. */
function forever(): Promise<void> {
  return new Promise(() => {});
}

function nothing(): void {}

/** Whether a task that fails is somewhere before another one. */
function downstream(nodes: readonly Node[], failing: ReadonlySet<string>): Set<string> {
  const skipped = new Set<string>();
  for (let size = -1; size !== skipped.size;) {
    size = skipped.size;
    for (const { id, needs } of nodes) {
      if (needs.some((need) => failing.has(need) || skipped.has(need))) skipped.add(id);
    }
  }
  return skipped;
}

Deno.test("run() starts no task before its needs, at most `workers` at once, and ends each in one state (G12)", async () => {
  const passes = fc.integer({ min: 1, max: 3 });
  const some = fc.integer({ min: 1, max: 6 });
  const property = fc.asyncProperty(
    graphs(20),
    some,
    passes,
    fc.nat(),
    async (nodes, workers, many, seed) => {
      const chance = seededRng(seed);
      const failing = new Set(nodes.filter(() => chance.next() < 0.2).map(({ id }) => id));
      const done = new Set<string>();
      const leases: Lease[] = [];
      let running = 0;
      const blocks = { work: { argv: ["work"], passes: many } } as const;
      const manifest = manifestOfGraph(nodes, { blocks, workers });
      const report = await inMemory(manifest, async ({ lease, task }) => {
        leases.push(lease);
        running++;
        assert(running <= workers, `${running} run at once`);
        assertEquals(task.needs.filter((need) => !done.has(need)), []);
        for (let rest = Math.floor(chance.next() * 9); rest > 0; rest--) await Promise.resolve();
        running--;
        if (failing.has(task.id)) throw new Error("As asked");
        if (lease.pass === many) done.add(task.id);
      });
      assertEquals(leases.map(({ sequence }) => sequence), leases.map((_, index) => index + 1));
      assertEquals(leases.filter((lease) => !leaseValid(lease, report.epoch)), []);
      const skipped = downstream(nodes, failing);
      const expected = nodes.map(({ id }) => ({
        id,
        status: skipped.has(id) ? "skipped" : failing.has(id) ? "failed" : "succeeded",
      }));
      assertEquals(report.tasks.map(({ id, status }) => ({ id, status: `${status}` })), expected);
      const { total, ...counts } = report.counts;
      assertEquals(total, nodes.length);
      for (const [status, count] of Object.entries(counts)) {
        assertEquals(count, report.tasks.filter((task) => task.status === status).length, status);
      }
      assertEquals(
        report.status,
        expected.every((t) => t.status === "succeeded") ? "succeeded" : "failed",
      );
    },
  );
  await fc.assert(property, { numRuns: LONG ? 2000 : 200 });
});

Deno.test("run() retries after a failure and reports passes and attempts", async () => {
  const manifest = manifestOf({
    blocks: {
      work: { argv: ["work"], passes: 2, retry: { maxAttempts: 3, backoffMs: 0 } },
    },
    tasks: [{ id: "a", block: "work" }],
  });
  const seen: string[] = [];
  const executor: Executor = {
    execute({ lease: { pass, attempt } }) {
      seen.push(`${pass}.${attempt}`);
      return Promise.resolve(attempt < 3 ? { kind: "exited", code: 7 } : { kind: "succeeded" });
    },
  };
  const report = await run(manifest, { inMemory: true, executor });
  assertEquals(seen, ["1.1", "1.2", "1.3", "2.1", "2.2", "2.3"]);
  const [task] = report.tasks;
  assertEquals([task?.status, task?.passes, task?.attempts], ["succeeded", 2, 6]);
  assertEquals([task?.reason, task?.exitCode], [null, 0]);
});

Deno.test("run() fails a task whose attempts are used up, with the last exit code", async () => {
  const manifest = manifestOf({
    blocks: { work: { argv: ["work"], retry: { maxAttempts: 2, backoffMs: 0 } } },
    tasks: [{ id: "a", block: "work" }],
  });
  let calls = 0;
  const executor: Executor = {
    execute: () => Promise.resolve({ kind: "exited", code: 6 + ++calls }),
  };
  const { tasks: [task] } = await run(manifest, { inMemory: true, executor });
  assertEquals([task?.status, task?.reason], ["failed", "TASK_FAILED_EXIT"]);
  assertEquals([task?.passes, task?.attempts, task?.exitCode], [0, 2, 8]);
});

Deno.test("run() retries neither a missing program nor an output limit", async () => {
  for (const kind of ["program-missing", "program-refused", "output-limit", "failed"] as const) {
    const manifest = manifestOf({
      blocks: { work: { argv: ["work"], retry: { maxAttempts: 5, backoffMs: 0 } } },
      tasks: [{ id: "a", block: "work" }],
    });
    const executor: Executor = {
      execute: () => Promise.resolve(kind === "output-limit" ? { kind } : { kind, message: "m" }),
    };
    const { tasks: [task] } = await run(manifest, { inMemory: true, executor });
    assertEquals([task?.status, task?.attempts], ["failed", 1], kind);
  }
});

/** Takes no time at all and remembers how long it was asked to. */
class RestClock implements Clock {
  readonly waits: number[] = [];
  #now = 0;
  wall = systemClock.wall;
  mono = () => this.#now;
  sleep = (ms: number) => {
    this.waits.push(ms);
    this.#now += ms;
    return Promise.resolve();
  };
}

async function waitsOf(rng: Rng): Promise<number[]> {
  const manifest = manifestOf({
    blocks: {
      work: {
        argv: ["work"],
        retry: { maxAttempts: 7, backoffMs: 100, maxBackoffMs: 1000 },
      },
    },
    tasks: [{ id: "a", block: "work" }],
  });
  const clock = new RestClock();
  const executor: Executor = { execute: () => Promise.resolve({ kind: "exited", code: 1 }) };
  await run(manifest, { inMemory: true, executor, clock, rng });
  return clock.waits;
}

Deno.test("run() waits between attempts with full jitter under a bound that doubles up to its most", async () => {
  const bounds = [100, 200, 400, 800, 1000, 1000];
  assertEquals(await waitsOf({ next: () => 0.5 }), bounds.map((bound) => bound / 2));
  assertEquals(await waitsOf({ next: () => 0 }), bounds.map(() => 0));
  const chance = fc.asyncProperty(fc.nat(), async (seed) => {
    const waits = await waitsOf(seededRng(seed));
    assertEquals(waits.length, bounds.length);
    assert(waits.every((wait, index) => wait >= 0 && wait < (bounds[index] ?? 0)), `${waits}`);
    assertEquals(await waitsOf(seededRng(seed)), waits, "the same seed replays the same waits");
  });
  await fc.assert(chance, { numRuns: 50 });
});

Deno.test("run() ends an attempt at its timeout, also of a function that ignores its signal (G12)", async () => {
  const blocks = {
    work: { argv: ["work"], timeoutMs: 20, retry: { maxAttempts: 2, backoffMs: 0 } },
  } as const;
  for (const call of [forever, untilAborted]) {
    const reasons: unknown[] = [];
    const { status, tasks: [task] } = await inMemory(
      manifestOfGraph(independent(1), { blocks }),
      (execution) => {
        execution.signal.addEventListener("abort", () => reasons.push(execution.signal.reason));
        return call(execution);
      },
      { graceMs: 10 },
    );
    assertEquals(status, "failed");
    assertEquals([task?.reason, task?.attempts], ["TASK_FAILED_TIMEOUT", 2]);
    const ending: Ending = { cause: "timeout", graceMs: 10 };
    assertEquals(reasons, [ending, ending]);
  }
});

Deno.test("run() keeps the timeouts of the other tasks when one has timed out (G12)", async () => {
  const manifest = manifestOf({
    workers: 3,
    blocks: { work: { argv: ["work"] } },
    tasks: [
      { id: "a", block: "work", timeoutMs: 5 },
      { id: "b", block: "work", timeoutMs: 10 },
      { id: "c", block: "work", timeoutMs: 200 },
    ],
  });
  const guard = AbortSignal.timeout(20_000);
  const report = await inMemory(manifest, forever, { graceMs: 0, signal: guard });
  assertEquals(report.tasks.map(({ reason }) => reason), Array(3).fill("TASK_FAILED_TIMEOUT"));
});

Deno.test("run() takes a task's timeout before its block's", async () => {
  const manifest = manifestOf({
    blocks: { work: { argv: ["work"], timeoutMs: 60_000 } },
    tasks: [{ id: "a", block: "work", timeoutMs: 10 }],
  });
  const { tasks: [task] } = await inMemory(manifest, untilAborted);
  assertEquals(task?.reason, "TASK_FAILED_TIMEOUT");
});

Deno.test("run() cancels what runs and what waits when its signal aborts", async () => {
  const nodes = [...independent(3), { id: "last", needs: ["t0"] }];
  for (const call of [untilAborted, forever]) {
    const cancel = new AbortController();
    let calls = 0;
    const report = await inMemory(
      manifestOfGraph(nodes, { workers: 2 }),
      (execution) => {
        if (++calls === 2) cancel.abort();
        return call(execution);
      },
      { signal: cancel.signal, graceMs: 10 },
    );
    assertEquals([report.status, report.reason], ["cancelled", "RUN_CANCELLED"]);
    assertEquals(report.tasks.map(({ reason }) => reason), Array(4).fill("TASK_CANCELLED"));
    assertEquals(calls, 2);
  }
});

Deno.test("run() starts nothing when its signal has aborted already", async () => {
  const report = await inMemory(
    manifestOfGraph(independent(3)),
    () => {
      throw new Error("Nothing starts");
    },
    { signal: AbortSignal.abort() },
  );
  assertEquals([report.status, report.counts.cancelled], ["cancelled", 3]);
});

Deno.test("run() ends the grace when `kill` aborts, and has none when it had before", async () => {
  for (const before of [false, true]) {
    const cancel = new AbortController();
    const kill = new AbortController();
    const report = await inMemory(
      manifestOfGraph(independent(1)),
      () => {
        if (before) kill.abort();
        setTimeout(() => {
          cancel.abort();
          kill.abort();
        });
        return forever();
      },
      { signal: cancel.signal, kill: kill.signal, graceMs: 600_000 },
    );
    assertEquals(report.status, "cancelled");
  }
});

Deno.test("run() with `failFast` admits nothing after a failure and lets what runs end", async () => {
  const nodes = [...independent(5), { id: "after", needs: ["t0"] }];
  const report = await inMemory(
    manifestOfGraph(nodes, { workers: 2 }),
    async ({ task }) => {
      if (task.id === "t0") throw new Error("As asked");
      await new Promise((resolve) => setTimeout(resolve, 5));
    },
    { failFast: true },
  );
  assertEquals([report.status, report.reason], ["failed", "RUN_FAILED_TASKS"]);
  assertEquals(report.tasks.map(({ status }) => status), [
    "failed",
    "succeeded",
    "cancelled",
    "cancelled",
    "cancelled",
    "skipped",
  ]);
  assertEquals(report.tasks[2]?.reason, "TASK_CANCELLED_FAIL_FAST");
});

Deno.test("run() ends at the run's timeout (G12)", async () => {
  const manifest = manifestOfGraph(independent(3), { workers: 2, limits: { runTimeoutMs: 30 } });
  const report = await inMemory(manifest, forever, { graceMs: 5 });
  assertEquals([report.status, report.reason], ["failed", "RUN_FAILED_TIMEOUT"]);
  assertEquals(
    report.tasks.map(({ status, reason }) => `${status} ${reason}`),
    Array(3).fill("cancelled TASK_CANCELLED_RUN_TIMEOUT"),
  );
});

Deno.test("run() counts its time from its start, however long a function holds up the admission (G12)", async () => {
  const manifest = manifestOfGraph(independent(2), { workers: 2, limits: { runTimeoutMs: 600 } });
  const report = await inMemory(manifest, ({ task, signal }) => {
    if (task.id === "t1") return systemClock.sleep(400, signal);
    const busyUntil = systemClock.mono() + 400;
    while (systemClock.mono() < busyUntil);
  }, { graceMs: 5 });
  assertEquals(report.reason, "RUN_FAILED_TIMEOUT");
  assertEquals(report.tasks.map(({ status }) => status), ["succeeded", "cancelled"]);
});

Deno.test("run() takes `workers` from 0 to 65536 and refuses the rest", async () => {
  const manifest = manifestOfGraph(independent(1), { workers: 3 });
  const workersOf = async (options: RunOptions) =>
    (await inMemory(manifest, nothing, options)).workers;
  assertEquals(await workersOf({}), 3);
  assertEquals(await workersOf({ workers: 7 }), 7);
  assertEquals(await workersOf({ workers: 65_536 }), 65_536);
  assertEquals(await workersOf({ workers: 0 }), navigator.hardwareConcurrency);
  for (const workers of [-1, 1.5, 65_537, NaN, Infinity]) {
    const error = await assertRejects(() => workersOf({ workers }), SkeinError);
    assertEquals(error.code, "usage", `${workers}`);
  }
});

Deno.test("run() in memory refuses processes: they write files", async () => {
  const manifest = manifestOfGraph(independent(1));
  for (const options of [{}, { executor: processExecutor }]) {
    const error = await assertRejects(
      () => run(manifest, { inMemory: true, ...options }),
      SkeinError,
      "in memory",
    );
    assertEquals(error.code, "usage");
  }
});

Deno.test("run() in memory makes no file, and its report names none", async () => {
  using folder = temporaryFolder();
  const stateDir = `${folder.path}/state`;
  const report = await inMemory(
    manifestOfGraph(independent(2)),
    () => "out",
    { stateDir, sync: true },
  );
  assertEquals([report.folder, report.eventsError], [null, null]);
  assertEquals(report.tasks.map(({ output, outputBytes }) => [output, outputBytes]), [
    [null, 3],
    [null, 3],
  ]);
  assertEquals([...Deno.readDirSync(folder.path)], []);
});

Deno.test("run() in memory hands the output of a pass and of a task on", async () => {
  const manifest = manifestOf({
    blocks: { twice: { argv: ["x"], passes: 2 }, once: { argv: ["x"] } },
    tasks: [
      { id: "b", block: "once", needs: ["a", "silent"], stdinFrom: "a" },
      { id: "a", block: "twice", stdin: "in" },
      { id: "silent", block: "twice", stdin: "unread" },
      { id: "c", block: "once", needs: ["silent"], stdinFrom: "silent" },
      { id: "bytes", block: "once", needs: ["b"], stdinFrom: "b" },
    ],
  });
  const read: Record<string, string> = {};
  const report = await inMemory(manifest, async ({ task, lease: { pass }, input, output }) => {
    read[`${task.id}.${pass}`] = await input.text();
    if (task.id === "silent") return;
    output.write(`${read[`${task.id}.${pass}`]}`);
    output.write(new TextEncoder().encode(`+${task.id}${pass}`));
    if (task.id === "bytes") read.bytes = String((await input.bytes()).length);
  });
  assertEquals(report.status, "succeeded");
  assertEquals(read, {
    "a.1": "in",
    "a.2": "in+a1",
    "silent.1": "unread",
    "silent.2": "",
    "b.1": "in+a1+a2",
    "c.1": "",
    "bytes.1": "in+a1+a2+b1",
    bytes: "11",
  });
  assertEquals(report.tasks.map(({ outputBytes }) => outputBytes), [11, 8, 0, 3, 18]);
});

Deno.test("run() drops the output of an attempt that failed", async () => {
  const manifest = manifestOf({
    blocks: { work: { argv: ["x"], timeoutMs: 20, retry: { maxAttempts: 2, backoffMs: 0 } } },
    tasks: [
      { id: "a", block: "work" },
      { id: "b", block: "work", needs: ["a"], stdinFrom: "a" },
    ],
  });
  let read = "";
  const report = await inMemory(manifest, async ({ task, lease, input, output }) => {
    if (task.id === "b") return void (read = await input.text());
    output.write(`attempt ${lease.attempt}`);
    if (lease.attempt === 1) await forever();
  }, { graceMs: 0 });
  assertEquals(report.status, "succeeded");
  assertEquals(read, "attempt 2");
});

Deno.test("run() of 100,000 instant tasks lets a timer of 5 ms and an abort through", async () => {
  const manifest = manifestOfGraph(independent(100_000));
  for (const workers of [1, 4]) {
    let calls = 0;
    let callsAtTimer = Infinity;
    const timer = setTimeout(() => callsAtTimer = calls, 5);
    await inMemory(manifest, () => void calls++, { workers });
    clearTimeout(timer);
    assert(callsAtTimer < 90_000, `${workers} workers: the timer waited for ${callsAtTimer} calls`);
    const cancel = new AbortController();
    setTimeout(() => cancel.abort(), 5);
    const report = await inMemory(manifest, nothing, { workers, signal: cancel.signal });
    assertEquals(report.status, "cancelled", `${workers} workers: the abort came too late`);
    assertEquals(report.counts.succeeded + report.counts.cancelled, 100_000);
  }
});

Deno.test("run() of a task of 200,000 instant passes lets an abort through", async () => {
  const manifest = manifestOf({
    limits: { maxPasses: 200_000 },
    blocks: { work: { argv: ["work"], passes: 200_000 } },
    tasks: [{ id: "a", block: "work" }],
  });
  const cancel = new AbortController();
  setTimeout(() => cancel.abort(), 5);
  const report = await inMemory(manifest, nothing, { signal: cancel.signal });
  assertEquals(report.status, "cancelled");
});

Deno.test("run() ends with an executor's own SkeinError, and starts nothing after it", async () => {
  let calls = 0;
  const executor: Executor = {
    execute({ signal }) {
      if (++calls === 2) throw new SkeinError("state-unusable", "Cannot write");
      return new Promise((resolve) =>
        signal.addEventListener("abort", () => resolve({ kind: "aborted" }))
      );
    },
  };
  const manifest = manifestOfGraph(independent(5), { workers: 2 });
  const error = await assertRejects(() => run(manifest, { inMemory: true, executor }), SkeinError);
  assertEquals([error.code, calls], ["state-unusable", 2]);
});

Deno.test("run() does not take an executor's own `aborted` for a stop", async () => {
  const executor: Executor = { execute: () => Promise.resolve({ kind: "aborted" }) };
  const report = await run(manifestOfGraph(independent(1)), { inMemory: true, executor });
  assertEquals([report.status, report.tasks[0]?.reason], ["failed", "TASK_FAILED_ENVIRONMENT"]);
});

Deno.test("run() fails a task whose executor throws or rejects, with the message", async () => {
  const executor: Executor = {
    execute({ task }) {
      if (task.id === "t0") throw new TypeError("Thrown");
      return task.id === "t1" ? Promise.reject(new Error("Rejected")) : Promise.reject("text");
    },
  };
  const report = await run(manifestOfGraph(independent(3)), { inMemory: true, executor });
  assertEquals(report.tasks.map(({ message }) => message), ["Thrown", "Rejected", "text"]);
  assertEquals(report.tasks[0]?.reason, "TASK_FAILED_ENVIRONMENT");
});

Deno.test("run() calls the executor's `finish` once, at the end, and names what is left", async () => {
  const order: string[] = [];
  const executor: Executor = {
    execute({ task }) {
      order.push(task.id);
      return Promise.resolve({ kind: "succeeded" });
    },
    finish({ runId }) {
      order.push("finish");
      assert(runId !== "");
      return Promise.resolve(order.length > 3 ? ["process 7 (x) survives"] : []);
    },
  };
  const report = await run(manifestOfGraph(independent(2)), { inMemory: true, executor });
  assertEquals([report.status, ...order], ["succeeded", "t0", "t1", "finish"]);
  const error = await assertRejects(
    () => run(manifestOfGraph(independent(1)), { inMemory: true, executor }),
    SkeinError,
    "process 7 (x) survives",
  );
  assertInstanceOf(error, SkeinError);
});

Deno.test("run() fails an attempt whose executor throws what does not say what it is", async () => {
  const thrown: unknown[] = [
    undefined,
    null,
    Symbol("s"),
    Object.create(null),
    { toString: () => "x".repeat(0) },
    {
      toString() {
        throw new Error("again");
      },
    },
    Object.assign(new Error(), { message: 5 }),
    Object.defineProperty(new Error(), "message", {
      get() {
        throw new Error("again");
      },
    }),
  ];
  for (const each of thrown) {
    const { status, tasks: [task] } = await inMemory(manifestOfGraph(independent(1)), () => {
      throw each;
    });
    assertEquals([status, task?.reason], ["failed", "TASK_FAILED_ENVIRONMENT"]);
    assertEquals(typeof task?.message, "string");
  }
});

Deno.test("run() counts what an attempt that was ended has left behind", async () => {
  const executor: Executor = {
    execute: async (execution) => {
      await untilAborted(execution);
      return { kind: "aborted", leftovers: 2 };
    },
  };
  const manifest = manifestOfGraph(independent(1));
  const [task] = manifest.tasks;
  const tasks = [{ ...task, timeoutMs: 20 }] as Manifest["tasks"];
  const report = await run({ ...manifest, tasks }, { inMemory: true, executor });
  assertEquals(report.tasks.map(({ reason, leftovers }) => [reason, leftovers]), [
    ["TASK_FAILED_TIMEOUT", 2],
  ]);
});

Deno.test("run() believes no `finish` that throws, or does not say what is left", async () => {
  const finishes: [() => unknown, string][] = [
    [() => {
      throw new Error("broken");
    }, "broken"],
    [() => Promise.reject(new Error("late")), "late"],
    ...[undefined, null, "x", 5, { length: 0 }].map((left): [() => unknown, string] => {
      return [() => Promise.resolve(left), "returned no list"];
    }),
  ];
  for (const [finish, problem] of finishes) {
    const executor = { execute: () => ({ kind: "succeeded" }), finish } as unknown as Executor;
    await assertRejects(
      () => run(manifestOfGraph(independent(1)), { inMemory: true, executor }),
      SkeinError,
      problem,
    );
  }
});

Deno.test("run() hands on the error of a `finish` that is Skein's own, and names the cause of any other", async () => {
  const own = new SkeinError("state-unusable", "mine");
  for (const thrown of [own, new Error("other")]) {
    const executor: Executor = {
      execute: () => ({ kind: "succeeded" }),
      finish: () => Promise.reject(thrown),
    };
    const error = await assertRejects(
      () => run(manifestOfGraph(independent(1)), { inMemory: true, executor }),
      SkeinError,
    );
    assert(thrown === own ? error === own : error.cause === thrown);
  }
});

Deno.test("run() refuses what is no executor before anything starts, and says what to pass", async () => {
  using folder = temporaryFolder();
  const stateDir = `${folder.path}/state`;
  for (const garbage of [null, 5, {}, "x", { execute: 5 }, () => "a function"]) {
    for (const options of [{ inMemory: true }, { stateDir }]) {
      const executor = garbage as unknown as Executor;
      const error = await assertRejects(
        () => run(manifestOfGraph(independent(1)), { ...options, executor }),
        SkeinError,
        "no function `execute`",
      );
      assertEquals(error.code, "usage");
      assertStringIncludes(error.next ?? "", "functionExecutor");
    }
  }
  assert(isAbsent(stateDir), "a state directory was made");
});

Deno.test("run() calls `onProgress` when a task starts and ends", async () => {
  const seen: string[] = [];
  const report = await inMemory(manifestOfGraph(independent(2), { workers: 1 }), nothing, {
    onProgress: ({ runId, running, counts }) =>
      seen.push(`${runId.length} ${running} ${counts.succeeded}/${counts.total}`),
  });
  const id = report.runId.length;
  assertEquals(seen, [`${id} 1 0/2`, `${id} 1 1/2`, `${id} 1 1/2`, `${id} 1 2/2`]);
});

Deno.test("run() fails an attempt whose executor returns no outcome, and says what is wrong with it", async () => {
  const code = "`code` is not a whole number other than 0";
  const signal = "`signal` is not the name of a signal";
  const garbage: [unknown, string][] = [
    [undefined, "it is undefined"],
    [null, "it is null"],
    [5, "it is a number"],
    ["text", "it is a string"],
    [() => {}, "it is a function"],
    [{}, "it has no `kind`"],
    [new Error("returned"), "it has no `kind`"],
    [{ kind: "signaled" }, '"signaled" is not one of those that are known'],
    [{ kind: "toString" }, '"toString" is not one of those that are known'],
    [{ kind: "x".repeat(9_000) }, "is not one of those that are known"],
    [{ kind: 5 }, "its `kind` is a number"],
    ...[undefined, 0, 1.5, NaN, "1"].map((each): [unknown, string] => {
      return [{ kind: "exited", code: each }, code];
    }),
    ...[undefined, "", 9].map((each): [unknown, string] => {
      return [{ kind: "signalled", signal: each }, signal];
    }),
    ...["program-missing", "program-not-executable", "program-refused", "folder-missing", "failed"]
      .map((kind): [unknown, string] => [{ kind }, "`message` is not text"]),
    ...["leftovers", "written"].flatMap((name) =>
      [NaN, -1, 0.5, null, "1"].map((each): [unknown, string] => [
        { kind: "succeeded", [name]: each },
        `\`${name}\` is not a whole number from 0`,
      ])
    ),
  ];
  for (const [outcome, problem] of garbage) {
    const executor = { execute: () => Promise.resolve(outcome) } as unknown as Executor;
    const report = await run(manifestOfGraph(independent(1)), { inMemory: true, executor });
    const [task] = report.tasks;
    assertEquals([report.status, task?.reason], ["failed", "TASK_FAILED_ENVIRONMENT"]);
    assertStringIncludes(task?.message ?? "", problem);
  }
});

Deno.test("functionExecutor() takes text, bytes and promises of them, of any kind, and nothing else", async () => {
  const thenable = { then: (resolve: (text: string) => void) => resolve("late") };
  const calls: [unknown, string, number | null][] = [
    ["text", "succeeded", 4],
    [new Uint8Array(3), "succeeded", 3],
    [undefined, "succeeded", 0],
    [Promise.resolve("soon"), "succeeded", 4],
    [thenable, "succeeded", 4],
    [5, "failed", null],
    [null, "failed", null],
    [{ kind: "succeeded" }, "failed", null],
  ];
  for (const [value, status, bytes] of calls) {
    const { tasks: [task] } = await inMemory(
      manifestOfGraph(independent(1)),
      () => value as string,
    );
    assertEquals([task?.status, task?.outputBytes], [status, bytes]);
  }
});

Deno.test("functionExecutor() keeps the output limit (G12)", async () => {
  const limits = { maxOutputBytes: 10 };
  const manifest = manifestOfGraph(independent(1), { limits });
  const { tasks: [task] } = await inMemory(manifest, () => "x".repeat(11));
  assertEquals(task?.reason, "TASK_FAILED_OUTPUT_LIMIT");
  assertEquals((await inMemory(manifest, () => "x".repeat(10))).status, "succeeded");
});

Deno.test("run() ends with the error of a caller's onProgress", async () => {
  const onProgress = () => {
    throw new RangeError("mine");
  };
  await assertRejects(
    () => inMemory(manifestOfGraph(independent(3)), nothing, { onProgress }),
    RangeError,
    "mine",
  );
});

Deno.test("run() is cancelled at once by `kill` alone, and starts nothing after it", async () => {
  const kill = new AbortController();
  const started: string[] = [];
  const call = ({ task, signal }: Execution) => {
    started.push(task.id);
    kill.abort();
    return untilAborted({ signal } as Execution);
  };
  const options = { kill: kill.signal, workers: 1 };
  const report = await inMemory(manifestOfGraph(independent(3)), call, options);
  assertEquals([report.status, ...started], ["cancelled", "t0"]);
});
