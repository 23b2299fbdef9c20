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
import { bytesOf, type Column, figure, groupTable } from "./tables.ts";
import { PEERS_CONFIG } from "./tools.ts";
import { Witnessed } from "./witness.ts";

/** The names that the goals ask for. */
export const NAMES = {
  skein: "Skein",
  listed: "Skein, its list of tasks read",
  made: "Skein, its graph made each time",
  texts: "Skein, functions that return a text",
  floor: "floor",
  promises: "promise graph",
  queue: "asyncio, a queue",
  nowait: "asyncio, a queue with `get_nowait`",
  deque: "asyncio, a deque",
  tasks: "asyncio, a Task a node",
  langGraph: "LangGraph.js",
} as const;

/** The numbers of tasks. */
export const COUNTS = [100, 1_000, 10_000, 100_000, 1_000_000] as const;

/** The numbers of tasks of a first run. */
const FIRST_COUNTS = [100, 1_000, 10_000];
/** Who takes part in the first runs. */
const FIRST_NAMES: readonly string[] = [
  NAMES.skein,
  NAMES.texts,
  NAMES.floor,
  NAMES.promises,
  NAMES.queue,
];

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
    own(NAMES.made, "made", 1_000_000),
    own(NAMES.texts, "texts", 100_000),
    own(NAMES.floor, "floor", 1_000_000),
    own(NAMES.promises, "promises", 100_000),
    ...python(NAMES.queue, "queue"),
    ...python(NAMES.nowait, "nowait"),
    ...python(NAMES.deque, "deque"),
    ...python(NAMES.tasks, "tasks"),
    { ...npm(NAMES.langGraph, 1_000), slow: true },
    npm("p-graph", 100_000),
    npm("p-queue", 100_000),
    { ...npm("async.auto", 1_000), slow: true },
  ];
}

async function measure(ground: Ground): Promise<Findings> {
  const all = entrants(ground.tools.paths);
  const sizes = (counts: readonly number[]) =>
    counts.filter((count) => !ground.small || count <= SMALL);
  const groups: Group[] = [];
  const lines = [TEXT, "### A first run", FIRST_TEXT];
  for (const count of sizes(FIRST_COUNTS)) {
    say(`  a first run, ${count} tasks`);
    const group = await interleave(
      `memory first ${count}`,
      NAMES.skein,
      all.filter(({ name }) => FIRST_NAMES.includes(name))
        .map((entrant) => firstContender(entrant, count)),
      ground.samples,
    );
    groups.push(group);
    lines.push(...tableOf(group, count));
  }
  await using stack = new AsyncDisposableStack();
  const workers = all.map((entrant) => {
    const worker = stack.use(new LineWorker(entrant.argv, plainEnv()));
    return { entrant, worker, witnessed: new Witnessed() };
  });
  for (const shape of SHAPES) {
    lines.push(`### ${shape}`);
    for (const count of sizes(COUNTS)) {
      say(`  ${shape}, ${count} tasks`);
      const able = workers.filter(({ entrant }) => entrant.most >= count);
      const group = await interleave(
        memoryGroup(shape, count),
        NAMES.skein,
        able.map((running) => contenderOf(running, shape, count)),
        ground.samples,
      );
      groups.push(group);
      lines.push(...tableOf(group, count, [["bytes a task", bytesOf]]));
    }
  }
  return { text: lines.join("\n\n"), groups };
}

function tableOf(group: Group, count: number, further: readonly Column[] = []): string[] {
  const each: Column = ["µs a task", (_, ms) => figure(ms * 1000 / count)];
  const title = `${count.toLocaleString("en")} tasks`;
  return [title, groupTable(group, [each, ...further]), ...sharedText(group)];
}

/** What is said of samples whose core was shared. */
function sharedText({ series }: Group): string[] {
  const leftOut = series.reduce((sum, each) => sum + each.leftOut, 0);
  const kept = series.flatMap(({ samples }) => samples.filter(({ isShared }) => isShared)).length;
  if (leftOut + kept === 0) return [];
  return [`Of a shared core: ${leftOut} samples left out, ${kept} that had to count.`];
}

/** A process of its own for each sample, whose first run is timed. */
function firstContender(entrant: Entrant, count: number): Contender {
  return {
    name: entrant.name,
    async sample() {
      await using worker = new LineWorker(entrant.argv, plainEnv());
      const graph = graphOf(entrant, "independent", count);
      const { ms } = await worker.ask({ ...graph, first: true });
      return { ms: Number(ms) };
    },
  };
}

/** One who takes part, in the process that it has for all graphs. */
interface Running {
  readonly entrant: Entrant;
  readonly worker: LineWorker;
  readonly witnessed: Witnessed;
}

function contenderOf(
  { entrant, worker, witnessed }: Running,
  shape: Shape,
  count: number,
): Contender {
  const inner = entrant.slow === true ? 1 : Math.max(1, SAMPLE_TASKS / count);
  let prepared = false;
  return {
    name: entrant.name,
    async sample() {
      if (!prepared) await worker.ask(graphOf(entrant, shape, count));
      prepared = true;
      const memory = entrant.own && count >= LARGE;
      const { ms, bytes, witnessMs } = await worker.ask({ inner, memory });
      const isShared = witnessed.isShared(witnessMs);
      return { ms: Number(ms), bytes: typeof bytes === "number" ? bytes : null, isShared };
    },
  };
}

function graphOf({ own }: Entrant, shape: Shape, count: number) {
  if (own) return { shape, count };
  const needs = Array.from({ length: count }, (_, index) => needsOf(shape, index, count));
  return { needs, workers: WORKERS };
}

const TEXT = `
Bookkeeping in memory, not the cost of a real run: a task does nothing. Every candidate is given the same tasks with the same needs in the form that it takes, and what is timed is one whole run of that. What is known of a graph before a run is made once, outside of the time, for all of them: Skein's manifest is decoded, which compiles its graph, the floor is given the same compiled graph, asyncio and p-queue have counted how many needs each task has and listed who waits for it (each run copies the counts), the promise graph has lists of needs, LangGraph.js a compiled graph, p-graph a constructed one, async.auto its object of tasks. Where the candidate has a bound, ${WORKERS} tasks run at the same time; the promise graph has none. Every candidate must show that every task ran: Skein by the counts of its report, the floor by its records, asyncio by counting what it has awaited (and once, untimed, by tasks that count themselves), the others by a counter in the task.

Skein makes each lease, checks it before the execution and at the completion, keeps each result and makes the report. Of a task that succeeds at once and publishes nothing it keeps only the time; the report's list of tasks is made of that when it is first read, which the second row includes. In the row "its graph made each time" each run is given a manifest whose array of tasks is a new copy, so that the copy and the compiling of the graph are in the time. In the row "functions that return a text" each task is a \`functionExecutor\` of a function that returns one character, which is kept as its output; in the others it is an executor that answers with an outcome and publishes nothing.

The floor is a straightforward scheduler of leases, written as what this benchmark compares with (\`bench/floor.ts\`: an indegree array, adjacency arrays, a ring buffer, ${WORKERS} slots, an awaited executor, a lease made and checked twice, a result record with two clock reads, no report). It is no lower bound: Skein can be below it, because of a plain task it keeps 4 bytes and not an object, reads the clock once a millisecond and uses its arrays again.

p-queue and the first three forms of asyncio count the needs that are missing, as Skein does. \`a queue\` is asyncio's bounded form as it is meant to be used, an asyncio.Queue with ${WORKERS} workers that await it, and the one that the goals were set against; with \`get_nowait\` the await is spared where something is ready; \`a deque\` is the same written by hand, with a deque and a future for each idle worker in the place of asyncio.Queue. Both of them are faster in many cells: the goals have a row for the fastest form too. asyncio's usual form is one Task a node that awaits its needs and then a semaphore.

Each candidate has a process of its own, which is warm: it runs each new graph for 0.5 s before the first sample. A sample is the mean of as many runs as make ${
  SAMPLE_TASKS.toLocaleString("en")
} tasks (LangGraph.js and async.auto: one), one run above; a collection of garbage is forced before each, and the graph runs for 0.1 s untimed after it (0.5 s from 100,000 tasks on), at least once: between two runs nothing of Skein is alive, and V8 throws away what it has compiled for objects of which none is left, which no collection in the middle of a run does.

The cores of a virtual machine may be shared with neighbours, for minutes or for tenths of a second. Meanwhile code that does much at once takes far longer, and no counter inside of the machine shows it. So just before and just after each sample the same process times a witness, the best of five tries: additions of which eight can be done at once (\`bench/peers/witness.ts\`), in Python a loop of additions. A sample whose witness took more than 1.25 times the fastest one of that process does not count, whoever took it, and is taken again in a later round, as long as there are not twice as many rounds; where there were, it has to count. Below each table stands how many there were.

Bytes a task are what is held, after a collection, when one more run has ended, together with its result: for Skein the report, for the floor the records, for the promise graph nothing. What Skein keeps of a graph between runs (the compiled graph, a map of ids, working arrays), as long as the manifest lives, was there before and is not in them, but where the graph is made each time it is, with 8 bytes for the copy of the list, because the report holds on to that run's manifest.

LangGraph.js and async.auto take part up to 1,000 tasks: LangGraph.js is linear but slow, the time of async.auto grows with the square. 1,000,000 are for Skein and the floor only, without the row of the functions that return a text.
`.trim();

const FIRST_TEXT = `
What a short program sees, rather than the tables below it: nothing is warm. Each sample is a process of its own. It is started, the graph of independent tasks is sent and made ready, and the first run ever in that process is timed, without a warm-up or a collection before it; the start of the process is not in it. V8 interprets at first and compiles on the way. What is known of the graph before a run was made before, as in the tables below: the decoder of Skein keeps the graph that it has checked.
`.trim();
