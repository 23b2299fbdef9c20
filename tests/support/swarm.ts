/**
 * A folder with a manifest and a state directory, and the command line in it.
 *
 * @module
 */
import { join } from "@std/path";
import type { Report, TaskReport } from "../../src/model/mod.ts";
import { type Result, skein, type StartOptions, startSkein } from "./cli.ts";

/** A task of a test's manifest, with a block of its own. */
export interface TaskDraft extends Record<string, unknown> {
  /** A shell script; `argv` otherwise. */
  readonly sh?: string;
  /** The program and its arguments. */
  readonly argv?: readonly string[];
  /** More of the block. */
  readonly block?: Record<string, unknown>;
}

/** A command line that has been started. */
export interface Running {
  /** Its process. */
  readonly pid: number;
  /** What it comes to. */
  readonly result: Promise<Result>;
  /** Signals it. */
  kill(signal: Deno.Signal): void;
}

/** What `skein run` came to, with the report in its folder. */
export interface RunResult extends Result {
  /** The report. */
  readonly report: Report;
}

/** A state directory in a folder of its own; what was started in it is ended and all of it removed. */
export class Swarm implements AsyncDisposable {
  /** The folder that every command runs in. */
  readonly folder: string = Deno.realPathSync(Deno.makeTempDirSync({ prefix: "skein-e2e-" }));
  /** The state directory. */
  readonly state: string;
  readonly #started: (Running & { over: boolean })[] = [];

  /** Makes the folder, not the state directory. */
  constructor(stateDir?: string) {
    this.state = stateDir ?? join(this.folder, ".skein");
  }

  /** A path in the folder. */
  path(...parts: string[]): string {
    return join(this.folder, ...parts);
  }

  /** Writes a file in the folder. */
  write(name: string, text: string | Uint8Array): string {
    const path = this.path(name);
    if (typeof text === "string") Deno.writeTextFileSync(path, text);
    else Deno.writeFileSync(path, text);
    return path;
  }

  /** Writes `swarm.json`, a block for each task. */
  manifest(drafts: Record<string, TaskDraft>, more: Record<string, unknown> = {}): string {
    return this.write("swarm.json", JSON.stringify({ ...manifestOf(drafts), ...more }));
  }

  /** Runs a command to its end. */
  skein(args: readonly string[], options: StartOptions = {}): Promise<Result> {
    return skein([...args, "--state", this.state], { cwd: this.folder, ...options });
  }

  /** Runs a command that answers in JSON. */
  async json(...args: string[]): Promise<Record<string, unknown>> {
    const { stdout, stderr } = await this.skein(args);
    try {
      return JSON.parse(stdout);
    } catch {
      throw new Error(`\`skein ${args.join(" ")}\` did not answer in JSON: ${stdout}${stderr}`);
    }
  }

  /** Runs `swarm.json` to its end. */
  async run(...flags: string[]): Promise<RunResult> {
    const result = await this.skein(["run", "swarm.json", ...flags]);
    if (exists(this.inRun("report.json"))) return { ...result, report: this.report() };
    throw new Error(`The run left no report; exit code ${result.code}: ${result.stderr}`);
  }

  /** Starts a command. */
  start(args: readonly string[], options: StartOptions = {}): Running {
    const all = [...args, "--state", this.state];
    const child = startSkein(all, { cwd: this.folder, ...options });
    const result = child.output().then(({ code, stdout, stderr }) => {
      running.over = true;
      const decoder = new TextDecoder();
      return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
    });
    const running = {
      pid: child.pid,
      result,
      over: false,
      kill: (signal: Deno.Signal) => child.kill(signal),
    };
    this.#started.push(running);
    return running;
  }

  /** The ids of the runs, the oldest first. */
  runIds(): string[] {
    return namesIn(join(this.state, "runs")).sort();
  }

  /** A file of the last run's folder. */
  inRun(...parts: string[]): string {
    return join(this.state, "runs", this.runIds().at(-1) ?? "no-run", ...parts);
  }

  /** The text of a file of the last run's folder. */
  read(...parts: string[]): string {
    return Deno.readTextFileSync(this.inRun(...parts));
  }

  /** The report of the last run. */
  report(): Report {
    return JSON.parse(this.read("report.json"));
  }

  /** The events of the last run. */
  events(): { seq: number; kind: string; taskId: string; status: string }[] {
    return this.read("events.jsonl").trimEnd().split("\n").map((line) => JSON.parse(line));
  }

  /** Ends what was started, and removes the folder. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const running of this.#started.filter(({ over }) => !over)) {
      // A test that failed midway: its run would go on for as long as its tasks do.
      running.kill("SIGTERM");
      running.kill("SIGINT");
      await running.result;
    }
    Deno.removeSync(this.folder, { recursive: true });
  }
}

/** A manifest with a block for each task. */
export function manifestOf(drafts: Record<string, TaskDraft>): Record<string, unknown> {
  const blocks: Record<string, unknown> = {};
  const tasks = Object.entries(drafts).map(([id, { sh, argv, block, ...task }]) => {
    blocks[id] = { argv: argv ?? ["sh", "-c", sh ?? "true"], ...block };
    return { id, block: id, ...task };
  });
  return { version: 1, name: "test", blocks, tasks };
}

/** A task of a report. */
export function taskIn(report: Report, id: string): TaskReport {
  const task = report.tasks.find((each) => each.id === id);
  if (task === undefined) throw new Error(`Task "${id}" is not in the report`);
  return task;
}

/** Whether anything has the name. */
export function exists(path: string): boolean {
  try {
    Deno.lstatSync(path);
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return false;
    throw error;
  }
}

/** The names in a folder, none where it is not there. */
export function namesIn(folder: string): string[] {
  return exists(folder) ? Array.from(Deno.readDirSync(folder), ({ name }) => name) : [];
}

/** The text of a file, empty where it is not there yet. */
export function textOf(path: string): string {
  return exists(path) ? Deno.readTextFileSync(path) : "";
}
