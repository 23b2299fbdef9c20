import type { Graph } from "../manifest/mod.ts";
import type { TaskStatus } from "../model/mod.ts";

/** Where a task is: waiting for its needs, ready, running, or ended. */
export type TaskState = "waiting" | "ready" | "running" | TaskStatus;

const STATES: readonly TaskState[] = [
  "waiting",
  "ready",
  "running",
  "succeeded",
  "failed",
  "skipped",
  "stopped",
  "cancelled",
];
const WAITING = 0;
const READY = 1;
const RUNNING = 2;
const SUCCEEDED = 3;
const SKIPPED = 5;
const NOTHING_ENDED: readonly (TaskStatus | null)[] = [];

/**
 * Decides which task is next. Tasks are taken as they become ready, those that become ready together in the
 * manifest's order, at most `workers` at a time. No I/O, no time, no chance: the array of indegrees, the adjacency in
 * two typed arrays and a queue that holds each task once (Kahn's algorithm).
 */
export class Scheduler {
  readonly #graph: Graph;
  readonly #workers: number;
  readonly #missing: Int32Array;
  readonly #state: Uint8Array;
  readonly #queue: Int32Array;
  #head = 0;
  #tail = 0;
  #running = 0;
  #ended = 0;
  #halted = false;

  /**
   * Makes a scheduler; every task whose needs have succeeded is ready.
   *
   * @param ended how each task has ended already, `null` where it has not; none by default.
   */
  constructor(graph: Graph, workers: number, ended = NOTHING_ENDED) {
    this.#graph = graph;
    this.#workers = workers;
    this.#missing = graph.indegree.slice();
    this.#state = new Uint8Array(graph.size);
    this.#queue = new Int32Array(graph.size);
    for (let task = 0; task < ended.length; task++) this.#resume(task, ended[task] ?? null);
    for (let task = 0; task < graph.size; task++) {
      if (this.#missing[task] === 0 && this.#state[task] === WAITING) this.#enqueue(task);
    }
  }

  /** Tasks that run now. */
  get running(): number {
    return this.#running;
  }

  /** Tasks that have ended. */
  get ended(): number {
    return this.#ended;
  }

  /** Whether every task has ended. */
  get done(): boolean {
    return this.#ended === this.#graph.size;
  }

  /** Where a task is. */
  stateOf(task: number): TaskState {
    return STATES[this.#state[task] ?? WAITING] ?? "waiting";
  }

  /** Takes the next task, which then is running; -1 where none is ready, all workers are busy, or it was halted. */
  next(): number {
    if (this.#halted || this.#running >= this.#workers || this.#head === this.#tail) return -1;
    const task = this.#queue[this.#head++] ?? -1;
    this.#state[task] = RUNNING;
    this.#running++;
    return task;
  }

  /**
   * Ends a running task.
   *
   * @param onSkipped called with each task that can no longer start, because of this one.
   */
  settle(
    task: number,
    status: Exclude<TaskStatus, "skipped">,
    onSkipped: (task: number) => void,
  ): void {
    if (this.#state[task] !== RUNNING) {
      throw new Error(`Cannot settle task ${task}: it is ${this.stateOf(task)}, not running`);
    }
    this.#running--;
    this.#end(task, STATES.indexOf(status));
    if (status === "succeeded") this.#release(task);
    else if (status === "failed") this.#skip(task, onSkipped);
  }

  /** Stops admitting. */
  halt(): void {
    this.#halted = true;
  }

  /** Ends every task that is neither running nor ended. */
  endRest(status: "stopped" | "cancelled", onEnded: (task: number) => void): void {
    this.halt();
    for (let task = 0; task < this.#graph.size; task++) {
      if ((this.#state[task] ?? RUNNING) >= RUNNING) continue;
      this.#end(task, STATES.indexOf(status));
      onEnded(task);
    }
  }

  #resume(task: number, status: TaskStatus | null): void {
    if (status === null) return;
    this.#end(task, STATES.indexOf(status));
    if (status !== "succeeded") return;
    const { dependents, dependentsStart } = this.#graph;
    const end = dependentsStart[task + 1] ?? 0;
    for (let edge = dependentsStart[task] ?? 0; edge < end; edge++) {
      const dependent = dependents[edge] ?? 0;
      this.#missing[dependent] = (this.#missing[dependent] ?? 0) - 1;
    }
  }

  #release(task: number): void {
    const { dependents, dependentsStart } = this.#graph;
    const end = dependentsStart[task + 1] ?? 0;
    for (let edge = dependentsStart[task] ?? 0; edge < end; edge++) {
      const dependent = dependents[edge] ?? 0;
      const missing = (this.#missing[dependent] ?? 0) - 1;
      this.#missing[dependent] = missing;
      if (missing === 0 && this.#state[dependent] === WAITING) this.#enqueue(dependent);
    }
  }

  #skip(failed: number, onSkipped: (task: number) => void): void {
    const { dependents, dependentsStart } = this.#graph;
    const unsuccessful = [failed];
    for (let task = unsuccessful.pop(); task !== undefined; task = unsuccessful.pop()) {
      const end = dependentsStart[task + 1] ?? 0;
      for (let edge = dependentsStart[task] ?? 0; edge < end; edge++) {
        const dependent = dependents[edge] ?? 0;
        if (this.#state[dependent] !== WAITING) continue;
        this.#end(dependent, SKIPPED);
        onSkipped(dependent);
        unsuccessful.push(dependent);
      }
    }
  }

  #enqueue(task: number): void {
    this.#state[task] = READY;
    this.#queue[this.#tail++] = task;
  }

  #end(task: number, state: number): void {
    this.#state[task] = state;
    if (state >= SUCCEEDED) this.#ended++;
  }
}
