import { assert, assertEquals } from "@std/assert";
import { goalsText } from "../../bench/peers/goals.ts";
import { Evidence } from "../../bench/peers/ground.ts";
import { memoryGroup, NAMES as MEMORY } from "../../bench/peers/memory.ts";
import { NAMES as COLD } from "../../bench/peers/cold.ts";

/** What every measurement came to; where nothing is said everybody takes 1 ms. */
class Made extends Evidence {
  readonly #ms: (group: string, name: string) => number | undefined;
  readonly #number: number;

  constructor(
    ms: (group: string, name: string) => number | undefined,
    number = 1,
  ) {
    super();
    this.#ms = ms;
    this.#number = number;
  }

  override ms(group: string, name: string): number {
    return this.#ms(group, name) ?? 1;
  }

  override number(): number {
    return this.#number;
  }
}

/** The rows of the table: what, goal, measured, reached. */
function rowsOf(evidence: Evidence): string[][] {
  return goalsText(evidence).split("\n").filter((line) => line.startsWith("| "))
    .map((line) => line.split("|").slice(1, -1).map((cell) => cell.trim()))
    .filter(([what]) => what !== "");
}

function isSkein(name: string): boolean {
  return /^skein\b/i.test(name) || name === "check";
}

function isOwn([what = ""]: string[]): boolean {
  return !what.startsWith("For comparison");
}

Deno.test("goalsText() calls every goal reached where Skein is quick, and none where it is slow", () => {
  const quick = rowsOf(new Made((_, name) => isSkein(name) ? 0.001 : undefined))
    .filter(isOwn);
  assert(quick.length > 15, `${quick.length} goals`);
  assertEquals(
    quick.filter(([, , , reached]) => !reached?.startsWith("yes")),
    [],
  );
  const large = new Set(["independent", "chain", "fan-out-join"] as const);
  const million = new Set(
    [...large].map((shape) => memoryGroup(shape, 1_000_000)),
  );
  const slow = rowsOf(
    new Made(
      (group, name) => isSkein(name) ? million.has(group) ? 1e9 : 1e3 : undefined,
      1e3,
    ),
  ).filter(isOwn);
  assertEquals(slow.filter(([, , , reached]) => reached !== "**no**"), []);
});

Deno.test("goalsText() lets the worst of several values decide, and prints those that look alike", () => {
  const rows = rowsOf(
    new Made((group, name) => {
      if (name === COLD.bare) return group === "cold ordinary" ? 1.146 : 1.154;
      if (name === MEMORY.queue && group === memoryGroup("chain", 100_000)) {
        return 3.9;
      }
      return name === MEMORY.queue ? 4.1 : undefined;
    }),
  );
  const rowOf = (start: string) => rows.find(([what]) => what?.startsWith(start))?.slice(1);
  assertEquals(
    rowOf(
      "For comparison, 24 cold workers (ordinary, `-I -S`): a bare Deno script",
    ),
    [
      "at most 1.15",
      "1.15, 1.15",
      "**no**",
    ],
  );
  assertEquals(rowOf("In memory, 100,000 tasks"), [
    "at least 4",
    "4.10, 3.90, 4.10",
    "**no**",
  ]);
});

Deno.test("goalsText() does not judge what was not measured", () => {
  for (const [, , measured, reached] of rowsOf(new Evidence())) {
    assert(measured?.includes("–"), measured);
    assertEquals(reached, "not measured");
  }
});
