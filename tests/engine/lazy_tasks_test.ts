import { assert, assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { inspect } from "node:util";
import { withTasks } from "../../src/engine/lazy_tasks.ts";
import { run } from "../../src/engine/run.ts";
import type { Report, TaskReport } from "../../src/model/mod.ts";
import { manifestOfGraph } from "./graphs.ts";

/** A report, and how often its list was made. */
function reportOf(...ids: string[]): { report: Report; made: () => number } {
  let count = 0;
  const fields = { version: 1, runId: ids.join() } as Omit<Report, "tasks">;
  const report = withTasks(fields, {
    reports() {
      count++;
      return ids.map((id) => ({ id }) as TaskReport);
    },
  });
  return { report, made: () => count };
}

Deno.test("withTasks() makes the list of each report when it is read, and not before", () => {
  const one = reportOf("a", "b");
  const other = reportOf("c");
  assertEquals(Object.keys(one.report), ["version", "runId", "tasks"]);
  assertEquals(one.made(), 0);
  assertEquals(one.report.tasks.map(({ id }) => id), ["a", "b"]);
  assertEquals(other.report.tasks.map(({ id }) => id), ["c"]);
  assertEquals([one.made(), other.made()], [1, 1]);
});

Deno.test("withTasks() gives what is copied and written like any other member", () => {
  const { report } = reportOf("a");
  const plain = { version: 1, runId: "a", tasks: [{ id: "a" }] };
  assertEquals(JSON.parse(JSON.stringify(report)), plain);
  assertEquals({ ...report } as unknown, plain);
  assertEquals(structuredClone(report) as unknown, plain);
  assert(Object.getPrototypeOf(report) === Object.prototype);
});

Deno.test("withTasks() makes a report that is printed like a plain object, and says nothing of how", () => {
  const { report } = reportOf("a");
  const plain = { ...report };
  const ways: ((report: unknown) => string)[] = [
    (each) => Deno.inspect(each),
    (each) => Deno.inspect({ each }),
    (each) => Deno.inspect([[[[each]]]]),
    (each) => Deno.inspect(each, { depth: 0 }),
    (each) => Deno.inspect({ each }, { depth: 0 }),
    (each) => Deno.inspect({ a: { b: { c: { each } } } }, { compact: false, sorted: true }),
    (each) => inspect(each),
    (each) => inspect({ each }, { maxArrayLength: 0, depth: 1 }),
    (each) =>
      inspect(new Map([[each, new Error("e", { cause: each })]])).replace(/^ +at .*$/gm, ""),
  ];
  for (const way of ways) assertEquals(way(report), way(plain), `${way}`);
  assertEquals(Reflect.ownKeys(plain), ["version", "runId", "tasks"]);
});

Deno.test("withTasks() makes a report that is printed where it names itself, and through a proxy", () => {
  const { report } = reportOf("a");
  Object.assign(report, { self: report });
  const text = Deno.inspect(report, { depth: Infinity });
  assertStringIncludes(text, "[Circular *1]");
  assert(text.length < 200, `${text.length} characters`);
  assertEquals(typeof Deno.inspect(new Proxy(report, {})), "string");
  assertEquals(typeof Deno.inspect(Object.create(report)), "string");
  assertEquals(typeof Deno.inspect(Object.freeze(report)), "string");
});

Deno.test("withTasks() refuses to read through another object, and says what to do", () => {
  const { report } = reportOf("a");
  for (const other of [Object.create(report), new Proxy(report, {})]) {
    assertThrows(() => other.tasks, TypeError, "copy it");
  }
});

Deno.test("a run that is over, and whose report nobody has, keeps no memory until all is collected", async () => {
  const size = 100_000;
  const manifest = manifestOfGraph(
    Array.from({ length: size }, (_, index) => ({ id: `t${index}`, needs: [] })),
  );
  const succeeded = Promise.resolve({ kind: "succeeded" as const });
  const executor = { execute: () => succeeded };
  const once = () => run(manifest, { inMemory: true, executor });
  for (let round = 0; round < 10; round++) await once();
  const before = Deno.memoryUsage().external;
  for (let round = 0; round < 40; round++) await once();
  const grown = Deno.memoryUsage().external - before;
  // What is kept of a run is 4 bytes a task: 40 runs would keep 16 MB.
  assert(grown < 6_000_000, `${grown} bytes more are held`);
});

Deno.test("a report keeps nothing but the time of a task that succeeds at once and publishes nothing", async () => {
  const count = 100_000;
  const manifest = manifestOfGraph(
    Array.from({ length: count }, (_, index) => ({ id: `t${index}`, needs: [] })),
  );
  const executor = { execute: () => ({ kind: "succeeded" as const }) };
  const once = () => run(manifest, { inMemory: true, executor });
  for (let round = 0; round < 10; round++) await once();
  const before = Deno.memoryUsage().heapUsed;
  const reports: Report[] = [];
  for (let round = 0; round < 10; round++) reports.push(await once());
  const grown = Deno.memoryUsage().heapUsed - before;
  // A record of each task would be 140 MB; what is not collected yet is at most the young generation, some 32 MB.
  assert(grown < 60_000_000, `${grown} bytes more are held`);
  assert(reports.every(({ counts }) => counts.succeeded === count));
});
