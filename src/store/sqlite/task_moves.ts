import type {
  AttemptEnd,
  Decision,
  Holder,
  QueuedRun,
  Refusal,
  SettledOutput,
  TaskEffect,
  TaskFacts,
  TaskMove,
  TaskState,
} from "../../model/mod.ts";
import { decideTask, TASK_EVENT_KINDS } from "../../model/machines.ts";
import { addEvent } from "./events.ts";
import { demandOne, type Ground, unexpected } from "./ground.ts";
import { type Mutable, taskOf, type TaskRow } from "./rows.ts";

/** What a task's transition needs of its run. */
export type RunHead = Pick<
  QueuedRun,
  "id" | "state" | "epoch" | "round" | "token" | "sequence" | "owner" | "leaseExpiresAt"
>;

/** What is written with a transition, beside what the machine decides. */
export interface TaskDetail {
  /** Now, on the store's clock. */
  readonly now: number;
  /** Who does it. */
  readonly by: Holder | null;
  /** Particulars for a reader. */
  readonly message?: string | null;
  /** The exit code of the process. */
  readonly exitCode?: number | null;
  /** The signal that ended the process. */
  readonly signal?: string | null;
  /** Processes that it had left behind. */
  readonly leftovers?: number;
  /** What the attempt has written. */
  readonly output?: SettledOutput | null;
}

/** What a transition of a task came to. */
export type TaskMoved =
  | {
    readonly kind: "moved";
    /** The task after it. */
    readonly task: TaskRow;
    /** The sequence of the attempt that it opened, the run's own otherwise. */
    readonly sequence: number;
    /** Tasks that were skipped with it. */
    readonly skipped: readonly string[];
  }
  | { readonly kind: "refused"; readonly why: Refusal };

const WRITE = `
UPDATE tasks SET state = ?, reason = ?, message = ?, pass = ?, attempt = ?, available_at = ?,
  owner = ?, token = ?
WHERE run_id = ? AND id = ? AND state = ? AND owner IS ? AND token IS ?`;
const RAISE = `
UPDATE runs SET sequence = sequence + 1
WHERE id = ? AND state = 'running' AND owner = ? AND token = ? RETURNING sequence`;
const OPEN = `
INSERT INTO attempts (run_id, task_id, pass, attempt, round, epoch, owner, token, sequence, state,
  leftovers, started_at)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 'running', 0, ?)`;
const CLOSE = `
UPDATE attempts SET state = ?, reason = ?, message = ?, exit_code = ?, signal = ?, leftovers = ?,
  ended_at = max(?, started_at)
WHERE run_id = ? AND task_id = ? AND pass = ? AND attempt = ? AND state = 'running' AND owner = ?
  AND token = ?`;
const PUBLISH = `
INSERT INTO outputs (run_id, task_id, pass, attempt, path, bytes, digest)
VALUES (?, ?, ?, ?, ?, ?, ?)`;
const LAST_ATTEMPT = `
SELECT coalesce(max(attempt), 0) AS attempt FROM attempts
WHERE run_id = ? AND task_id = ? AND pass = ?`;
const DEPENDENTS = `
WITH RECURSIVE dependents (id) AS (
  SELECT task_id FROM needs WHERE run_id = ?1 AND need_id = ?2
  UNION
  SELECT needs.task_id FROM dependents JOIN needs ON run_id = ?1 AND need_id = dependents.id
)
SELECT tasks.* FROM dependents JOIN tasks ON run_id = ?1 AND tasks.id = dependents.id
WHERE state = ?3 ORDER BY position`;

/** Asks the machine what an event does to a task, and does it: the rows, and the one event. */
export function moveTask<M extends TaskMove>(
  ground: Ground,
  run: RunHead,
  task: TaskRow,
  move: M,
  facts: TaskFacts[M],
  detail: TaskDetail,
): TaskMoved {
  const decision = decideTask(task.state, move, facts);
  if (decision.kind === "refused") return decision;
  return new TaskTransition(ground, run, task, detail).perform(move, decision);
}

/** The tasks in a state that need one, directly or not. */
export function dependents(
  { connection }: Ground,
  runId: string,
  taskId: string,
  state: TaskState,
): TaskRow[] {
  return connection.all(DEPENDENTS, runId, taskId, state).map(taskOf);
}

/** The interpreter of a task's effects. */
class TaskTransition {
  readonly #ground: Ground;
  readonly #run: RunHead;
  readonly #before: TaskRow;
  readonly #after: Mutable<TaskRow>;
  readonly #detail: TaskDetail;
  #sequence: number;
  #skips = false;

  constructor(ground: Ground, run: RunHead, task: TaskRow, detail: TaskDetail) {
    this.#ground = ground;
    this.#run = run;
    this.#before = task;
    this.#after = { ...task };
    this.#detail = detail;
    this.#sequence = run.sequence;
  }

  perform(
    move: TaskMove,
    { to, effects, reason }: Extract<Decision<TaskState, TaskEffect>, { kind: "go" }>,
  ): TaskMoved {
    this.#after.state = to;
    for (const effect of effects) this.#do(effect);
    this.#write();
    this.#tell(move, reason);
    const skipped = this.#skips ? this.#skipDependents() : [];
    return { kind: "moved", task: this.#after, sequence: this.#sequence, skipped };
  }

  #do(effect: TaskEffect): void {
    const task = this.#after;
    switch (effect.kind) {
      case "open-attempt":
        return this.#open();
      case "close-attempt":
        return this.#close(effect.as, effect.reason);
      case "next-pass":
        task.pass++;
        task.attempt = this.#lastAttempt();
        return;
      case "defer":
        task.availableAt = effect.until;
        return this.#explain(effect.reason);
      case "end":
        task.availableAt = 0;
        return this.#explain(effect.reason);
      case "skip-dependents":
        this.#skips = true;
        return;
      case "reopen":
        task.pass = 1;
        task.attempt = this.#lastAttempt();
        task.availableAt = 0;
        task.reason =
          task.message =
          task.owner =
          task.token =
          task.output =
            null;
        return;
      default:
        return effect satisfies never;
    }
  }

  #explain(reason: string | null): void {
    this.#after.reason = reason;
    this.#after.message = reason === null ? null : this.#detail.message ?? null;
  }

  #open(): void {
    const { id: runId, round, epoch } = this.#run;
    const { now, by } = this.#detail;
    const task = this.#after;
    const { connection } = this.#ground;
    if (by === null) throw unexpected(`start task "${task.id}" of run "${runId}"`, "stale");
    this.#sequence = connection.get(RAISE, runId, by.owner, by.token)?.sequence as number;
    task.attempt++;
    task.owner = by.owner;
    task.token = by.token;
    task.availableAt = 0;
    this.#explain(null);
    const number = [task.pass, task.attempt, round, epoch] as const;
    connection.change(OPEN, runId, task.id, ...number, by.owner, by.token, this.#sequence, now);
  }

  #close(as: AttemptEnd, reason: string | null): void {
    const { id: runId } = this.#run;
    const { id, pass, attempt, owner, token } = this.#before;
    const { now, message = null, exitCode = null, signal = null, leftovers = 0, output = null } =
      this.#detail;
    const { connection } = this.#ground;
    const end = [as, reason, message, exitCode, signal, leftovers, now] as const;
    demandOne(
      connection.change(CLOSE, ...end, runId, id, pass, attempt, owner, token),
      `close attempt ${attempt} of task "${id}" of run "${runId}"`,
    );
    if (as !== "succeeded" || output === null) return;
    const { path, bytes, digest } = output;
    connection.change(PUBLISH, runId, id, pass, attempt, path, bytes, digest);
    this.#after.output = output;
  }

  #lastAttempt(): number {
    const { id, pass } = this.#after;
    return this.#ground.connection.get(LAST_ATTEMPT, this.#run.id, id, pass)?.attempt as number;
  }

  #write(): void {
    const { state, owner, token } = this.#before;
    const after = this.#after;
    const changed = this.#ground.connection.change(
      WRITE,
      after.state,
      after.reason,
      after.message,
      after.pass,
      after.attempt,
      after.availableAt,
      after.owner,
      after.token,
      this.#run.id,
      after.id,
      state,
      owner,
      token,
    );
    demandOne(changed, `write task "${after.id}" of run "${this.#run.id}"`);
  }

  #tell(move: TaskMove, reason: string | null): void {
    const { id: runId, token, epoch, round } = this.#run;
    const { now, by, message = null } = this.#detail;
    const before = this.#before;
    const { pass, attempt } = move === "start" ? this.#after : before;
    const tried = move === "start" || before.state === "running";
    addEvent(this.#ground.connection, {
      runId,
      at: now,
      kind: TASK_EVENT_KINDS[move],
      taskId: before.id,
      pass: tried ? pass : 0,
      attempt: tried ? attempt : 0,
      from: before.state,
      to: this.#after.state,
      owner: by?.owner ?? null,
      token,
      epoch,
      round,
      reason,
      message,
    });
  }

  #skipDependents(): string[] {
    const { now, by } = this.#detail;
    return dependents(this.#ground, this.#run.id, this.#before.id, "pending").map((task) => {
      const skipped = moveTask(this.#ground, this.#run, task, "skip", {}, { now, by });
      if (skipped.kind === "refused") throw unexpected(`skip task "${task.id}"`, skipped.why);
      return task.id;
    });
  }
}
