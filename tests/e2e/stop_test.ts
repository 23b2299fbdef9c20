import { assert, assertEquals } from "@std/assert";
import { eventually, LONG } from "../support/cli.ts";
import { needing } from "../support/capability.ts";
import { sha256 } from "../support/digest.ts";
import { report } from "../support/figures.ts";
import { HAS_PROC, isAlive, readLedger, SIGN_LEDGER } from "../support/processes.ts";
import { exists, manifestOf, namesIn, Swarm } from "../support/swarm.ts";

const TASKS = 200;
const OUTPUT_BYTES = 1_048_576;
const ROUNDS = LONG ? 50 : 3;
/** How many rounds must have been stopped midway for the test to say anything. */
const MIDWAY = LONG ? 40 : 1;
/** The most outputs that a round waits for. */
const LATEST = LONG ? TASKS : 60;
/** How long nothing may appear after a stop has returned. */
const WATCH_MS = LONG ? 2000 : 500;

/** The output of a task: its id and a newline, over and over. */
async function digestOf(id: string): Promise<string> {
  const line = `${id}\n`;
  const text = line.repeat(Math.ceil(OUTPUT_BYTES / line.length)).slice(0, OUTPUT_BYTES);
  return await sha256(new TextEncoder().encode(text));
}

/** Waits until so many outputs are there, or the run has ended. */
async function published(folder: () => string, count: number, over: () => boolean): Promise<void> {
  await eventually("outputs appear", () => over() || namesIn(folder()).length >= count, 120_000);
}

/** What one round saw. */
interface Round {
  /** Outputs when the stop was asked for. */
  readonly before: number;
  /** Outputs when it had answered. */
  readonly after: number;
  /** The run's exit code. */
  readonly code: number;
}

/** Runs, stops when a number of outputs is there, and watches the folder on. */
async function round(swarm: Swarm, epoch: number, stopAt: number): Promise<Round> {
  const known = swarm.runIds().length;
  const running = swarm.start(["run", "swarm.json", "--quiet"]);
  let over = false;
  running.result.then(() => over = true);
  await eventually("the run has begun", () => over || swarm.runIds().length > known);
  const folder = swarm.inRun("output");
  await published(() => folder, stopAt, () => over);
  const before = namesIn(folder).length;
  const stop = await swarm.skein(["stop", "--reason", `at ${stopAt}`]);
  const there = namesIn(folder).sort();
  const answer = JSON.parse(stop.stdout);
  assertEquals([stop.code, answer.proven, answer.epoch, answer.survivors], [0, true, epoch, 0]);
  await assertStill(folder, there);
  const { code } = await running.result;
  await assertWhole(folder, there);
  assertEquals(namesIn(folder).sort(), there, "nothing appeared when the run ended");
  return { before, after: there.length, code };
}

/** Nothing appears in a folder, and nothing goes, for a while. */
async function assertStill(folder: string, there: readonly string[]): Promise<void> {
  const end = performance.now() + WATCH_MS;
  while (performance.now() < end) {
    assertEquals(namesIn(folder).sort(), there, "the outputs stand still once stop has returned");
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

const digests = new Map<string, string>();

/** Every output that is there is complete. */
async function assertWhole(folder: string, names: readonly string[]): Promise<void> {
  for (const name of names) {
    const bytes = Deno.readFileSync(`${folder}/${name}`);
    const expected = digests.get(name) ?? await digestOf(name);
    digests.set(name, expected);
    assertEquals(await sha256(bytes), expected, `output "${name}" has ${bytes.length} bytes`);
  }
}

Deno.test(`skein stop leaves whole outputs or none, and none comes later, in ${ROUNDS} rounds (G3, G4, G5)`, async () => {
  await using swarm = new Swarm();
  const ids = Array.from({ length: TASKS }, (_, index) => `task-${index}`);
  const sh = `yes "$SKEIN_TASK_ID" | head -c ${OUTPUT_BYTES}`;
  const blocks = { write: { argv: ["sh", "-c", sh] } };
  const tasks = ids.map((id) => ({ id, block: "write" }));
  swarm.write("swarm.json", JSON.stringify({ version: 1, workers: 4, blocks, tasks }));
  const counts: string[] = [];
  let midway = 0;
  // Outputs that appear between the asking and the latch, as seen so far: the stop is asked for that much earlier.
  let overshoot = 60;
  for (let epoch = 2; epoch < 2 + ROUNDS; epoch++) {
    const latest = Math.max(1, Math.min(LATEST, TASKS - 1 - Math.ceil(1.5 * overshoot)));
    const { before, after, code } = await round(
      swarm,
      epoch,
      1 + Math.floor(Math.random() * latest),
    );
    overshoot = Math.max((overshoot + after - before) / 2, after - before);
    counts.push(`${before}→${after}`);
    if (after < TASKS) {
      if (after > 0) midway++;
      assertEquals(code, 4);
      const { status, counts } = swarm.report();
      assertEquals([status, counts.succeeded, counts.failed], ["stopped", after, 0]);
    }
    assertEquals((await swarm.skein(["run", "swarm.json"])).code, 4, "refused until reset");
    assertEquals(await swarm.json("reset"), { reset: true, stopped: false, epoch });
    Deno.removeSync(swarm.inRun(), { recursive: true });
  }
  report(`${midway} of ${ROUNDS} rounds stopped midway; outputs: ${counts.join(" ")}`);
  assert(midway >= MIDWAY, `only ${midway} rounds were stopped midway`);
});

/** A process with a child, and one in a session of its own that nobody is the parent of any more. */
const TREE = [
  SIGN_LEDGER,
  `sh -c '${SIGN_LEDGER}; sleep 120; :' &`,
  `setsid sh -c '${SIGN_LEDGER}; sleep 120; :' < /dev/null > /dev/null 2>&1 &`,
  "trap '' TERM",
  "sleep 120; :",
].join("\n");
const TREES = 8;

/** Starts a run of trees and waits until all of them have signed. */
async function startTrees(swarm: Swarm) {
  const ledger = swarm.path("ledger");
  const drafts = Array.from({ length: TREES }, (_, index) => [`t${index}`, { sh: TREE }]);
  swarm.manifest(Object.fromEntries(drafts), { workers: TREES, env: [`LEDGER=${ledger}`] });
  const running = swarm.start(["run", "swarm.json"]);
  await eventually("every process has signed", () => readLedger(ledger).length === 3 * TREES);
  const signed = readLedger(ledger);
  assert(signed.every(isAlive), "the ledger can tell who is alive");
  return { running, signed };
}

for (const state of ["alive", "hung", "dead"] as const) {
  Deno.test({
    ...needing(`skein stop leaves no process of any tree when the orchestrator is ${state} (G4)`, {
      "/proc": HAS_PROC,
    }),
    async fn() {
      await using swarm = new Swarm();
      const { running, signed } = await startTrees(swarm);
      if (state === "hung") running.kill("SIGSTOP");
      if (state === "dead") {
        running.kill("SIGKILL");
        await running.result;
        assert(signed.some(isAlive), "trees outlive an orchestrator that is killed");
      }
      const wait = state === "hung" ? ["--wait", "200"] : [];
      const stop = await swarm.json("stop", ...wait);
      const left = signed.filter(isAlive);
      assertEquals([stop.proven, stop.survivors, left], [true, 0, []]);
      const { code } = await running.result;
      assertEquals(code, state === "alive" ? 4 : 137);
      assertEquals((await swarm.skein(["run", "swarm.json"])).code, 4);
      assertEquals((await swarm.json("reset")).epoch, 2);
      report(`orchestrator ${state}: ${signed.length} processes gone, ${stop.elapsedMs} ms`);
    },
  });
}

Deno.test("skein stop ends every run of the swarm at the same time (G1, G4)", async () => {
  await using swarm = new Swarm();
  const file = (name: string) => {
    const drafts = { a: { sh: `echo > '${swarm.path(name)}'; sleep 60` } };
    return swarm.write(`${name}.json`, JSON.stringify(manifestOf(drafts)));
  };
  const names = ["one", "two", "three"];
  const runs = names.map((name) => swarm.start(["run", file(name)]));
  await eventually("all of them run", () => names.every((name) => exists(swarm.path(name))));
  const stop = await swarm.json("stop");
  assertEquals([stop.proven, [...stop.runs as string[]].sort()], [true, swarm.runIds()]);
  for (const run of runs) assertEquals((await run.result).code, 4);
});

Deno.test("skein stop ends nothing that belongs to another swarm (G4)", async () => {
  await using stopped = new Swarm();
  await using other = new Swarm();
  const started = other.path("started");
  other.manifest({ a: { sh: `echo > '${started}'; sleep 1; echo done` } });
  stopped.manifest({ a: {} });
  assertEquals((await stopped.run()).code, 0);
  const running = other.start(["run", "swarm.json"]);
  await eventually("the other swarm runs", () => exists(started));
  assert((await stopped.json("stop")).proven);
  assertEquals((await running.result).code, 0);
  assertEquals(other.read("output", "a"), "done\n");
});
