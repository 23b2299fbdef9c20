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
const NONE = -1;
const NOTHING_ENDED: readonly (TaskStatus | null)[] = [];

/** What a scheduler writes on. */
interface Workspace {
  /** Where each task is. */
  readonly state: Uint8Array;
  /** How many needs a task that waits still misses; of one that is ready, the one that is next in the queue. */
  readonly missingOrNext: Int32Array;
}

/** What the last scheduler of a graph wrote on, for the next one: fresh memory takes a tenth of the time of a large run. */
const workspaces = new WeakMap<Graph, Workspace>();
const CLOSED: Workspace = { state: new Uint8Array(0), missingOrNext: new Int32Array(0) };

/**
 * Decides which task is next. Tasks are taken as they become ready, those that become ready together in the
 * manifest's order, at most `workers` at a time. No I/O, no time, no chance: the array of indegrees, the adjacency in
 * two typed arrays and a queue that holds each task once (Kahn's algorithm). The queue is a list that is linked through
 * the array of indegrees, since a task that is ready misses nothing.
 */
export class Scheduler {
  readonly #graph: Graph;
  readonly #workers: number;
  #state: Uint8Array;
  #missingOrNext: Int32Array;
  #head = NONE;
  #tail = NONE;
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
    const { state, missingOrNext } = takeWorkspace(graph);
    this.#state = state;
    this.#missingOrNext = missingOrNext;
    for (let task = 0; task < ended.length; task++) this.#resume(task, ended[task] ?? null);
    for (let task = 0; task < graph.size; task++) {
      if (this.#state[task] === WAITING && this.#missingOrNext[task] === 0) this.#enqueue(task);
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
    if (this.#halted || this.#running >= this.#workers || this.#head === NONE) return NONE;
    const task = this.#head;
    this.#head = task === this.#tail ? NONE : this.#missingOrNext[task] ?? NONE;
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
    if (status === "succeeded") {
      this.#end(task, SUCCEEDED);
      this.#release(task);
    } else {
      this.#end(task, STATES.indexOf(status));
      if (status === "failed") this.#skip(task, onSkipped);
    }
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

  /** Gives back what it writes on. Nothing can be taken from it or settled afterwards. */
  close(): void {
    if (this.#state === CLOSED.state) return;
    this.halt();
    workspaces.set(this.#graph, { state: this.#state, missingOrNext: this.#missingOrNext });
    this.#state = CLOSED.state;
    this.#missingOrNext = CLOSED.missingOrNext;
  }

  #resume(task: number, status: TaskStatus | null): void {
    if (status === null) return;
    this.#end(task, STATES.indexOf(status));
    if (status !== "succeeded") return;
    const { dependents, dependentsStart } = this.#graph;
    const end = dependentsStart[task + 1] ?? 0;
    for (let edge = dependentsStart[task] ?? 0; edge < end; edge++) {
      this.#found(dependents[edge] ?? 0);
    }
  }

  #release(task: number): void {
    const { dependents, dependentsStart } = this.#graph;
    const end = dependentsStart[task + 1] ?? 0;
    for (let edge = dependentsStart[task] ?? 0; edge < end; edge++) {
      const dependent = dependents[edge] ?? 0;
      if (this.#found(dependent) === 0) this.#enqueue(dependent);
    }
  }

  /** A task has one of its needs; returns how many it still misses, -1 where it does not wait for any. */
  #found(dependent: number): number {
    if (this.#state[dependent] !== WAITING) return NONE;
    const missing = (this.#missingOrNext[dependent] ?? 0) - 1;
    this.#missingOrNext[dependent] = missing;
    return missing;
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
    if (this.#head === NONE) this.#head = task;
    else this.#missingOrNext[this.#tail] = task;
    this.#tail = task;
  }

  #end(task: number, state: number): void {
    this.#state[task] = state;
    if (state >= SUCCEEDED) this.#ended++;
  }
}

/** The workspace of a graph with every task waiting; one that another scheduler has is never lent twice. */
function takeWorkspace(graph: Graph): Workspace {
  const kept = workspaces.get(graph);
  if (kept === undefined) {
    return { state: new Uint8Array(graph.size), missingOrNext: graph.indegree.slice() };
  }
  workspaces.delete(graph);
  kept.state.fill(WAITING);
  kept.missingOrNext.set(graph.indegree);
  return kept;
}
