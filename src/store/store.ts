import type {
  AttemptRow,
  HandBackReason,
  Manifest,
  QueuedRun,
  QueuedTask,
  StoreEvent,
} from "../model/mod.ts";
import type {
  AttemptRef,
  ClaimRequest,
  ClaimResult,
  FinishRequest,
  FinishResult,
  LeaseRef,
  RenewResult,
  SettleResult,
  StartResult,
  TaskVerdict,
} from "./claims.ts";
import type { ExecutorRow, Registration, RoleRow } from "./executors.ts";
import type { LossTerms, ReapedRun, ReapRequest, RecoverResult } from "./losses.ts";
import type {
  CancelResult,
  ClosedRun,
  RetryRequest,
  RetryResult,
  Submission,
  SubmitResult,
} from "./operators.ts";
import type {
  PruneRequest,
  PruneResult,
  QueueCounts,
  RunFilter,
  RunLookup,
  Violation,
} from "./queries.ts";

/** What the store asks of the fence, inside its write transactions. */
export interface Latch {
  /** Whether nothing is at STOP. */
  isClear(): boolean;
  /** The current epoch, 0 where it is not known. */
  epoch(): number;
}

/**
 * The durable queue. Every method that writes is one transaction; the machine of the model decides, and every
 * transition has its one event. No method takes a function: a process inside a transaction cannot be written. Times
 * are whole milliseconds of the store's own clock, which the answers give as `at`.
 *
 * Every method rejects with a {@linkcode SkeinError}, `state-unusable` or `state-corrupt`, where the database cannot be
 * used. Whether the transaction then was committed is not known; asking again is safe.
 */
export interface Store {
  // The queue.

  /** Queues a run. Idempotent by key and by id. Refused while stopped. */
  submit(submission: Submission): Promise<SubmitResult>;
  /**
   * Takes a run: the one that has waited longest, where each point of priority counts as a minute, or the one that is
   * named. The check of the latch and of the epoch is made inside the transaction. A busy worker gets no run that must
   * execute alone; one that has been due for five minutes keeps it from taking others, so that none starves.
   */
  claim(request: ClaimRequest): Promise<ClaimResult>;
  /** Starts the next attempt of a task: its number, its lease's sequence, its event. With the check. */
  startTask(ref: LeaseRef, taskId: string): Promise<StartResult>;
  /**
   * Writes the verdict of an attempt, and skips what can no longer start. With the check. Where the attempt has ended
   * already just so and is the caller's own, its answer was lost, and is given again.
   */
  settleTask(ref: LeaseRef, attempt: AttemptRef, verdict: TaskVerdict): Promise<SettleResult>;
  /** Ends a run with the verdict of its tasks. With the check. An answer that was lost is given again. */
  finishRun(ref: LeaseRef, request?: FinishRequest): Promise<FinishResult>;
  /** Renews claims in one transaction. What has expired is never renewed. */
  renew(refs: readonly LeaseRef[], leaseTtlMs: number): Promise<RenewResult>;
  /**
   * Hands a run back at a clean stop: attempts of the claim are closed and count against nothing. Returns whether the
   * store took it; `false`: it was not the caller's to give.
   */
  handBack(ref: LeaseRef, reason: HandBackReason): Promise<boolean>;
  /** Those of the claims that still hold and whose run has a cancellation requested. */
  cancelRequested(refs: readonly LeaseRef[]): Promise<LeaseRef[]>;
  /** Notes that a write was refused and its result discarded. Changes no state; an unknown run is left out. */
  refuseNote(
    ref: LeaseRef,
    attempt: AttemptRef | null,
    why: "stale" | "stopped",
    message: string,
  ): Promise<void>;

  // Losses.

  /** One sweep: takes the running runs whose claim expired, a transaction each, and closes those of older epochs. */
  reap(request: ReapRequest): Promise<ReapedRun[]>;
  /** The same for one run. */
  recover(runId: string, terms: LossTerms): Promise<RecoverResult>;
  /** Closes what is queued or running in an older epoch as stopped: no crash is counted. */
  closeStopped(epoch: number): Promise<ClosedRun[]>;

  // Operators.

  /** Cancels a run that is queued, or requests it of one that runs. Never taken back within a round. */
  cancel(runId: string, by: string): Promise<CancelResult>;
  /** Reopens a run that has ended, as the next round, at the current epoch. */
  retry(runId: string, request: RetryRequest): Promise<RetryResult>;
  /** Asks an executor to drain, or every live one where it is `null`. Returns how many were asked. */
  requestDrain(owner: string | null): Promise<number>;
  /** Whether an executor was asked to drain. */
  drainRequested(owner: string): Promise<boolean>;

  // Executors and roles.

  /** Enters an executor. */
  registerExecutor(registration: Registration): Promise<void>;
  /** Says that an executor lives. Returns `false` where it is unknown or has ended. */
  heartbeat(owner: string): Promise<boolean>;
  /** Ends an executor for good: itself, cleanly, or for one that is gone and whose runs were taken. */
  endExecutor(owner: string): Promise<void>;
  /** Every executor that has not ended, and those that ended and still hold a run. */
  executors(): Promise<ExecutorRow[]>;
  /** Takes a role that is free or has expired, or keeps one's own. Returns its token, `null` where it is held. */
  acquireRole(name: string, owner: string, ttlMs: number): Promise<number | null>;
  /** Keeps a role. Returns `false` where it is lost; what has expired is never renewed. */
  renewRole(name: string, owner: string, token: number, ttlMs: number): Promise<boolean>;
  /** Gives a role up. Returns `false` where it was lost before. */
  releaseRole(name: string, owner: string, token: number): Promise<boolean>;
  /** Every role. */
  roles(): Promise<RoleRow[]>;

  // What a reader asks.

  /** Runs, the newest first. */
  runs(filter: RunFilter): Promise<QueuedRun[]>;
  /** The run of an id, or of the beginning of one. */
  run(idOrPrefix: string): Promise<RunLookup>;
  /** The manifest of a run, `null` where there is no such run. */
  manifest(runId: string): Promise<Manifest | null>;
  /** The tasks of a run, in the manifest's order. */
  tasks(runId: string): Promise<QueuedTask[]>;
  /** The attempts of a run, in the order of their start. */
  attempts(runId: string): Promise<AttemptRow[]>;
  /** The events of a run after the one of a number, in order; from the first with 0. */
  events(runId: string, after: number, limit?: number): Promise<StoreEvent[]>;
  /** The queue in figures. */
  counts(): Promise<QueueCounts>;

  // Care.

  /** The highest epoch that the store has seen; it survives pruning. 0 in an empty store. */
  highestEpoch(): Promise<number>;
  /** Raises the highest epoch; a lower one changes nothing. */
  raiseEpoch(epoch: number): Promise<void>;
  /** Removes ended runs beyond what is kept, with all that belongs to them, and executors that have ended. */
  prune(request: PruneRequest): Promise<PruneResult>;
  /** Moves the log into the database, as far as no reader keeps it. */
  checkpoint(): Promise<void>;
  /** Looks for broken invariants; empty where there are none. Whether outputs are on the disk is the engine's to see. */
  fsck(): Promise<Violation[]>;
  /** Closes it; a wait for the write lock ends. */
  close(): Promise<void>;
}
