import type { HolderFacts } from "./machine.ts";
import type { HandBackReason } from "./machine_reason.ts";
import type { TaskStatus } from "./run.ts";

/** Where a queued run's task is. One that waits for its next attempt is pending, with a time and a reason. */
export type TaskState = "pending" | "running" | TaskStatus;

/** What can happen to a task. */
export type TaskMove =
  | "start"
  | "succeed"
  | "fail"
  | "lose"
  | "hand-back"
  | "skip"
  | "cancel"
  | "stop"
  | "reopen";

/** How an attempt ended. One that was handed back counts against nothing. */
export type AttemptEnd = "succeeded" | "failed" | "lost" | "handed-back" | "cancelled" | "stopped";

/** Which attempt of a task. */
export interface AttemptNumber {
  /** The pass, from 1. */
  readonly pass: number;
  /** The attempt at the pass, from 1, over all rounds. */
  readonly attempt: number;
}

/** What the start of an attempt is judged by. The holder is the run's: who claimed it. */
export interface StartFacts extends HolderFacts {
  /** Whether a cancellation was requested in this round. */
  readonly cancelRequested: boolean;
  /** Whether every task in its needs has succeeded. */
  readonly needsMet: boolean;
  /** When it is due, `null` where it is due already. */
  readonly availableAt: number | null;
}

/** What a verdict about an attempt is judged by. The holder is the task's: who started the attempt. */
export interface SettleFacts extends HolderFacts {
  /** The attempt that runs by the row. */
  readonly active: AttemptNumber;
  /** The attempt that the verdict is about. */
  readonly settled: AttemptNumber;
}

/** How often the pass of a task was tried. */
export interface TryFacts {
  /** Attempts at this pass in this round, this one included, those that were handed back not. */
  readonly counted: number;
  /** Attempts that it may have. */
  readonly maxAttempts: number;
}

/** An event that is judged by the state alone. */
export type NoFacts = Readonly<Record<never, never>>;

/** What each event of a task is judged by. */
export interface TaskFacts {
  /** The holder starts the next attempt. */
  readonly start: StartFacts;
  /** The holder settles an attempt that succeeded. */
  readonly succeed: SettleFacts & {
    /** Passes of the task. */
    readonly passes: number;
  };
  /** The holder settles an attempt that failed. */
  readonly fail: SettleFacts & TryFacts & {
    /** Why: a code of the family `TASK_FAILED_`. */
    readonly reason: string;
    /** Whether another attempt can help. */
    readonly retryable: boolean;
    /** When the next attempt would be due. */
    readonly retryAt: number;
  };
  /** The run was lost with its executor. */
  readonly lose: TryFacts;
  /** The run is handed back. */
  readonly "hand-back": {
    /** Why. */
    readonly reason: HandBackReason;
  };
  /** A task that it needs did not succeed. */
  readonly skip: NoFacts;
  /** It is not to go on. */
  readonly cancel: {
    /** Why: a code of the family `TASK_CANCELLED`. */
    readonly reason: string;
    /** The holder's settlement of a running attempt; `null` where the run's own end cancels a pending task. */
    readonly settle: SettleFacts | null;
  };
  /** The run was stopped. */
  readonly stop: NoFacts;
  /** The run starts over, in its next round. */
  readonly reopen: NoFacts;
}

/** What goes with a transition of a task. */
export type TaskEffect =
  /** The next attempt at the pass, with the run's next sequence and the caller as its holder; no deferral any more. */
  | { readonly kind: "open-attempt" }
  /** The attempt that runs has ended. The task's row keeps its holder and its number. */
  | { readonly kind: "close-attempt"; readonly as: AttemptEnd; readonly reason: string | null }
  /** The next pass, due at once. */
  | { readonly kind: "next-pass" }
  /** Due at a time, for a reason. */
  | { readonly kind: "defer"; readonly until: number; readonly reason: string }
  /** It has ended: the time, and why; no deferral any more. */
  | { readonly kind: "end"; readonly reason: string | null }
  /** Every pending task that needs it, directly or through others: its `skip`, with a row of its own. */
  | { readonly kind: "skip-dependents" }
  /** The first pass again, due at once; nothing of how it had ended, and no holder. */
  | { readonly kind: "reopen" };
