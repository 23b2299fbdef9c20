/**
 * Ends the real process at a named point, and looks at what is left.
 *
 * @module
 */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { dirname, join, resolve, toFileUrl } from "@std/path";
import { listRuns, resetStop, run, type StopAnswer } from "../../src/engine/mod.ts";
import type { FaultPoint } from "../../src/faults/mod.ts";
import { readFence } from "../../src/fence/mod.ts";
import { loadManifest } from "../../src/manifest/mod.ts";
import { StoppedError } from "../../src/model/mod.ts";
import { CONFIG, eventually, ROOT, startSkein, temporaryFolder } from "../support/cli.ts";

/** How many bytes a quick task writes. */
export const OUTPUT_BYTES = 100_000;

/** What a command line came to. */
export interface Ended {
  /** The signal that ended it, `null` where it ended by itself. */
  readonly signal: string | null;
  /** Its exit code. */
  readonly code: number;
  /** Its standard output. */
  readonly stdout: string;
  /** Its standard error. */
  readonly stderr: string;
}

const TASK = `
mark() { echo "$$ $(cut -d' ' -f22 "/proc/$$/stat")" >> "$LEDGER"; }
mark
case $1 in
  quick) yes "$2" | head -c ${OUTPUT_BYTES} ;;
  slow) setsid sh task.sh child & exec sleep 300 ;;
  child) exec sleep 300 ;;
esac
`;

/** A state directory with two manifests, whose processes note themselves in a ledger. */
export class Site implements Disposable {
  readonly #folder = temporaryFolder();
  readonly #importMap: string;
  readonly #started: Deno.ChildProcess[] = [];
  /** The state directory. */
  readonly state = `${this.#folder.path}/state`;
  /** Three quick tasks beside one that does not end. */
  readonly slow: string;
  /** The quick tasks alone. */
  readonly quick: string;

  /** Makes the folder. */
  constructor() {
    const path = this.#folder.path;
    Deno.writeTextFileSync(`${path}/task.sh`, TASK);
    Deno.writeTextFileSync(this.#ledger, "");
    const quick = ["q1", "q2", "q3"].map((id) => ({ id, block: "quick", args: [id] }));
    this.quick = this.#write("quick.json", quick);
    this.slow = this.#write("slow.json", [{ id: "slow", block: "slow" }, ...quick]);
    this.#importMap = `${path}/import_map.json`;
    Deno.writeTextFileSync(this.#importMap, JSON.stringify({ imports: swappedImports() }));
  }

  /** Runs a command line to its end. */
  async skein(args: readonly string[], fault = ""): Promise<Ended> {
    const { code, signal, stdout, stderr } = await this.start(args, fault).output();
    const decoder = new TextDecoder();
    return { code, signal, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
  }

  /** Starts a command line. */
  start(args: readonly string[], fault = ""): Deno.ChildProcess {
    const child = startSkein(args, {
      env: { SKEIN_STATE: this.state, SKEIN_FAULT: fault },
      importMap: this.#importMap,
    });
    this.#started.push(child);
    return child;
  }

  /** Runs a command line that must be killed at a point. */
  async crash(args: readonly string[], point: FaultPoint, hit = 1): Promise<void> {
    const ended = await this.skein(args, `${point}#${hit}:kill`);
    assert(wasReached(ended), `"${point}" was not reached: ${JSON.stringify(ended)}`);
  }

  /** The fence, which must be readable whatever was killed. */
  fence(): { stopped: boolean; epoch: number } {
    const { stopped, epoch, problem } = readFence(this.state);
    assertEquals(problem, null);
    return { stopped, epoch };
  }

  /** The runs with how they ended, the newest first. */
  runs(): { runId: string; status: string }[] {
    return listRuns(this.state).map(({ runId, status }) => ({ runId, status }));
  }

  /** Stops, proven, at an epoch (one of several), and with nothing alive. */
  async stop(...epochs: number[]): Promise<StopAnswer> {
    const { code, stdout, stderr } = await this.skein(["stop", "--reason", "test"]);
    assertEquals(code, 0, stdout + stderr);
    const answer: StopAnswer = JSON.parse(stdout);
    const { stopped, proven, survivors, epoch } = answer;
    assertEquals([stopped, proven, survivors], [true, true, 0]);
    assert(epochs.includes(epoch), `epoch ${epoch}, not ${epochs.join(" or ")}`);
    assertEquals(this.alive(), []);
    return answer;
  }

  /** Resets, to an epoch. */
  async reset(epoch: number): Promise<void> {
    const { result, inTheWay } = await resetStop(this.state);
    assertEquals(result, { kind: "reset", epoch }, inTheWay.join());
  }

  /** Runs the quick tasks to their success, at an epoch. */
  async succeed(epoch: number): Promise<void> {
    const report = await run(await loadManifest(this.quick), { stateDir: this.state });
    assertEquals([report.status, report.epoch], ["succeeded", epoch]);
    assertEquals(this.outputs(report.runId), ["q1", "q2", "q3"]);
  }

  /** Nothing starts, since the swarm is stopped. */
  async refused(): Promise<void> {
    const before = this.ledger();
    const manifest = await loadManifest(this.quick);
    await assertRejects(() => run(manifest, { stateDir: this.state }), StoppedError);
    assertEquals(this.ledger(), before);
  }

  /** The published outputs of a run: each is complete. */
  outputs(runId: string): string[] {
    const folder = `${this.state}/runs/${runId}/output`;
    const names = Array.from(Deno.readDirSync(folder), ({ name }) => name).sort();
    for (const name of names) {
      const expected = `${name}\n`.repeat(OUTPUT_BYTES).slice(0, OUTPUT_BYTES);
      assert(Deno.readTextFileSync(`${folder}/${name}`) === expected, `${name} is not complete`);
    }
    return names;
  }

  /** Waits until the task that does not end has started its tree. */
  async treeStarted(): Promise<void> {
    await eventually("the tree has started", () => this.sleepers().length >= 2);
  }

  /** Living processes that only a stop ends. */
  sleepers(): string[] {
    return this.#livingOfLedger().filter((entry) => {
      const [pid] = entry.split(" ");
      return readProc(`${pid}/cmdline`).startsWith("sleep\0");
    });
  }

  /** Whoever lives of all that noted itself, and of all that carries the state directory in its environment. */
  alive(): string[] {
    const marked = [...Deno.readDirSync("/proc")].filter(({ name }) =>
      /^\d+$/.test(name) && Number(name) !== Deno.pid &&
      readProc(`${name}/environ`).includes(`SKEIN_STATE_DIR=${Deno.realPathSync(this.state)}\0`) &&
      isLiving(readProc(`${name}/stat`))
    );
    return [...this.#livingOfLedger(), ...marked.map(({ name }) => `${name} by its environment`)];
  }

  /** Pid and start time of every process that has noted itself. */
  ledger(): string[] {
    return Deno.readTextFileSync(this.#ledger).split("\n").filter((line) => line !== "");
  }

  /** Kills what a failed test has left, and removes the folder. */
  [Symbol.dispose](): void {
    for (const child of this.#started) quietly(() => child.kill("SIGKILL"));
    for (const entry of this.#livingOfLedger()) {
      quietly(() => Deno.kill(Number(entry.split(" ")[0]), "SIGKILL"));
    }
    this.#folder[Symbol.dispose]();
  }

  get #ledger(): string {
    return `${this.#folder.path}/ledger`;
  }

  #livingOfLedger(): string[] {
    return this.ledger().filter((entry) => {
      const [pid, startTime] = entry.split(" ");
      const stat = readProc(`${pid}/stat`);
      return isLiving(stat) && stat.slice(stat.lastIndexOf(")") + 2).split(" ")[19] === startTime;
    });
  }

  #write(name: string, tasks: unknown[]): string {
    const path = `${this.#folder.path}/${name}`;
    const argv = (kind: string) => ({ argv: ["sh", "task.sh", kind] });
    const manifest = {
      version: 1,
      workers: 2,
      env: [`LEDGER=${this.#ledger}`],
      blocks: { quick: argv("quick"), slow: argv("slow") },
      tasks,
    };
    Deno.writeTextFileSync(path, JSON.stringify(manifest));
    return path;
  }
}

/** Whether a fault was what ended a command line: nothing else kills it. */
export function wasReached({ signal }: Ended): boolean {
  return signal === "SIGKILL";
}

/** The state of a process, such as `T` for a frozen one. */
export function stateOf(pid: number): string {
  const stat = readProc(`${pid}/stat`);
  return stat.slice(stat.lastIndexOf(")") + 2).slice(0, 1);
}

/** The imports of the configuration of the tests, with the fault points in the place of those that do nothing. */
function swappedImports(): Record<string, string> {
  const config = JSON.parse(Deno.readTextFileSync(CONFIG));
  const file = config.importMap === undefined ? CONFIG : resolve(dirname(CONFIG), config.importMap);
  const { imports } = JSON.parse(Deno.readTextFileSync(file)) as {
    imports: Record<string, string>;
  };
  const base = toFileUrl(file);
  const absolute = Object.entries(imports).map(([name, target]) => [
    name,
    target.startsWith(".") ? new URL(target, base).href : target,
  ]);
  return {
    ...Object.fromEntries(absolute),
    [toFileUrl(join(ROOT, "src/faults/mod.ts")).href]:
      toFileUrl(join(ROOT, "tests/crash/faults.ts")).href,
  };
}

function isLiving(stat: string): boolean {
  return stat !== "" && !/\) [ZX] /.test(stat);
}

function readProc(path: string): string {
  try {
    return Deno.readTextFileSync(`/proc/${path}`);
  } catch {
    return "";
  }
}

function quietly(action: () => void): void {
  try {
    action();
  } catch {
    // It is gone.
  }
}
