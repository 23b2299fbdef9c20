import type {
  AttemptNumber,
  CancelReason,
  Holder,
  Manifest,
  QueuedTask,
  Refusal,
  RunStatus,
  SettledOutput,
} from "../model/mod.ts";
import type { ReasonCode } from "../reason/mod.ts";

/** A claim as its holder believes in it. Every write on a claimed run carries it; the store decides what it is worth. */
export interface LeaseRef extends Holder {
  /** The run. */
  readonly runId: string;
}

/** An attempt of a pass, as {@linkcode Store.startTask} numbered it. */
export interface AttemptRef extends AttemptNumber {
  /** The task. */
  readonly taskId: string;
}

/** What a worker asks for. */
export interface ClaimRequest {
  /** The executor that will hold the run. */
  readonly owner: string;
  /** The epoch that it entered with. */
  readonly epoch: number;
  /** For how long the claim holds without a renewal, in milliseconds. */
  readonly leaseTtlMs: number;
  /** The one run that is wanted; the first in the queue otherwise. */
  readonly runId?: string;
  /** Whether the worker holds other runs: it then gets none that must execute alone. */
  readonly busy?: boolean;
}

/** A run that was claimed. */
export interface ClaimedRun {
  /** The claim. */
  readonly ref: LeaseRef;
  /** The epoch of the run. */
  readonly epoch: number;
  /** The round, from 1; an operator's retry opens the next one. */
  readonly round: number;
  /** Whether it must execute alone in its worker: an executor of it has died. */
  readonly alone: boolean;
  /** The sequence of the last attempt that was started; the next one's is above it. */
  readonly sequence: number;
  /** When the claim was made, on the store's clock. */
  readonly at: number;
  /** When the claim ends without a renewal, on the store's clock. */
  readonly leaseExpiresAt: number;
  /** What to run. */
  readonly manifest: Manifest;
  /** Every task in the manifest's order: what is settled stays settled. */
  readonly tasks: readonly QueuedTask[];
}

/** What a claim came to. */
export type ClaimResult =
  | ({ readonly kind: "claimed" } & ClaimedRun)
  /** Nothing is due. `nextAt` is when something of this epoch will be, `null` where nothing waits; `at` is now. */
  | { readonly kind: "none"; readonly nextAt: number | null; readonly at: number }
  /** The one run that was wanted cannot be claimed: the machine's reason. Only where `runId` was given. */
  | { readonly kind: "refused"; readonly why: ClaimRefusal; readonly availableAt: number | null }
  /** The latch is set, or the epoch is no longer the caller's. */
  | { readonly kind: "stopped" };

/** Why the run that was wanted cannot be claimed; `unknown`: it is not there. */
export type ClaimRefusal =
  | Extract<Refusal, "invalidated" | "deferred" | "alone" | "not-queued">
  | "unknown";

/** What a start came to. */
export type StartResult =
  | {
    readonly kind: "started";
    /** The pass, from 1. */
    readonly pass: number;
    /** The attempt at the pass, from 1 over all rounds. */
    readonly attempt: number;
    /** The lease's sequence: higher than every earlier one of the run. */
    readonly sequence: number;
    /** When, on the store's clock. */
    readonly at: number;
    /** What the pass before has settled, `null` for the first pass or where it wrote nothing. */
    readonly input: SettledOutput | null;
  }
  | { readonly kind: "refused"; readonly why: StartRefusal; readonly availableAt: number | null };

/** Why a task cannot start; `stopped`: the latch is set, or the epoch has moved; `unknown`: there is no such task. */
export type StartRefusal =
  | Extract<Refusal, "stale" | "cancelled" | "needs" | "deferred" | "not-pending">
  | "stopped"
  | "unknown";

/** What became of an attempt, as its executor saw it. */
export type TaskVerdict =
  & {
    /** The exit code of the process, `null` without one. */
    readonly exitCode?: number | null;
    /** The signal that ended the process, `null` without one. */
    readonly signal?: string | null;
    /** Processes that it had left behind, and that were killed. */
    readonly leftovers?: number;
  }
  & (
    /** The pass succeeded. Committing this is the publication of its output. */
    | { readonly kind: "succeeded"; readonly output: SettledOutput | null }
    /** The attempt failed. `retryable`: another attempt can help. */
    | {
      readonly kind: "failed";
      /** A code of the family `TASK_FAILED_`. */
      readonly reason: ReasonCode;
      readonly message: string | null;
      readonly retryable: boolean;
    }
    /** It was ended because the run's cancellation was requested, or the run's time was over. */
    | { readonly kind: "cancelled"; readonly reason: CancelReason; readonly message: string | null }
  );

/** What a settle came to. */
export type SettleResult =
  | {
    readonly kind: "settled";
    /** Where the task is now: `pending` at its next pass or for its next attempt, or ended. */
    readonly state: "pending" | "succeeded" | "failed" | "cancelled";
    /** The pass that is next, or was the last. */
    readonly pass: number;
    /** From when on it may start again, on the store's clock; `null` where it has ended. */
    readonly availableAt: number | null;
    /** Tasks that can no longer start because of this one, and were skipped in the same transaction. */
    readonly skipped: readonly string[];
    /** When, on the store's clock. */
    readonly at: number;
  }
  /** The claim or the attempt is not the caller's any more: nothing was written. */
  | { readonly kind: "stale" }
  /** The latch is set, or the epoch has moved: nothing was written. */
  | { readonly kind: "stopped" };

/** How a run ends. */
export interface FinishRequest {
  /** Whether the run's time is over: what is still pending is then cancelled. */
  readonly timedOut?: boolean;
}

/** What the end of a run came to. */
export type FinishResult =
  | {
    readonly kind: "finished";
    /** How the run ended. */
    readonly state: RunStatus;
    /** Why, `null` where it succeeded. */
    readonly reason: string | null;
    /** When, on the store's clock. */
    readonly at: number;
  }
  | { readonly kind: "stale" }
  | { readonly kind: "stopped" }
  /** Tasks that have not ended. */
  | { readonly kind: "unsettled"; readonly tasks: readonly string[] };

/** What a batch of renewals came to. */
export interface RenewResult {
  /** When the answer was true, on the store's clock. */
  readonly at: number;
  /** When the renewed claims end without another renewal, on the store's clock. */
  readonly expiresAt: number;
  /** Claims that hold on. */
  readonly renewed: readonly LeaseRef[];
  /** Claims that are lost: expired, taken, or ended. */
  readonly lost: readonly LeaseRef[];
}
