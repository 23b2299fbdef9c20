import type { CheckFacts, HolderFacts } from "./machine.ts";
import type { CancelReason, HandBackReason, MachineReason } from "./machine_reason.ts";
import type { RunStatus } from "./run.ts";
import type { TaskState } from "./task_moves.ts";
import type { TaskGroup } from "./verdict.ts";

/** Where a queued run is. One that waits is queued, with a time and a reason. */
export type RunState = "queued" | "running" | RunStatus;

/** What can happen to a run. */
export type RunMove = "claim" | "finish" | "hand-back" | "lose" | "cancel" | "stop" | "retry";

/** What each event of a run is judged by. Times are in milliseconds of the store's clock. */
export interface RunFacts {
  /** A worker takes it. */
  readonly claim: CheckFacts & {
    /** When it is due, `null` where it is due already. */
    readonly availableAt: number | null;
    /** Now. */
    readonly now: number;
    /** Verified deaths of its executor in this round. */
    readonly crashCount: number;
    /** Whether the worker holds other runs. */
    readonly busy: boolean;
  };
  /** The holder settles it. */
  readonly finish: HolderFacts & {
    /** Its tasks. */
    readonly tasks: readonly TaskGroup[];
    /** Whether a cancellation was requested in this round. */
    readonly cancelRequested: boolean;
    /** Whether the run's time is over. */
    readonly timedOut: boolean;
  };
  /** The holder hands it back at a clean stop. */
  readonly "hand-back": Pick<HolderFacts, "epoch" | "runEpoch" | "holder" | "caller"> & {
    /** Why. */
    readonly reason: HandBackReason;
    /** When it is due again. */
    readonly dueAt: number;
    /** Whether a cancellation was requested in this round. */
    readonly cancelRequested: boolean;
  };
  /** The reaper, or a recovery, takes it from a holder whose lease has expired. */
  readonly lose: CheckFacts & {
    /** When the lease expires, `null` where there is none. */
    readonly leaseExpiresAt: number | null;
    /** How much longer than the lease to wait: clocks differ. */
    readonly allowanceMs: number;
    /** Now. */
    readonly now: number;
    /** Whether a cancellation was requested in this round. */
    readonly cancelRequested: boolean;
    /** Whether the executor is verifiably gone. */
    readonly gone: boolean;
    /** Verified deaths of its executor in this round, this one not included. */
    readonly crashCount: number;
    /** The number of deaths that quarantines it. */
    readonly maxCrashCount: number;
    /** When it is due again. */
    readonly dueAt: number;
  };
  /** An operator does not want it any more. */
  readonly cancel: {
    /** Whether a cancellation was requested in this round. */
    readonly cancelRequested: boolean;
  };
  /** A stop has passed since it was queued. */
  readonly stop: Pick<CheckFacts, "epoch" | "runEpoch">;
  /** An operator wants it again. */
  readonly retry: CheckFacts & {
    /** Whether tasks that have succeeded are kept. */
    readonly failedOnly: boolean;
  };
}

/** An event for each task of a run that is in one of the states. */
export type TaskOrder =
  | { readonly states: readonly TaskState[]; readonly move: "lose" | "stop" | "reopen" }
  | {
    readonly states: readonly TaskState[];
    readonly move: "hand-back";
    readonly reason: HandBackReason;
  }
  | {
    readonly states: readonly TaskState[];
    readonly move: "cancel";
    readonly reason: CancelReason;
  };

/** What goes with a transition of a run. */
export type RunEffect =
  /** The token rises by one: whoever held it before writes nothing any more. */
  | { readonly kind: "raise-token" }
  /** The claimer is its owner, with a lease; the time of the round's first start; no deferral any more. */
  | { readonly kind: "take" }
  /** No owner and no lease. */
  | { readonly kind: "free" }
  /** Due at a time, for a reason. */
  | { readonly kind: "defer"; readonly until: number; readonly reason: MachineReason }
  /** Its executor died. */
  | { readonly kind: "count-crash" }
  /** A cancellation is requested, in this round for good. */
  | { readonly kind: "request-cancel" }
  /** It has ended: the time, and why; no lease and no deferral. Owner and token stay as they are. */
  | { readonly kind: "end"; readonly reason: MachineReason | null }
  /** The next round, at an epoch, queued now and due at once: no crashes, no request, nothing of how it had ended. */
  | { readonly kind: "reopen"; readonly epoch: number }
  /** Each task's own table decides, and writes a row of its own. */
  | { readonly kind: "move-tasks"; readonly order: TaskOrder };
