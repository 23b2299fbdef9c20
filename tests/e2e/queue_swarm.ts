/**
 * A swarm with a queue: what the tests of its commands say again and again.
 *
 * @module
 */
import { assertEquals } from "@std/assert";
import { eventually, type Result } from "../support/cli.ts";
import { type Running, type Swarm, textOf } from "../support/swarm.ts";

/** Looks at the queue often, so that no test waits for it. */
const SOON = ["--poll", "30"];

/** Puts `swarm.json` into the queue and returns the run's id. */
export async function submit(swarm: Swarm, ...flags: string[]): Promise<string> {
  const { code, stdout, stderr } = await swarm.skein(["submit", "swarm.json", ...flags, "--text"]);
  assertEquals(code, 0, stderr);
  return stdout.trim();
}

/** Executes what is in the queue, to the worker's end. */
export function work(swarm: Swarm, ...args: string[]): Promise<Result> {
  const until = args.includes("--once") ? [] : ["--until-idle"];
  return swarm.skein(["work", ...until, ...SOON, ...args]);
}

/** Starts a worker that goes on until it is told to end. */
export function startWorker(swarm: Swarm, ...flags: string[]): Running {
  return swarm.start(["work", ...SOON, ...flags]);
}

/** A task that has written a line into `started` and waits for the file `go`; it ends by itself after a minute. */
export function waiting(swarm: Swarm, after = "echo done"): string {
  const go = `test -e '${swarm.path("go")}' && break; sleep 0.02`;
  return `echo $SKEIN_TOKEN >> '${
    swarm.path("started")
  }'; for _ in $(seq 3000); do ${go}; done; ${after}`;
}

/** Waits until so many tasks that wait have started. */
export async function started(swarm: Swarm, count = 1): Promise<void> {
  const lines = () => textOf(swarm.path("started")).split("\n").length - 1;
  await eventually(`${count} tasks have started`, () => lines() >= count);
}

/** How a run of the queue stands. */
export async function shown(swarm: Swarm, runId: string): Promise<Shown> {
  return await swarm.json("show", runId) as unknown as Shown;
}

/** What `skein show` says of a run of the queue. */
export interface Shown {
  readonly runId: string;
  readonly status: string;
  readonly reason: string | null;
  readonly epoch: number;
  readonly round: number;
  readonly token: number;
  readonly crashCount: number;
  readonly executor: string | null;
  readonly counts: Readonly<Record<string, number>>;
  readonly tasks: readonly {
    readonly id: string;
    readonly status: string;
    readonly reason: string | null;
    readonly attempts: number;
    readonly output: string | null;
    readonly outputBytes: number | null;
  }[];
}

/** The kinds of the events of a run, in order. */
export async function eventKinds(swarm: Swarm, runId: string): Promise<string[]> {
  const events = await swarm.json("show", runId, "--events") as unknown as { kind: string }[];
  return events.map(({ kind }) => kind);
}

/** Asserts that nothing in the queue is broken. */
export async function assertHealthy(swarm: Swarm): Promise<void> {
  const { code, stdout } = await swarm.skein(["fsck"]);
  assertEquals([code, stdout], [0, '{"healthy":true,"violations":[]}\n']);
}
