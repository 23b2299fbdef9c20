/**
 * In memory: the same graphs, run by everything that can be had here, each in a process of its own that is asked for
 * one sample at a time.
 *
 * @module
 */
import { needsOf, type Shape, SHAPES, WORKERS } from "../graphs.ts";
import { plainEnv } from "./commands.ts";
import { CONFIG, DENO_RUN, type Findings, type Ground, HERE, type Section } from "./ground.ts";
import { say } from "./ground.ts";
import { LineWorker } from "./lines.ts";
import { type Contender, type Group, interleave } from "./samples.ts";
import { bytesOf, figure, groupTable } from "./tables.ts";
import { PEERS_CONFIG } from "./tools.ts";

/** The names that the goals ask for. */
export const NAMES = {
  skein: "Skein",
  listed: "Skein, its list of tasks read",
  floor: "floor",
  queue: "asyncio, a queue",
  nowait: "asyncio, a queue with `get_nowait`",
  deque: "asyncio, a deque",
  langGraph: "LangGraph.js",
} as const;

/** The numbers of tasks. */
export const COUNTS = [100, 1_000, 10_000, 100_000, 1_000_000] as const;

/** What a group is called. */
export function memoryGroup(shape: Shape, count: number): string {
  return `memory ${shape} ${count}`;
}

/** The section. */
export const memory: Section = { name: "memory", title: "In memory", measure };

/** One who takes part. */
interface Entrant {
  readonly name: string;
  readonly argv: readonly string[];
  /** The largest graph that it is given. */
  readonly most: number;
  /** Whether it makes the graph from the shape; the others are sent the needs of each task. */
  readonly own: boolean;
  /** Whether one graph is long enough for a sample, however small. */
  readonly slow?: boolean;
}

const SMALL = 1_000;
/** Below, what is held is lost in what the engine itself holds and lets go. */
const LARGE = 10_000;
/** Tasks of a sample, at least: a shorter one would time the clock and the caches. */
const SAMPLE_TASKS = 20_000;

function entrants({ python3 }: Ground["tools"]["paths"]): Entrant[] {
  const run = [...DENO_RUN, "--v8-flags=--expose-gc", "--config"];
  const own = (name: string, word: string, most: number) => {
    return { name, argv: [...run, CONFIG, `${HERE}memory_own.ts`, word], most, own: true };
  };
  const npm = (name: string, most: number) => {
    return { name, argv: [...run, PEERS_CONFIG, `${HERE}memory_npm.ts`, name], most, own: false };
  };
  const python = (name: string, word: string) => {
    const argv = [python3 ?? "", `${HERE}memory_asyncio.py`, word];
    return python3 === undefined ? [] : [{ name, argv, most: 100_000, own: false }];
  };
  return [
    own(NAMES.skein, "skein", 1_000_000),
    own(NAMES.listed, "listed", 1_000_000),
    own(NAMES.floor, "floor", 1_000_000),
    own("promise graph", "promises", 100_000),
    ...python(NAMES.queue, "queue"),
    ...python(NAMES.nowait, "nowait"),
    ...python(NAMES.deque, "deque"),
    ...python("asyncio, a Task a node", "tasks"),
    { ...npm(NAMES.langGraph, 1_000), slow: true },
    npm("p-graph", 100_000),
    npm("p-queue", 100_000),
    { ...npm("async.auto", 1_000), slow: true },
  ];
}

async function measure(ground: Ground): Promise<Findings> {
  await using stack = new AsyncDisposableStack();
  const workers = entrants(ground.tools.paths).map((entrant) => {
    return { entrant, worker: stack.use(new LineWorker(entrant.argv, plainEnv())) };
  });
  const groups: Group[] = [];
  const lines = [TEXT];
  for (const shape of SHAPES) {
    lines.push(`### ${shape}`);
    for (const count of COUNTS.filter((each) => !ground.small || each <= SMALL)) {
      say(`  ${shape}, ${count} tasks`);
      const able = workers.filter(({ entrant }) => entrant.most >= count);
      const group = await interleave(
        memoryGroup(shape, count),
        NAMES.skein,
        able.map(({ entrant, worker }) => contenderOf(entrant, worker, shape, count)),
        ground.samples,
      );
      groups.push(group);
      lines.push(
        `${count.toLocaleString("en")} tasks`,
        groupTable(group, [
          ["µs a task", (_, ms) => figure(ms * 1000 / count)],
          ["bytes a task", bytesOf],
        ]),
      );
    }
  }
  return { text: lines.join("\n\n"), groups };
}

function contenderOf(entrant: Entrant, worker: LineWorker, shape: Shape, count: number): Contender {
  const inner = entrant.slow === true ? 1 : Math.max(1, SAMPLE_TASKS / count);
  let prepared = false;
  return {
    name: entrant.name,
    async sample() {
      if (!prepared) await worker.ask(graphOf(entrant, shape, count));
      prepared = true;
      const memory = entrant.own && count >= LARGE;
      const { ms, bytes } = await worker.ask({ inner, memory });
      return { ms: Number(ms), bytes: typeof bytes === "number" ? bytes : null };
    },
  };
}

function graphOf({ own }: Entrant, shape: Shape, count: number) {
  if (own) return { shape, count };
  const needs = Array.from({ length: count }, (_, index) => needsOf(shape, index, count));
  return { needs, workers: WORKERS };
}

const TEXT = `
Bookkeeping in memory, not the cost of a real run: a task does nothing. Every candidate is given the same tasks with the same needs in the form that it takes (Skein a decoded manifest; asyncio, p-queue, the promise graph and the floor lists of needs; LangGraph.js a graph that is compiled already, p-graph one that is constructed already, async.auto its object of tasks), and what is timed is one whole run of that. Where the candidate has a bound, ${WORKERS} tasks run at the same time; the promise graph has none.

Skein makes each lease, checks it before the execution and at the completion, keeps each result and makes the report. Of a task that succeeds at once and publishes nothing it keeps only the time; the report's list of tasks is made of that when it is first read, which the second row includes. The floor is the least that a scheduler of leases can do (\`bench/floor.ts\`: an indegree array, adjacency arrays, a ring buffer, ${WORKERS} slots, an awaited executor, a lease made and checked twice, a result record with two clock reads, no report). p-queue and the first three forms of asyncio count the needs that are missing, as Skein does. \`a queue\` is asyncio's best bounded form as it is meant to be used, an asyncio.Queue with ${WORKERS} workers that await it; with \`get_nowait\` the await is spared where something is ready; \`a deque\` is the same written by hand, with a deque and a future for each idle worker in the place of asyncio.Queue; its usual form is one Task a node that awaits its needs and then a semaphore.

Each candidate has a process of its own, which is warm: it runs each new graph for 0.5 s before the first sample. A sample is the mean of as many runs as make ${
  SAMPLE_TASKS.toLocaleString("en")
} tasks (LangGraph.js and async.auto: one), one run above; a collection of garbage is forced before each, and the graph runs for 0.1 s untimed after it (0.5 s from 100,000 tasks on), at least once: between two runs nothing of Skein is alive, and V8 throws away what it has compiled for objects of which none is left, which no collection in the middle of a run does. Bytes a task are what is held, after a collection, when one more run has ended, together with its result: for Skein the report, for the floor the records, for the promise graph nothing. LangGraph.js and async.auto take part up to 1,000 tasks, because their time grows with the square; 1,000,000 are for Skein and the floor only.
`.trim();
