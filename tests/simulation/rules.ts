import type { StoreEvent } from "../../src/model/mod.ts";
import type { LossTerms, RetryRequest, Store } from "../../src/store/mod.ts";
import { ENDED, isDeath, maxAttemptsOf, needsOf, type RunBook, type TaskBook } from "./books.ts";
import type { Process } from "./processes.ts";

/** A call of the store. */
export interface Call {
  /** The method. */
  readonly name: keyof Store;
  /** What it was given. */
  readonly args: readonly unknown[];
}

/** When the claims end that a call names, by their runs; what is not held has ended long ago. */
export type Leases = ReadonlyMap<string, number>;

/** What the world knows beside the store, at the moment of a transition. */
export interface Truth {
  /** The call that it happened in. */
  readonly call: Call;
  /** When the claims ended that it was made under, before it. */
  readonly leases: Leases;
  /** The database's clock. */
  readonly now: number;
  /** Whether the fence lets work of an epoch go on. */
  lets(epoch: number): boolean;
  /** Whether an executor is dead. */
  isDead(owner: string): boolean;
  /** Whether something of a run still goes on that its engine must have ended, if the run can be taken from it. */
  hasStrays(runId: string): boolean;
  /** The process of an attempt, `undefined` where it never began. */
  process(event: StoreEvent): Process | undefined;
}

/** What a transition must not be. */
interface Rule<Book> {
  /** The promise that it breaks, for a reader. */
  readonly promise: string;
  /** The kinds of events that it is about; all by default. */
  readonly kinds?: readonly StoreEvent["kind"][];
  /** Whether an event breaks it. */
  breaks(event: StoreEvent, book: Book, truth: Truth): boolean;
}

interface TaskAndRun {
  readonly run: RunBook;
  readonly task: TaskBook;
  readonly id: string;
}

const CHECKED: readonly Call["name"][] = ["claim", "startTask", "settleTask", "finishRun"];
const RETRYABLE: readonly (string | null)[] = [
  "TASK_FAILED_EXECUTOR_LOST",
  "TASK_FAILED_EXIT",
  "TASK_FAILED_SIGNAL",
  "TASK_FAILED_TIMEOUT",
];
const LOST: readonly StoreEvent["kind"][] = ["run-lost"];
const STARTED: readonly StoreEvent["kind"][] = ["attempt-started"];
const SETTLED: readonly StoreEvent["kind"][] = ["attempt-succeeded", "attempt-failed"];

const RUN_RULES: readonly Rule<RunBook>[] = [
  {
    promise: "Every transition of a run has exactly one event (G10)",
    breaks: ({ from }, { state }) => from !== state,
  },
  {
    promise: "A token never falls (G7)",
    breaks: ({ token }, book) => token < book.token,
  },
  {
    promise: "Epoch and round never fall (G2)",
    breaks: ({ epoch, round }, book) => epoch < book.epoch || round < book.round,
  },
  {
    promise: "Every claim and every requeue raises the token (G7)",
    kinds: ["run-claimed", "run-lost", "run-handed-back"],
    breaks: ({ token }, book) => token <= book.token,
  },
  {
    promise: "Behind a stop nothing is claimed or finished (G1, G3)",
    breaks: (_, { epoch }, { call, lets }) => CHECKED.includes(call.name) && !lets(epoch),
  },
  {
    promise: "A run is finished under a lease that has not expired (G7)",
    kinds: ["run-finished"],
    breaks: ({ runId }, _, truth) => !isUnderLease(runId, truth),
  },
  {
    promise: "A run is reopened in the current epoch, and not behind a stop (G1)",
    kinds: ["run-retried"],
    breaks: ({ epoch }, _, { lets }) => !lets(epoch),
  },
  {
    promise: "A deferred run is not claimed before its time",
    kinds: ["run-claimed"],
    breaks: (_, { availableAt }, { now }) => now < availableAt,
  },
  {
    promise: "Every terminal state has a reason (G10)",
    breaks: ({ to, reason }) => ENDED.includes(to) && to !== "succeeded" && reason === null,
  },
  {
    promise: "Only an operator's retry reopens what has ended, and nothing what has succeeded",
    breaks: ({ from, kind }) =>
      from === "succeeded" || (ENDED.includes(from) && kind !== "run-retried"),
  },
  {
    promise: "A run ends when all its tasks have ended",
    breaks: ({ to }, { tasks }) =>
      ENDED.includes(to) && [...tasks.values()].some(({ state }) => !ENDED.includes(state)),
  },
  {
    promise: "A claim is given up, and its trees are dead, before anybody may take the run (G7)",
    kinds: LOST,
    breaks: ({ runId }, _, { hasStrays }) => hasStrays(runId),
  },
  {
    promise: "Verified deaths count, lost leases alone do not (G9)",
    kinds: LOST,
    breaks: ({ owner, reason }, _, { isDead }) => isDeath(reason) && !isDead(owner ?? ""),
  },
  {
    promise: "The death of an executor that is verifiably gone counts (G9)",
    kinds: LOST,
    breaks: ({ owner, reason, to }, _, { call }) =>
      to !== "cancelled" && to !== "stopped" &&
      isDeath(reason) !== termsOf(call).gone.includes(owner ?? ""),
  },
  {
    promise: "Poison is quarantined after exactly maxCrashCount deaths (G9)",
    kinds: LOST,
    breaks: ({ reason }, { deaths }, { call }) =>
      isDeath(reason) &&
      (deaths + 1 === termsOf(call).maxCrashCount) !== (reason === "RUN_FAILED_POISON"),
  },
];

const TASK_RULES: readonly Rule<TaskAndRun>[] = [
  {
    promise: "Every transition of a task has exactly one event (G10)",
    breaks: ({ from }, { task }) => from !== task.state,
  },
  {
    promise: "A token never falls (G7)",
    breaks: ({ token }, { run }) => token < run.token,
  },
  {
    promise: "Behind a stop nothing is started or settled (G1, G3)",
    breaks: (_, { run }, { call, lets }) => CHECKED.includes(call.name) && !lets(run.epoch),
  },
  {
    promise: "A task is started and settled under a lease that has not expired (G7)",
    kinds: [...STARTED, ...SETTLED],
    breaks: ({ runId }, _, truth) => !isUnderLease(runId, truth),
  },
  {
    promise: "Nothing new starts in a round that was cancelled (G11)",
    kinds: STARTED,
    breaks: (_, { run }) => run.isCancelled,
  },
  {
    promise: "A task starts in a run that is held, when all it needs has succeeded",
    kinds: STARTED,
    breaks: (_, { run, id }) =>
      run.state !== "running" ||
      needsOf(run.manifest, id).some((need) => run.tasks.get(need)?.state !== "succeeded"),
  },
  {
    promise: "What has succeeded does not run again",
    kinds: STARTED,
    breaks: ({ pass }, { task }) => pass !== task.passes + 1,
  },
  {
    promise: "Attempts are dense, and as many as the manifest gives",
    kinds: STARTED,
    breaks: ({ pass, attempt }, { run, task, id }) =>
      attempt !== (task.attempts.get(pass) ?? 0) + 1 ||
      task.counted >= maxAttemptsOf(run.manifest, id),
  },
  {
    promise: "An attempt that was lost or can be retried fails its task only when none is left",
    kinds: ["attempt-lost", "attempt-failed"],
    breaks: ({ to, reason }, { run, task, id }) =>
      to === "failed" && RETRYABLE.includes(reason) &&
      task.counted < maxAttemptsOf(run.manifest, id),
  },
  {
    promise: "A verdict is that of the attempt's own process",
    kinds: SETTLED,
    breaks: (event, _, { process }) => process(event)?.isLive !== false,
  },
  {
    promise: "A success is that of the attempt's own process",
    kinds: ["attempt-succeeded"],
    breaks: (event, _, { process }) => process(event)?.outcome?.kind !== "succeeded",
  },
  {
    promise: "Every terminal state has a reason (G10)",
    breaks: ({ to, reason }) => ENDED.includes(to) && to !== "succeeded" && reason === null,
  },
  {
    promise: "What has succeeded is reopened only by a retry of everything",
    kinds: ["task-reopened"],
    breaks: ({ from }, _, { call }) =>
      call.name !== "retry" || (from === "succeeded" && (call.args[1] as RetryRequest).failedOnly),
  },
];

/** The promises that a transition breaks. */
export function broken(event: StoreEvent, book: RunBook, truth: Truth): string[] {
  const { taskId } = event;
  if (taskId === null) return breaches(RUN_RULES, event, book, truth);
  const task = book.tasks.get(taskId);
  if (task === undefined) return [`There is no task "${taskId}"`];
  return breaches(TASK_RULES, event, { run: book, task, id: taskId }, truth);
}

function breaches<Book>(
  rules: readonly Rule<Book>[],
  event: StoreEvent,
  book: Book,
  truth: Truth,
): string[] {
  return rules
    .filter(({ kinds }) => kinds === undefined || kinds.includes(event.kind))
    .filter((rule) => rule.breaks(event, book, truth))
    .map(({ promise }) => promise);
}

function isUnderLease(runId: string, { leases, now }: Truth): boolean {
  return (leases.get(runId) ?? -Infinity) > now;
}

function termsOf({ args }: Call): LossTerms {
  return args.at(-1) as LossTerms;
}
