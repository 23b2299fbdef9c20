import type { RunState } from "../model/mod.ts";
import type { LeaseRef } from "./claims.ts";

/** How losses are judged: for {@linkcode Store.reap} and {@linkcode Store.recover}. */
export interface LossTerms {
  /** The epoch that the caller read: a running run of an older one than the current is closed as stopped. */
  readonly epoch: number;
  /** How long past its end a claim is still left alone, for clocks that disagree, in milliseconds. */
  readonly allowanceMs: number;
  /** The wait before a lost run is due again: full jitter under a bound that doubles with each crash. */
  readonly backoff: {
    /** The first bound, in milliseconds. */
    readonly baseMs: number;
    /** The highest bound, in milliseconds. */
    readonly maxMs: number;
  };
  /** The crash count that fails a run instead of requeueing it. */
  readonly maxCrashCount: number;
  /** Executors that are verifiably gone: only their losses count as crashes. */
  readonly gone: readonly string[];
}

/** What a sweep is asked for. */
export interface ReapRequest extends LossTerms {
  /** Most runs that it takes; all by default. */
  readonly limit?: number;
}

/** A run that was taken from an executor that lost it. */
export interface ReapedRun {
  /** The claim that was lost. */
  readonly ref: LeaseRef;
  /** Where the run is now. */
  readonly state: RunState;
  /** Why: a code from the catalogue of reasons. */
  readonly reason: string | null;
  /** Whether the loss was counted as a crash. */
  readonly crashed: boolean;
  /** Crashes in this round, with this one. */
  readonly crashCount: number;
  /** When the run is due again, `null` where it has ended. */
  readonly availableAt: number | null;
}

/** What a recovery came to. */
export type RecoverResult =
  | ({ readonly kind: "recovered" } & ReapedRun)
  /** Its claim may still be held: until `expiresAt`, the allowance included; `at` is now. */
  | { readonly kind: "alive"; readonly expiresAt: number; readonly at: number }
  /** It is not running, and was left untouched. */
  | { readonly kind: "not-running"; readonly state: RunState }
  /** The swarm is stopped, or the epoch is no longer the caller's: the next epoch closes the run. */
  | { readonly kind: "stopped" }
  | { readonly kind: "unknown" };
