/**
 * The goals, and whether each is reached.
 *
 * @module
 */
import { type Shape, SHAPES } from "../graphs.ts";
import { NAMES as COLD } from "./cold.ts";
import type { Evidence } from "./ground.ts";
import { LATE } from "./late.ts";
import { COUNTS, memoryGroup, NAMES as MEMORY } from "./memory.ts";
import { NAMES as SHORT } from "./short.ts";
import { NAMES as START } from "./start.ts";
import { NAMES as STOP } from "./stop.ts";
import { figure, table } from "./tables.ts";

/** A goal, or a bound that something else is held to for comparison. */
interface Goal {
  readonly what: string;
  /** What must be. */
  readonly sense: "at least" | "at most";
  readonly must: number;
  /** What would be better still. */
  readonly aim?: number;
  readonly unit?: " ms" | " µs";
  /** What was measured; the worst of it counts. */
  readonly values: readonly number[];
  /** What stands between this and the better goal. */
  readonly why?: string;
}

/** The table of the goals, and below it what stands in the way of those that are missed. */
export function goalsText(evidence: Evidence): string {
  const goals = goalsOf(evidence);
  const rows = goals.map((goal) => {
    const { what, sense, must, aim, unit = "", values } = goal;
    const better = aim === undefined ? "" : ` (better ${aim})`;
    const measured = values.map(figure).join(", ");
    const said = isMeasured(goal) ? `${measured}${unit}` : measured;
    return [what, `${sense} ${must}${unit}${better}`, said, verdictOf(goal)];
  });
  const reasons = goals.filter(isMissed).flatMap(({ what, why }) => {
    return why === undefined ? [] : [`- ${what}: ${why}`];
  });
  return [table(["", "goal", "measured", "reached"], rows), reasons.join("\n")]
    .join("\n\n").trim();
}

/** Whether the worst value is within a bound. */
function reaches({ sense, values }: Goal, bound: number): boolean {
  return sense === "at most" ? Math.max(...values) <= bound : Math.min(...values) >= bound;
}

function isMissed(goal: Goal): boolean {
  return isMeasured(goal) && !reaches(goal, goal.aim ?? goal.must);
}

/** A group that was left out, or a contender that failed, leaves no number. */
function isMeasured({ values }: Goal): boolean {
  return !values.some(Number.isNaN);
}

function verdictOf(goal: Goal): string {
  if (!isMeasured(goal)) return "not measured";
  if (!reaches(goal, goal.must)) return "**no**";
  if (goal.aim === undefined) return "yes";
  return reaches(goal, goal.aim) ? "yes, the better one too" : "yes, the better one not";
}

/** Where the goals in milliseconds were set, `deno run` of an empty file took 22 ms. */
const SLOW_START =
  "set where an empty file takes 22 ms; as a ratio, which travels, it has a row of its own.";

/** What the 24 cold workers are about. */
const SHARE_OF_START =
  "the start of the runtime is in each of these times, and counts for much where workers are as short as these: the rows for comparison have what a plain script on it takes. What Skein takes beyond that script is its own: its modules, the state directory, sessions, files, the search at the end.";

/** Every form of asyncio. */
const ASYNCIO = [MEMORY.queue, MEMORY.nowait, MEMORY.deque, MEMORY.tasks];

function goalsOf(evidence: Evidence): Goal[] {
  return [...memoryGoals(evidence), ...commandGoals(evidence)];
}

function memoryGoals(evidence: Evidence): Goal[] {
  const ms = (shape: Shape, count: number, name: string) =>
    evidence.ms(memoryGroup(shape, count), name);
  const overSkein = (count: number, name: string) =>
    SHAPES.map((shape) => ms(shape, count, name) / ms(shape, count, MEMORY.skein));
  const fastestOverSkein = (count: number) =>
    SHAPES.map((shape) => {
      return Math.min(...ASYNCIO.map((name) => ms(shape, count, name))) /
        ms(shape, count, MEMORY.skein);
    });
  const ofFloor = SHAPES.flatMap((shape) =>
    COUNTS.map((count) => ms(shape, count, MEMORY.skein) / ms(shape, count, MEMORY.floor))
  );
  const growth = SHAPES.map((shape) => {
    return ms(shape, 1_000_000, MEMORY.skein) / ms(shape, 1_000, MEMORY.skein) /
      1_000;
  });
  const shapes = "(independent, chain, fan-out-join)";
  return [
    {
      what: `In memory, 1,000 tasks: asyncio's queue over Skein ${shapes}`,
      sense: "at least",
      must: 3,
      aim: 8,
      why:
        "set where asyncio's queue takes 1.1 to 1.8 µs a task, which is more than in the tables of warm processes below.",
      values: overSkein(1_000, MEMORY.queue),
    },
    {
      what: `For comparison, 1,000 tasks: asyncio's fastest form over Skein ${shapes}`,
      sense: "at least",
      must: 3,
      values: fastestOverSkein(1_000),
    },
    {
      what: `In memory, 1,000 tasks: LangGraph.js over Skein ${shapes}`,
      sense: "at least",
      must: 500,
      values: overSkein(1_000, MEMORY.langGraph),
    },
    {
      what: `In memory, 100 tasks: asyncio's queue over Skein ${shapes}`,
      sense: "at least",
      must: 1,
      values: overSkein(100, MEMORY.queue),
    },
    {
      what: `In memory, 100,000 tasks: asyncio's queue over Skein ${shapes}`,
      sense: "at least",
      must: 4,
      why:
        "set where asyncio's queue takes 1.1 to 1.8 µs a task, which is more than in the tables of warm processes below.",
      values: overSkein(100_000, MEMORY.queue),
    },
    {
      what: `For comparison, 100,000 tasks: asyncio's fastest form over Skein ${shapes}`,
      sense: "at least",
      must: 4,
      values: fastestOverSkein(100_000),
    },
    {
      what: `A task at 1,000,000 over a task at 1,000, Skein ${shapes}`,
      sense: "at most",
      must: 1.5,
      why: "the manifest of a million tasks is some 350 MB, and reading it waits for memory.",
      values: growth,
    },
    {
      what: "Skein over the floor, every shape, 100 to 1,000,000 tasks each",
      sense: "at most",
      must: 3,
      aim: 1.5,
      why:
        "the floor has no report, no limits of time or retries, no progress and no way to be stopped or cancelled; it keeps an object of each task, which Skein does not.",
      values: ofFloor,
    },
  ];
}

const COMMANDS: ReadonlySet<string> = new Set([COLD.skein, COLD.make]);

/** A contender in the title of a goal: a command in backticks. */
function nameOf(contender: string): string {
  return COMMANDS.has(contender) ? `\`${contender}\`` : contender;
}

/** The median of a contender over that of another, in a group. */
type Ratio = (group: string, over: string, under: string) => number;

/** The 24 cold workers: `skein run`, and for comparison a plain script on the same runtime, within the same bounds. */
function coldGoals(ratio: Ratio): Goal[] {
  const bounds = [
    [", ordinary", COLD.asyncio, 0.92, ["cold ordinary"]],
    [", `-I -S`", COLD.asyncio, 0.85, ["cold isolated"]],
    [" (ordinary, `-I -S`)", COLD.make, 1.15, ["cold ordinary", "cold isolated"]],
  ] as const;
  const goalsFor = (name: string, before = ""): Goal[] =>
    bounds.map(([workers, peer, must, groups]) => ({
      what: `${before}24 cold workers${workers}: ${nameOf(name)} over ${nameOf(peer)}`,
      sense: "at most",
      must,
      values: groups.map((group) => ratio(group, name, peer)),
    }));
  return [
    ...goalsFor(COLD.skein).map((goal) => ({ ...goal, why: SHARE_OF_START })),
    ...goalsFor(COLD.bare, "For comparison, "),
  ];
}

function commandGoals(evidence: Evidence): Goal[] {
  const ratio: Ratio = (group, over, under) => evidence.ms(group, over) / evidence.ms(group, under);
  const above = (name: string) => evidence.ms("start", name) - evidence.ms("start", START.empty);
  const start = (name: string) => ratio("start", name, START.empty);
  return [
    {
      what: "1,000 short processes: `skein run` over `make -j8`",
      sense: "at most",
      must: 2.5,
      aim: 1.5,
      why:
        "each process of Skein has a session of its own, which is searched at its end, a lease, streams, a published output and events on the disk; `make` writes nothing.",
      values: [ratio("short", SHORT.skein, SHORT.make)],
    },
    {
      what: "1,000 short processes: GNU parallel over `skein run`",
      sense: "at least",
      must: 2,
      values: [ratio("short", SHORT.parallel, SHORT.skein)],
    },
    ...coldGoals(ratio),
    {
      what: "8 trees: `skein stop` over the bare script and watcher",
      sense: "at most",
      must: 2,
      values: [ratio("stop", STOP.skein, STOP.bare)],
    },
    {
      what: "`skein version`, `skein status`: above an empty file",
      sense: "at most",
      must: 10,
      unit: " ms",
      values: [above(START.version), above(START.status)],
      why: SLOW_START,
    },
    {
      what: "`skein version`, `skein status`: over an empty file",
      sense: "at most",
      must: 1.45,
      values: [start(START.version), start(START.status)],
    },
    {
      what: "A run's first process: above an empty file",
      sense: "at most",
      must: 45,
      unit: " ms",
      values: [above(START.spawn)],
      why: SLOW_START,
    },
    {
      what: "For comparison, the first process of a bare Deno script: above an empty file",
      sense: "at most",
      must: 45,
      unit: " ms",
      values: [above(START.bare)],
    },
    {
      what: "A run's first process: over an empty file",
      sense: "at most",
      must: 3.05,
      values: [start(START.spawn)],
    },
    {
      what: "The check at an admission, behind a fence",
      sense: "at most",
      must: 2,
      unit: " µs",
      why:
        "it is one read at the end of a file, most of it the system call, which is dear on this machine.",
      values: [evidence.ms("parts", "check") * 1000],
    },
    {
      what: "Functions behind the fence: the last admission after a stop",
      sense: "at most",
      must: 50,
      unit: " ms",
      values: [evidence.number(LATE)],
    },
  ];
}
