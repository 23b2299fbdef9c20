import { assert, assertEquals, assertThrows } from "@std/assert";
import fc from "fast-check";
import { Scheduler } from "../../src/engine/scheduler.ts";
import { compileGraph, type Graph } from "../../src/manifest/mod.ts";
import { LONG } from "../support/cli.ts";
import { graphs, type Node } from "./graphs.ts";

type Verdict = "succeeded" | "failed" | "stopped" | "cancelled";

const RUNS = { numRuns: LONG ? 5000 : 400 };
const verdicts = fc.infiniteStream(
  fc.oneof(
    { weight: 6, arbitrary: fc.constant<Verdict>("succeeded") },
    { weight: 2, arbitrary: fc.constant<Verdict>("failed") },
    { weight: 1, arbitrary: fc.constantFrom<Verdict>("stopped", "cancelled") },
  ),
);
const choices = fc.infiniteStream(fc.nat(1_000_000));
const workers = fc.integer({ min: 1, max: 6 });

/** What happened while a scheduler was driven to its end. */
class Drive {
  readonly nodes: readonly Node[];
  readonly graph: Graph;
  readonly scheduler: Scheduler;
  readonly started: number[] = [];
  readonly ends = new Map<number, string[]>();
  readonly running: number[] = [];
  most = 0;

  constructor(nodes: readonly Node[], workers: number, graph = compileGraph(nodes)) {
    this.nodes = nodes;
    this.graph = graph;
    this.scheduler = new Scheduler(graph, workers);
  }

  admit(): number {
    let count = 0;
    for (let task = this.scheduler.next(); task >= 0; task = this.scheduler.next()) {
      for (const need of this.nodes[task]?.needs ?? []) {
        assertEquals(this.scheduler.stateOf(this.indexOf(need)), "succeeded", `${need} first`);
      }
      assertEquals(this.scheduler.stateOf(task), "running");
      this.started.push(task);
      this.running.push(task);
      count++;
    }
    assertEquals(this.scheduler.running, this.running.length);
    this.most = Math.max(this.most, this.running.length);
    return count;
  }

  settle(choice: number, verdict: Verdict): void {
    const [task = -1] = this.running.splice(choice % this.running.length, 1);
    this.ended(task, verdict);
    this.scheduler.settle(task, verdict, (skipped) => this.ended(skipped, "skipped"));
  }

  ended(task: number, status: string): void {
    this.ends.set(task, [...this.ends.get(task) ?? [], status]);
  }

  indexOf(id: string): number {
    return this.nodes.findIndex((node) => node.id === id);
  }

  /** Whether a task that did not succeed is somewhere before this one. */
  hasBefore(task: number, status: string): boolean {
    return (this.nodes[task]?.needs ?? []).some((need) => {
      const before = this.indexOf(need);
      return this.ends.get(before)?.[0] === status || this.hasBefore(before, status);
    });
  }
}

function driveToEnd(
  drive: Drive,
  next: Iterator<number>,
  verdict: Iterator<Verdict>,
  until: number = Infinity,
): void {
  drive.admit();
  for (let settled = 0; drive.running.length > 0 && settled < until; settled++) {
    drive.settle(next.next().value, verdict.next().value);
    drive.admit();
  }
}

Deno.test("Scheduler starts no task before all its needs have succeeded, at most `workers` at once (G12)", () => {
  fc.assert(
    fc.property(graphs(24), workers, choices, verdicts, (nodes, limit, choice, verdict) => {
      const drive = new Drive(nodes, limit);
      driveToEnd(drive, choice, verdict);
      assert(drive.most <= limit, `${drive.most} ran at once`);
    }),
    RUNS,
  );
});

Deno.test("Scheduler ends every task in exactly one state and skips exactly what needs a failed one", () => {
  fc.assert(
    fc.property(graphs(24), workers, choices, verdicts, (nodes, limit, choice, verdict) => {
      const drive = new Drive(nodes, limit);
      driveToEnd(drive, choice, verdict);
      drive.scheduler.endRest("cancelled", (task) => drive.ended(task, "rest"));
      assert(drive.scheduler.done);
      assertEquals(drive.scheduler.ended, nodes.length);
      nodes.forEach((_, task) => {
        const ends = drive.ends.get(task) ?? [];
        assertEquals(ends.length, 1, `${ends}`);
        const state = drive.scheduler.stateOf(task);
        assertEquals(state, ends[0] === "rest" ? "cancelled" : ends[0]);
        assertEquals(ends[0] === "skipped", drive.hasBefore(task, "failed"));
      });
    }),
    RUNS,
  );
});

Deno.test("Scheduler takes tasks as they became ready, ties in the manifest's order", () => {
  fc.assert(
    fc.property(graphs(24), workers, choices, (nodes, limit, choice) => {
      const drive = new Drive(nodes, limit);
      // A second, naive scheduler: a list of ready tasks, refilled in the manifest's order.
      const succeeded = new Set<string>();
      const queued = new Set<number>();
      const ready: number[] = [];
      const refill = () =>
        nodes.forEach(({ needs }, task) => {
          if (queued.has(task) || !needs.every((need) => succeeded.has(need))) return;
          queued.add(task);
          ready.push(task);
        });
      refill();
      const expected: number[] = [];
      let running = 0;
      const admit = () => {
        drive.admit();
        while (running < limit && ready.length > 0) {
          expected.push(ready.shift() ?? -1);
          running++;
        }
        assertEquals(drive.started, expected);
      };
      admit();
      while (drive.running.length > 0) {
        const before = [...drive.running];
        drive.settle(choice.next().value, "succeeded");
        const ended = before.find((task) => !drive.running.includes(task)) ?? -1;
        succeeded.add(nodes[ended]?.id ?? "");
        running--;
        refill();
        admit();
      }
      assertEquals(expected.length, nodes.length);
    }),
    RUNS,
  );
});

Deno.test("Scheduler.halt() admits nothing more and lets what runs settle", () => {
  fc.assert(
    fc.property(graphs(24), workers, choices, verdicts, fc.nat(12), (nodes, limit, c, v, until) => {
      const drive = new Drive(nodes, limit);
      driveToEnd(drive, c, v, until);
      drive.scheduler.halt();
      const { length } = drive.started;
      while (drive.running.length > 0) {
        drive.settle(c.next().value, v.next().value);
        assertEquals(drive.admit(), 0);
      }
      assertEquals(drive.started.length, length);
    }),
    RUNS,
  );
});

Deno.test("Scheduler.endRest() ends what neither runs nor has ended, once, in the manifest's order", () => {
  fc.assert(
    fc.property(graphs(24), workers, choices, verdicts, fc.nat(12), (nodes, limit, c, v, until) => {
      const drive = new Drive(nodes, limit);
      driveToEnd(drive, c, v, until);
      const open = nodes.map((_, task) => task).filter((task) =>
        !drive.ends.has(task) && !drive.running.includes(task)
      );
      const rest: number[] = [];
      drive.scheduler.endRest("stopped", (task) => rest.push(task));
      assertEquals(rest, open);
      assertEquals(rest.filter((task) => drive.scheduler.stateOf(task) !== "stopped"), []);
      assertEquals(drive.scheduler.next(), -1);
      drive.scheduler.endRest("cancelled", () => {
        throw new Error("A second time");
      });
      while (drive.running.length > 0) drive.settle(c.next().value, "succeeded");
      assert(drive.scheduler.done);
      assertEquals(drive.scheduler.running, 0);
    }),
    RUNS,
  );
});

Deno.test("Scheduler.settle() refuses a task that does not run", () => {
  const graph = compileGraph([{ id: "a", needs: [] }, { id: "b", needs: ["a"] }]);
  const scheduler = new Scheduler(graph, 1);
  const settle = (task: number) => () =>
    scheduler.settle(task, "succeeded", () => {
      throw new Error("Nothing is skipped");
    });
  assertThrows(settle(0), Error, "it is ready, not running");
  assertThrows(settle(1), Error, "it is waiting, not running");
  assertThrows(settle(7), Error, "Cannot settle task 7");
  assertEquals(scheduler.next(), 0);
  settle(0)();
  assertThrows(settle(0), Error, "it is succeeded, not running");
  assertEquals(scheduler.ended, 1);
  assertEquals(scheduler.running, 0);
});

Deno.test("Scheduler.close() gives its memory to the next scheduler of the graph, which finds nothing in it", () => {
  fc.assert(
    fc.property(graphs(20), workers, verdicts, choices, (nodes, count, verdict, choice) => {
      const first = new Drive(nodes, count);
      first.admit();
      first.settle(choice.next().value, verdict.next().value);
      first.scheduler.close();
      const next = new Drive(nodes, count, first.graph);
      const beside = new Drive(nodes, count, first.graph);
      const fresh = new Drive(nodes, count);
      for (let turn = choice.next().value; fresh.admit() + fresh.running.length > 0;) {
        turn = choice.next().value;
        const how = verdict.next().value;
        for (const drive of [next, beside, fresh]) {
          if (drive !== fresh) drive.admit();
          drive.settle(turn, how);
        }
      }
      assertEquals([next.started, [...next.ends]], [fresh.started, [...fresh.ends]]);
      assertEquals([beside.started, [...beside.ends]], [fresh.started, [...fresh.ends]]);
    }),
    RUNS,
  );
});

Deno.test("Scheduler.close() leaves nothing to take and nothing to settle", () => {
  const graph = compileGraph([{ id: "a", needs: [] }, { id: "b", needs: [] }]);
  const closed = new Scheduler(graph, 2);
  assertEquals(closed.next(), 0);
  closed.close();
  closed.close();
  const open = new Scheduler(graph, 1);
  assertEquals(open.next(), 0);
  assertEquals(closed.next(), -1);
  const never = () => {
    throw new Error("Nothing of it ends");
  };
  assertThrows(() => closed.settle(0, "succeeded", never), Error, "not running");
  closed.endRest("stopped", never);
  assertEquals([open.stateOf(0), open.stateOf(1)], ["running", "ready"]);
});

Deno.test("Scheduler takes a chain of 200,000 tasks that a failure skips, without a stack as deep", () => {
  const size = 200_000;
  const nodes = Array.from({ length: size }, (_, index) => ({
    id: `t${index}`,
    needs: index === 0 ? [] : [`t${index - 1}`],
  }));
  const scheduler = new Scheduler(compileGraph(nodes), 1);
  assertEquals(scheduler.next(), 0);
  let skipped = 0;
  scheduler.settle(0, "failed", () => skipped++);
  assertEquals(skipped, size - 1);
  assert(scheduler.done);
});
