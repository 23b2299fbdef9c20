import { assertEquals } from "@std/assert";
import { OutputBudget } from "../../src/proc/streams.ts";

Deno.test("OutputBudget takes what is left, and says once that more arrived (G12)", () => {
  let exceeded = 0;
  const budget = new OutputBudget(10, () => exceeded++);
  assertEquals([budget.take(4), budget.take(6)], [4, 6]);
  assertEquals([budget.exceeded, exceeded], [false, 0]);
  assertEquals([budget.take(0), exceeded], [0, 0]);
  assertEquals([budget.take(1), budget.take(5)], [0, 0]);
  assertEquals([budget.exceeded, exceeded], [true, 1]);
});

Deno.test("OutputBudget takes the part of a chunk that fits", () => {
  let exceeded = 0;
  const budget = new OutputBudget(10, () => exceeded++);
  assertEquals([budget.take(7), budget.take(7)], [7, 3]);
  assertEquals([budget.exceeded, exceeded], [true, 1]);
});
