import { assertEquals } from "@std/assert";
import fc from "fast-check";
import type { Clock } from "../../src/clock/mod.ts";
import { type Deadline, Deadlines } from "../../src/engine/deadlines.ts";
import { eventually, LONG } from "../support/cli.ts";

/** A clock that the test turns. */
class HandClock implements Clock {
  now = 0;
  wall = () => this.now;
  mono = () => this.now;
  sleep = () => Promise.resolve();
}

type Op =
  | { readonly op: "after"; readonly ms: number }
  | { readonly op: "cancel"; readonly which: number }
  | { readonly op: "advance"; readonly ms: number };

const ops = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ op: fc.constant("after" as const), ms: fc.nat(12) }) },
    { weight: 3, arbitrary: fc.record({ op: fc.constant("cancel" as const), which: fc.nat(99) }) },
    { weight: 1, arbitrary: fc.record({ op: fc.constant("advance" as const), ms: fc.nat(8) }) },
  ),
  { minLength: 1, maxLength: 60 },
);

/** A sorted list beside the heap: what is due fires in the order of its time, and nothing else does. */
async function compare(list: readonly Op[]): Promise<void> {
  const clock = new HandClock();
  const deadlines = new Deadlines(clock);
  const made: Deadline[] = [];
  const open = new Map<number, number>();
  const fired: number[] = [];
  const advance = async (ms: number) => {
    clock.now += ms;
    const due = [...open].filter(([, at]) => at <= clock.now);
    const before = fired.length;
    await eventually(`${due.length} fire`, () => fired.length >= before + due.length, 3000);
    const news = fired.slice(before);
    assertEquals(news.map((id) => open.get(id)), due.map(([, at]) => at).sort((a, b) => a - b));
    assertEquals([...news].sort(), due.map(([id]) => id).sort());
    for (const id of news) open.delete(id);
  };
  for (const step of list) {
    if (step.op === "advance") await advance(step.ms);
    else if (step.op === "after") {
      const id = made.length;
      open.set(id, clock.now + step.ms);
      made.push(deadlines.after(step.ms, () => fired.push(id)));
    } else {
      const id = step.which % Math.max(1, made.length);
      const deadline = made[id];
      if (deadline !== undefined) deadlines.cancel(deadline);
      open.delete(id);
    }
  }
  await advance(100);
  assertEquals(open.size, 0);
  deadlines.close();
}

Deno.test("Deadlines fire as a sorted list would, and never after they were taken back", async () => {
  await fc.assert(fc.asyncProperty(ops, compare), { numRuns: LONG ? 300 : 40, endOnFailure: true });
});

Deno.test("Deadlines.cancel() of one that has fired takes no other one along (G12)", async () => {
  const clock = new HandClock();
  const deadlines = new Deadlines(clock);
  const fired: string[] = [];
  const early = deadlines.after(1, () => fired.push("early"));
  deadlines.after(5, () => fired.push("late"));
  clock.now = 1;
  await eventually("the early one fires", () => fired.length === 1);
  deadlines.cancel(early);
  clock.now = 5;
  await eventually("the late one fires", () => fired.length === 2, 2000);
  assertEquals(fired, ["early", "late"]);
  deadlines.close();
});

Deno.test("Deadlines.cancel() of many leaves those that are due later", async () => {
  const clock = new HandClock();
  const deadlines = new Deadlines(clock);
  const fired: number[] = [];
  const made = Array.from(
    { length: 1000 },
    (_, id) => deadlines.after((id * 7) % 10 + 1, () => fired.push(id)),
  );
  made.forEach((deadline, id) => {
    if (id % 100 !== 0) deadlines.cancel(deadline);
  });
  clock.now = 20;
  await eventually("the ten fire", () => fired.length === 10);
  assertEquals(
    [...fired].sort((a, b) => a - b),
    made.map((_, id) => id).filter((i) => i % 100 === 0),
  );
  deadlines.close();
});

Deno.test("Deadlines.close() ends the timer: nothing fires any more", async () => {
  const clock = new HandClock();
  const deadlines = new Deadlines(clock);
  let fired = 0;
  deadlines.after(1, () => fired++);
  deadlines.close();
  clock.now = 10;
  // The timer of a second set comes after the first one's would have.
  const later = new Deadlines(clock);
  let passed = false;
  later.after(3, () => passed = true);
  clock.now = 20;
  await eventually("the second set fires", () => passed);
  assertEquals(fired, 0);
  later.close();
});
