import type { Ending, Execution, Executor } from "../../src/engine/executor.ts";
import type { OlderProcesses } from "../../src/engine/durable/mod.ts";
import type { KillReport, Outcome } from "../../src/model/mod.ts";
import type { Dice } from "./dice.ts";
import type { Machine } from "./machine.ts";
import type { Timeline } from "./timeline.ts";

/** How long a kill takes at most, in milliseconds. */
export const KILL_MS = 40;
/** How long an attempt goes on at most that ends by itself, and that ends soon. */
const LONGEST_MS = 6_000;
const SHORT_MS = 300;

/** What one attempt does. */
export interface Process {
  /** The engine that started it. */
  readonly machine: Machine;
  /** The run. */
  readonly runId: string;
  /** The task. */
  readonly taskId: string;
  /** The pass. */
  readonly pass: number;
  /** The attempt at it. */
  readonly attempt: number;
  /** The token that it was started under. */
  readonly token: number;
  /** What it came to by itself, `null` while it goes on, or where it was killed. */
  readonly outcome: Outcome | null;
  /** Whether it goes on. */
  readonly isLive: boolean;
}

/** Told before a process begins. */
export type OnBegin = (process: Process, live: readonly Process[]) => void;

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

/**
 * The processes of the world: attempts that take their time and end as the dice say. They outlive the engine that
 * started them, until somebody ends them.
 */
export class Processes {
  readonly #timeline: Timeline;
  readonly #dice: Dice;
  readonly #onBegin: OnBegin;
  readonly #live = new Set<Mutable<Process>>();
  readonly #kills = new Map<Process, () => void>();
  readonly #known = new Map<string, Process>();

  /** None runs. */
  constructor(timeline: Timeline, dice: Dice, onBegin: OnBegin) {
    this.#timeline = timeline;
    this.#dice = dice;
    this.#onBegin = onBegin;
  }

  /** What runs attempts for an engine. */
  executorOf(machine: Machine): Executor {
    return { execute: (execution) => this.#execute(machine, execution) };
  }

  /** What ends older processes for an engine: those of its own host. */
  olderOf({ host }: Machine): OlderProcesses {
    return {
      end: ({ below }) => {
        const isOver = ({ machine, runId, token }: Process) =>
          machine.host === host && token < (below.get(runId) ?? 0);
        return Promise.resolve(this.kill(isOver));
      },
    };
  }

  /** What runs. */
  get live(): readonly Process[] {
    return [...this.#live];
  }

  /** The process of an attempt, `undefined` where it never began. */
  of(runId: string, taskId: string, pass: number, attempt: number): Process | undefined {
    return this.#known.get(nameOf(runId, taskId, pass, attempt));
  }

  /** Kills, whoever started it. */
  kill(isMeant: (process: Process) => boolean): KillReport {
    const meant = this.live.filter(isMeant);
    for (const process of meant) this.#kills.get(process)?.();
    return { killed: meant.length, survivors: [], failed: [] };
  }

  #execute(machine: Machine, execution: Execution): Promise<Outcome> {
    const { lease: { runId, taskId, pass, attempt, token = 0 }, signal, kill } = execution;
    const process: Mutable<Process> = {
      machine,
      runId,
      taskId,
      pass,
      attempt,
      token,
      outcome: null,
      isLive: true,
    };
    this.#onBegin(process, this.live);
    this.#live.add(process);
    this.#known.set(nameOf(runId, taskId, pass, attempt), process);
    const { promise, resolve } = Promise.withResolvers<Outcome>();
    const end = (outcome: Outcome, isOwn: boolean) => {
      if (!process.isLive) return;
      process.isLive = false;
      if (isOwn) process.outcome = outcome;
      this.#live.delete(process);
      this.#kills.delete(process);
      // It is seen when the engine next gets a turn.
      this.#timeline.after(this.#dice.below(3), machine, () => resolve(outcome));
    };
    this.#kills.set(process, () => end({ kind: "signalled", signal: "SIGKILL" }, KILLED));
    const { ms, outcome } = this.#fate();
    if (ms < Infinity) this.#timeline.after(ms, null, () => end(outcome, OWN));
    const endIn = (ms: number) =>
      this.#timeline.after(this.#dice.below(ms), machine, () => end({ kind: "aborted" }, KILLED));
    signal.addEventListener("abort", () => endIn((signal.reason as Ending).graceMs + KILL_MS));
    kill.addEventListener("abort", () => endIn(KILL_MS));
    return promise;
  }

  #fate(): { readonly ms: number; readonly outcome: Outcome } {
    const ms = this.#dice.between(1, this.#dice.chance(0.5) ? LONGEST_MS : SHORT_MS);
    const luck = this.#dice.next();
    if (luck < 0.8) return { ms, outcome: { kind: "succeeded" } };
    if (luck < 0.92) return { ms, outcome: { kind: "exited", code: 1 } };
    if (luck < 0.95) return { ms, outcome: { kind: "failed", message: "No room" } };
    return { ms: Infinity, outcome: { kind: "aborted" } };
  }
}

const OWN = true;
const KILLED = false;

function nameOf(runId: string, taskId: string, pass: number, attempt: number): string {
  return `${runId}/${taskId}.${pass}.${attempt}`;
}
