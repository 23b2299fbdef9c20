import type {
  Decision,
  QueuedRun,
  Refusal,
  RunEffect,
  RunFacts,
  RunMove,
  RunState,
  TaskOrder,
} from "../../model/mod.ts";
import { decideRun, RUN_EVENT_KINDS } from "../../model/machines.ts";
import { addEvent } from "./events.ts";
import { demandOne, type Ground, unexpected } from "./ground.ts";
import { type Mutable, runOf, taskOf, type TaskRow } from "./rows.ts";
import { moveTask, type TaskMoved } from "./task_moves.ts";

/** What is written with a transition, beside what the machine decides. */
export interface RunDetail {
  /** Now, on the store's clock. */
  readonly now: number;
  /** Who does it: the executor, or an operator; `null`: the store, for nobody. */
  readonly by: string | null;
  /** When the lease of a claim ends. */
  readonly leaseExpiresAt?: number;
  /** Particulars for a reader. */
  readonly message?: string | null;
}

/** What a transition of a run came to. */
export type RunMoved =
  | {
    readonly kind: "moved";
    /** The run after it. */
    readonly run: QueuedRun;
    /** Tasks that it moved itself. */
    readonly tasks: number;
  }
  | { readonly kind: "refused"; readonly why: Refusal };

/** A point of priority, in milliseconds of waiting. */
const PRIORITY_MS = 60_000;

const RUN = "SELECT * FROM runs WHERE id = ?";
const WRITE = `
UPDATE runs SET state = ?, reason = ?, message = ?, rank = ?, epoch = ?, round = ?, token = ?,
  owner = ?, lease_expires_at = ?, available_at = ?, crash_count = ?, cancel_requested_at = ?,
  cancel_requested_by = ?, queued_at = ?, started_at = ?, finished_at = ?
WHERE id = ? AND state = ? AND owner IS ? AND token = ?`;
const TASKS_IN = "SELECT * FROM tasks WHERE run_id = ? AND state = ? ORDER BY position";

/** A run, `null` where there is none. */
export function readRun({ connection }: Ground, runId: string): QueuedRun | null {
  const row = connection.get(RUN, runId);
  return row === undefined ? null : runOf(row);
}

/** A run's place in the queue: the least is the first. */
export function rankOf(queuedAt: number, priority: number): number {
  return queuedAt - priority * PRIORITY_MS;
}

/** Asks the machine what an event does to a run, and does it: the rows, its tasks' too, and the events. */
export function moveRun<M extends RunMove>(
  ground: Ground,
  run: QueuedRun,
  move: M,
  facts: RunFacts[M],
  detail: RunDetail,
): RunMoved {
  const decision = decideRun(run.state, move, facts);
  if (decision.kind === "refused") return decision;
  return new RunTransition(ground, run, detail).perform(move, decision);
}

/** The interpreter of a run's effects. */
class RunTransition {
  readonly #ground: Ground;
  readonly #before: QueuedRun;
  readonly #after: Mutable<QueuedRun>;
  readonly #detail: RunDetail;
  #tasks = 0;

  constructor(ground: Ground, run: QueuedRun, detail: RunDetail) {
    this.#ground = ground;
    this.#before = run;
    this.#after = { ...run };
    this.#detail = detail;
  }

  perform(
    move: RunMove,
    { to, effects, reason }: Extract<Decision<RunState, RunEffect>, { kind: "go" }>,
  ): RunMoved {
    this.#after.state = to;
    for (const effect of effects) this.#do(effect);
    this.#write();
    this.#tell(move, reason);
    return { kind: "moved", run: this.#after, tasks: this.#tasks };
  }

  #do(effect: RunEffect): void {
    const run = this.#after;
    const { now, by, leaseExpiresAt = null } = this.#detail;
    switch (effect.kind) {
      case "raise-token":
        run.token++;
        return;
      case "take":
        run.owner = by;
        run.leaseExpiresAt = leaseExpiresAt;
        run.startedAt ??= Math.max(now, run.queuedAt);
        run.availableAt = 0;
        return this.#explain(null);
      case "free":
        run.owner = run.leaseExpiresAt = null;
        return;
      case "defer":
        run.availableAt = effect.until;
        return this.#explain(effect.reason);
      case "count-crash":
        run.crashCount++;
        return;
      case "request-cancel":
        run.cancelRequestedAt = now;
        run.cancelRequestedBy = by;
        return;
      case "end":
        run.finishedAt = Math.max(now, run.startedAt ?? run.queuedAt);
        run.leaseExpiresAt = null;
        run.availableAt = 0;
        return this.#explain(effect.reason);
      case "reopen":
        return this.#reopen(effect.epoch);
      case "move-tasks":
        return this.#moveTasks(effect.order);
      default:
        return effect satisfies never;
    }
  }

  #explain(reason: string | null): void {
    this.#after.reason = reason;
    this.#after.message = reason === null ? null : this.#detail.message ?? null;
  }

  #reopen(epoch: number): void {
    const run = this.#after;
    run.round++;
    run.epoch = epoch;
    run.crashCount = 0;
    run.availableAt = 0;
    run.queuedAt = Math.max(this.#detail.now, run.finishedAt ?? run.queuedAt);
    run.cancelRequestedAt =
      run.cancelRequestedBy =
      run.startedAt =
      run.finishedAt =
        null;
    this.#explain(null);
  }

  #moveTasks(order: TaskOrder): void {
    for (const state of order.states) {
      const rows = this.#ground.connection.all(TASKS_IN, this.#after.id, state);
      for (const row of rows) {
        this.#tasks++;
        this.#moveTask(taskOf(row), order);
      }
    }
  }

  #moveTask(task: TaskRow, order: TaskOrder): void {
    const moved = orderTask(this.#ground, this.#after, task, order, this.#detail);
    if (moved.kind === "moved") return;
    throw unexpected(`${order.move} task "${task.id}" of run "${this.#after.id}"`, moved.why);
  }

  #write(): void {
    const after = this.#after;
    const { state, owner, token } = this.#before;
    const changed = this.#ground.connection.change(
      WRITE,
      after.state,
      after.reason,
      after.message,
      rankOf(after.queuedAt, after.priority),
      after.epoch,
      after.round,
      after.token,
      after.owner,
      after.leaseExpiresAt,
      after.availableAt,
      after.crashCount,
      after.cancelRequestedAt,
      after.cancelRequestedBy,
      after.queuedAt,
      after.startedAt,
      after.finishedAt,
      after.id,
      state,
      owner,
      token,
    );
    demandOne(changed, `write run "${after.id}"`);
  }

  #tell(move: RunMove, reason: string | null): void {
    const { id: runId, state: to, token, epoch, round } = this.#after;
    const { now, by, message = null } = this.#detail;
    const about = { taskId: null, pass: 0, attempt: 0 };
    const stands = { runId, owner: by, token, epoch, round };
    const kind = RUN_EVENT_KINDS[move];
    const from = this.#before.state;
    addEvent(this.#ground.connection, {
      at: now,
      kind,
      from,
      to,
      reason,
      message,
      ...about,
      ...stands,
    });
  }
}

const COUNTED = `
SELECT count(*) AS counted FROM attempts
WHERE run_id = ? AND task_id = ? AND pass = ? AND round = ? AND state <> 'handed-back'`;

/** Attempts at a task's pass in this round, those that were handed back not. */
export function countedAttempts(
  { connection }: Ground,
  { id: runId, round }: Pick<QueuedRun, "id" | "round">,
  { id, pass }: TaskRow,
): number {
  return connection.get(COUNTED, runId, id, pass, round)?.counted as number;
}

function orderTask(
  ground: Ground,
  run: QueuedRun,
  task: TaskRow,
  order: TaskOrder,
  { now, by }: RunDetail,
): TaskMoved {
  const detail = { now, by: by === null ? null : { owner: by, token: run.token } };
  const { maxAttempts } = task;
  switch (order.move) {
    case "lose": {
      const counted = countedAttempts(ground, run, task);
      return moveTask(ground, run, task, "lose", { counted, maxAttempts }, detail);
    }
    case "hand-back":
      return moveTask(ground, run, task, "hand-back", { reason: order.reason }, detail);
    case "cancel":
      return moveTask(ground, run, task, "cancel", { reason: order.reason, settle: null }, detail);
    case "stop":
    case "reopen":
      return moveTask(ground, run, task, order.move, {}, detail);
    default:
      return order satisfies never;
  }
}
