import type { Manifest, StoreEvent } from "../../src/model/mod.ts";

/** A task, as the events tell of it. */
export interface TaskBook {
  /** Where it is. */
  state: string;
  /** Passes of this round that succeeded. */
  passes: number;
  /** The last attempt at each pass, over all rounds. */
  readonly attempts: Map<number, number>;
  /** Attempts at the pass of this round, those that were handed back not. */
  counted: number;
}

/** A run, as the events tell of it. */
export interface RunBook {
  /** What it runs. */
  readonly manifest: Manifest;
  /** Where it is; `null` before its first event. */
  state: string | null;
  /** Its token. */
  token: number;
  /** Its epoch. */
  epoch: number;
  /** Its round. */
  round: number;
  /** Whether a cancellation was requested in this round. */
  isCancelled: boolean;
  /** Verified deaths of its executors in this round. */
  deaths: number;
  /** From when on it may be claimed. */
  availableAt: number;
  /** Its tasks. */
  readonly tasks: Map<string, TaskBook>;
}

/** Makes the book of a run of which nothing has been told yet. */
export function openBook(manifest: Manifest): RunBook {
  const tasks = manifest.tasks.map(({ id }): [string, TaskBook] => {
    return [id, { state: "pending", passes: 0, attempts: new Map(), counted: 0 }];
  });
  return {
    manifest,
    state: null,
    token: 0,
    epoch: 0,
    round: 1,
    isCancelled: false,
    deaths: 0,
    availableAt: 0,
    tasks: new Map(tasks),
  };
}

/** Writes down what an event tells; what it must not tell is the audit's to say, before. */
export function enter(book: RunBook, event: StoreEvent): void {
  if (event.taskId === null) enterRun(book, event);
  else enterTask(book, event.taskId, event);
}

function enterRun(book: RunBook, { kind, to, token, epoch, round, reason }: StoreEvent): void {
  if (round > book.round) {
    book.isCancelled = false;
    book.deaths = 0;
  }
  book.state = to;
  book.token = token;
  book.epoch = epoch;
  book.round = round;
  if (kind === "run-cancelled") book.isCancelled = true;
  if (isDeath(reason)) book.deaths++;
}

function enterTask(book: RunBook, taskId: string, event: StoreEvent): void {
  const task = book.tasks.get(taskId);
  if (task === undefined) return;
  const { kind, to, pass, attempt } = event;
  task.state = to ?? "";
  switch (kind) {
    case "attempt-started":
      task.attempts.set(pass, attempt);
      task.counted++;
      return;
    case "attempt-handed-back":
      task.counted--;
      return;
    case "attempt-succeeded":
      task.passes++;
      task.counted = 0;
      return;
    case "task-reopened":
      task.passes = 0;
      task.counted = 0;
      return;
  }
}

/** States that nothing but an operator's retry leads out of. */
export const ENDED: readonly (string | null)[] = [
  "succeeded",
  "failed",
  "skipped",
  "cancelled",
  "stopped",
];

/** Whether a run has ended. */
export function hasEnded(book: RunBook | undefined): boolean {
  return book !== undefined && ENDED.includes(book.state);
}

/** Whether a code says that the death of an executor was counted. */
export function isDeath(reason: string | null): boolean {
  return reason === "RUN_DEFERRED_CRASHED" || reason === "RUN_FAILED_POISON";
}

/** How often an attempt at a pass of a task may be started in a round. */
export function maxAttemptsOf({ tasks, blocks }: Manifest, taskId: string): number {
  const block = tasks.find(({ id }) => id === taskId)?.block ?? "";
  return blocks[block]?.retry.maxAttempts ?? 0;
}

/** What a task needs. */
export function needsOf({ tasks }: Manifest, taskId: string): readonly string[] {
  return tasks.find(({ id }) => id === taskId)?.needs ?? [];
}
