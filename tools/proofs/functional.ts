/**
 * The functional proof: whatever starts Skein runs a fan-out, stops a run, refuses the next, lets work start again at
 * a higher epoch, and refuses a manifest that is not whole. What happened is told by traces that the tasks leave, and
 * not by Skein's answers alone.
 *
 * @module
 */
import { demand, demandCode, demandJson, type Going, type Start } from "./start.ts";
import { BEAT_MS, LIVE, startTimeOf, taskArgv, type Trace } from "./task.ts";

const STOPPED = 4;
const REFUSED = 1;
/** How long the trees of the run that is stopped may take to beat. */
const ALIVE_MS = 60_000;
/** How long a stopped run may take to end. */
const END_MS = 15_000;
/** Beats that a heart must miss before it counts as frozen. */
const FROZEN_PERIODS = 15;
const POLL_MS = 10;
const REMOVAL_TRIES = 50;

/** What the tasks of the fan-out must have written, each pass after its input. */
const OUTPUTS: Readonly<Record<string, string>> = {
  seed: "seed.1\n",
  left: "seed.1\nleft.1\nleft.2\n",
  middle: "seed.1\nmiddle.1\nmiddle.2\n",
  right: "seed.1\nright.1\nright.2\n",
  join: "seed.1\nmiddle.1\nmiddle.2\njoin.1\n",
};
const BRANCHES = ["left", "middle", "right"];
const STARTS = ["seed.1", "join.1", ...BRANCHES.flatMap((name) => [`${name}.1`, `${name}.2`])];
const TREES = ["first", "second"];

/** A part of the proof, by what it proves. */
export type Part = readonly [what: string, part: (scene: Scene) => Promise<void>];

/** The parts, in their order. */
export const PARTS: readonly Part[] = [
  ["it is whole: its version, its schema", beWhole],
  ["a fan-out succeeds", fanOut],
  ["a run is stopped, and nothing of it is left", stopRun],
  ["the next run is refused with 4, and starts nothing", refuseNext],
  ["a reset lets work start again", reset],
  ["the next run succeeds, at a higher epoch", runAgain],
  ["a worker executes a queued run", work],
  ["a bad manifest is refused, and starts nothing", refuseBad],
];

/** Proves it part by part; `say` is told of each. Throws a {@linkcode Refutation} at the first that does not hold. */
export async function proveFunctions(
  start: Start,
  say: (what: string) => void,
  parts: readonly Part[] = PARTS,
): Promise<void> {
  const scene = new Scene(start);
  try {
    for (const [what, part] of parts) {
      await part(scene);
      say(what);
    }
  } finally {
    await scene.end();
  }
}

/** A folder with the manifests and the traces, and the epoch that is expected. */
export class Scene {
  /** What starts Skein. */
  readonly start: Start;
  /** Where everything is. */
  readonly folder: string = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "skein-proof-" }));
  /** The epoch of what is started next. */
  epoch = 1;
  #going: Going | null = null;
  readonly #known = new Set<string>();

  /** Makes the folder. */
  constructor(start: Start) {
    this.start = start;
    for (const name of ["traces", "beats"]) Deno.mkdirSync(`${this.folder}/${name}`);
    Deno.writeTextFileSync(`${this.folder}/${LIVE}`, "");
    this.#write("fan-out", { blocks: this.#saying(), tasks: fanOutTasks() });
    this.#write("trees", {
      blocks: Object.fromEntries(TREES.map((id) => [id, this.#block("beat", id)])),
      tasks: TREES.map((id) => ({ id, block: id })),
    });
    const seed = this.#block("say", "seed");
    this.#write("bad", {
      blocks: { seed: { ...seed, retrys: 3 } },
      tasks: [{ id: "a", block: "seed", needs: ["b"] }, { id: "b", block: "seed", needs: ["a"] }],
    });
  }

  /** The words of a command on this scene's state directory. */
  words(command: string, ...args: string[]): string[] {
    return [command, ...args, "--state", `${this.folder}/state`, "--json"];
  }

  /** The path of a manifest. */
  manifest(name: string): string {
    return `${this.folder}/${name}.json`;
  }

  /** Starts a run that is ended with the scene at the latest. */
  begin(...words: string[]): Going {
    return this.#going = this.start.begin(words);
  }

  /** The processes that were started since the last time this was asked. */
  newTraces(): Trace[] {
    const found = filesIn(`${this.folder}/traces`).filter(({ name }) => !this.#known.has(name));
    for (const { name } of found) this.#known.add(name);
    return found.map(({ path }) => JSON.parse(readText(path)));
  }

  /** How often each heart has beaten. */
  beats(): Record<string, number> {
    const beats = filesIn(`${this.folder}/beats`)
      .map(({ name, path }) => [name, Number(readText(path))]);
    return Object.fromEntries(beats);
  }

  /** Ends what was started, also where Skein did not, and removes the folder. */
  async end(): Promise<void> {
    this.#going?.kill();
    await this.#going?.answer;
    Deno.removeSync(`${this.folder}/${LIVE}`);
    for (let tries = 1;; tries++) {
      await pause(BEAT_MS * 2);
      try {
        return Deno.removeSync(this.folder, { recursive: true });
      } catch (error) {
        // What is ending may still be in it.
        if (tries === REMOVAL_TRIES) throw error;
      }
    }
  }

  #saying(): Record<string, unknown> {
    return Object.fromEntries(
      Object.keys(OUTPUTS).map((id) => [id, {
        ...this.#block("say", id),
        passes: BRANCHES.includes(id) ? 2 : 1,
      }]),
    );
  }

  #block(role: "say" | "beat", id: string): Record<string, unknown> {
    return { argv: taskArgv(role, this.folder, id), timeoutMs: ALIVE_MS * 2 };
  }

  #write(name: string, manifest: Record<string, unknown>): void {
    const whole = { version: 1, name, workers: 3, inheritEnv: ["DENO_*"], ...manifest };
    Deno.writeTextFileSync(this.manifest(name), JSON.stringify(whole));
  }
}

function fanOutTasks(): Record<string, unknown>[] {
  return [
    { id: "seed", block: "seed" },
    ...BRANCHES.map((id) => ({ id, block: id, needs: ["seed"], stdinFrom: "seed" })),
    { id: "join", block: "join", needs: BRANCHES, stdinFrom: "middle" },
  ];
}

/** Loads what a run does not: the configuration and the packages. */
async function beWhole({ start }: Scene): Promise<void> {
  const version = await start.run(["version", "--json"]);
  demandCode("The version", version, 0);
  const { skein } = demandJson("The version", version);
  demand(typeof skein === "string", `The version is ${shown(skein)}`);
  const schema = await start.run(["schema"]);
  demandCode("The schema", schema, 0);
  const { properties } = demandJson("The schema", schema);
  demand(shown(properties).includes('"tasks"'), "The schema knows no tasks");
}

/** Runs the fan-out, and compares every output and every process with what the manifest asks for. */
async function fanOut(scene: Scene): Promise<void> {
  const answer = await scene.start.run(
    scene.words("run", scene.manifest("fan-out"), "--include-tasks"),
  );
  demandCode("The run", answer, 0);
  const report = demandJson("The run", answer);
  demand(report.status === "succeeded", `The run's status is ${shown(report.status)}`);
  demand(
    report.epoch === scene.epoch,
    `The run's epoch is ${shown(report.epoch)} where ${scene.epoch} was expected`,
  );
  const tasks = Array.isArray(report.tasks) ? report.tasks : [];
  for (const [id, expected] of Object.entries(OUTPUTS)) {
    const output = tasks.find((task) => task.id === id)?.output;
    demand(typeof output === "string", `The report names no output of task "${id}"`);
    const text = readText(`${report.folder}/${output}`);
    demand(text === expected, `The output of task "${id}" is ${shown(text)}`);
  }
  demandStarts(scene);
}

/** Demands that each pass of the fan-out was started once, under the epoch that is expected. */
function demandStarts(scene: Scene): void {
  const traces = scene.newTraces();
  const started = traces.map(({ task }) => task).sort();
  demand(shown(started) === shown(STARTS.toSorted()), `These passes ran: ${started.join(", ")}`);
  const epochs = new Set(traces.map(({ epoch }) => epoch));
  demand(
    epochs.size === 1 && epochs.has(String(scene.epoch)),
    `The processes ran under epoch ${[...epochs].join(", ")} where ${scene.epoch} was expected`,
  );
}

/** Stops two trees of a parent and a child, and looks itself whether all four are gone. */
async function stopRun(scene: Scene): Promise<void> {
  const going = scene.begin(...scene.words("run", scene.manifest("trees")));
  await until(
    "the two trees beat",
    () => Object.values(scene.beats()).filter((beat) => beat > 1).length === TREES.length * 2,
    going,
  );
  const answer = await scene.start.run(scene.words("stop", "--reason", "the functional proof"));
  demandCode("The stop", answer, 0);
  const stop = demandJson("The stop", answer);
  demand(stop.stopped === true, `The stop answers stopped: ${shown(stop.stopped)}`);
  demand(stop.proven === true, `The stop answers proven: ${shown(stop.proven)}`);
  demand(stop.survivors === 0, `The stop answers survivors: ${shown(stop.survivors)}`);
  demand(stop.epoch === ++scene.epoch, `The stop answers epoch: ${shown(stop.epoch)}`);
  const beats = shown(scene.beats());
  const alive = scene.newTraces().filter(isThere);
  demand(alive.length === 0, `The stop left alive: ${alive.map(({ pid }) => pid).join(", ")}`);
  await pause(BEAT_MS * FROZEN_PERIODS);
  demand(shown(scene.beats()) === beats, "A heart still beats after the stop");
  const run = await Promise.race([going.answer, pause(END_MS)]);
  demand(run !== undefined, `The run has not ended ${END_MS} ms after the stop`);
  demandCode("The run that was stopped", run, STOPPED);
  const report = demandJson("The run that was stopped", run);
  demand(report.status === "stopped", `The stopped run's status is ${shown(report.status)}`);
  const published = filesIn(`${report.folder}/output`);
  demand(published.length === 0, "The stopped run has published an output");
  await demandStatus(scene, STOPPED_NOW);
}

async function refuseNext(scene: Scene): Promise<void> {
  const answer = await scene.start.run(scene.words("run", scene.manifest("fan-out")));
  demandCode("A run of a stopped swarm", answer, STOPPED);
  demand(scene.newTraces().length === 0, "A run of a stopped swarm has started a process");
}

async function reset(scene: Scene): Promise<void> {
  demandCode("The reset", await scene.start.run(scene.words("reset")), 0);
  await demandStatus(scene, OPEN_NOW);
}

/** The epoch that the stop has raised is the one that the next run's processes must see. */
async function runAgain(scene: Scene): Promise<void> {
  demand(scene.epoch > 1, "The stop has not raised the epoch");
  await fanOut(scene);
}

/** Submits the fan-out, and lets a worker take it. */
async function work(scene: Scene): Promise<void> {
  const submitted = await scene.start.run(scene.words("submit", scene.manifest("fan-out")));
  demandCode("The submission", submitted, 0);
  const { runId } = demandJson("The submission", submitted);
  demandCode("The worker", await scene.start.run(scene.words("work", "--until-idle")), 0);
  const answer = await scene.start.run(scene.words("show", String(runId)));
  demandCode("The queued run", answer, 0);
  const { status } = demandJson("The queued run", answer);
  demand(status === "succeeded", `The queued run's status is ${shown(status)}`);
  demandStarts(scene);
}

async function refuseBad(scene: Scene): Promise<void> {
  const answer = await scene.start.run(scene.words("run", scene.manifest("bad")));
  demandCode("A run of a bad manifest", answer, REFUSED);
  demand(scene.newTraces().length === 0, "A run of a bad manifest has started a process");
  const talk = `${answer.stdout}${answer.stderr}`;
  demand(talk.includes("retrys"), `The refusal does not name the unknown key: ${talk}`);
}

const STOPPED_NOW = true;
const OPEN_NOW = false;

async function demandStatus(scene: Scene, stopped: boolean): Promise<void> {
  const answer = await scene.start.run(scene.words("status"));
  demandCode("The status", answer, 0);
  const status = demandJson("The status", answer);
  demand(
    status.stopped === stopped && status.epoch === scene.epoch,
    `The status says stopped: ${shown(status.stopped)}, epoch: ${shown(status.epoch)}`,
  );
}

/** Waits for what a run that goes on does. */
async function until(what: string, holds: () => boolean, going: Going): Promise<void> {
  let ended: string | null = null;
  going.answer.then(({ code, stderr }) => ended = `exit code ${code}: ${stderr.trim()}`);
  for (const deadline = performance.now() + ALIVE_MS; !holds();) {
    demand(ended === null, `The run ended before ${what}, ${ended}`);
    demand(performance.now() < deadline, `Waited ${ALIVE_MS} ms in vain until ${what}`);
    await pause(POLL_MS);
  }
}

/** Whether the very process is alive; on Windows nobody is asked, and the hearts tell. */
function isThere({ pid, startTime }: Trace): boolean {
  if (Deno.build.os === "linux") return startTimeOf(pid) === startTime;
  if (Deno.build.os === "windows") return false;
  try {
    Deno.kill(pid, 0 as unknown as Deno.Signal);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

function filesIn(folder: string): { name: string; path: string }[] {
  try {
    return Array.from(Deno.readDirSync(folder), ({ name }) => ({
      name,
      path: `${folder}/${name}`,
    }));
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return [];
    throw error;
  }
}

function readText(path: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return "";
    throw error;
  }
}

function shown(value: unknown): string {
  return JSON.stringify(value) ?? "nothing";
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
