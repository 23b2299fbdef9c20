import type { Manifest, Refusal, RunState } from "../model/mod.ts";

/** A run to be queued. */
export interface Submission {
  /** The new run's id. */
  readonly runId: string;
  /** What makes it idempotent: the same key and manifest again give the same run. */
  readonly key: string | null;
  /** Minutes of waiting that it is given in advance; negative ones let others go first. */
  readonly priority: number;
  /** The current epoch: a stop after it invalidates the run. */
  readonly epoch: number;
  /** What to run, canonical. */
  readonly manifest: Manifest;
}

/** What a submission came to. */
export type SubmitResult =
  | { readonly kind: "submitted"; readonly runId: string }
  /** It is there already: the same key or id, and the same manifest. */
  | { readonly kind: "known"; readonly runId: string }
  /** Another manifest was submitted under the key or the id. */
  | { readonly kind: "key-taken"; readonly runId: string }
  /** The latch is set, or the epoch is no longer the caller's. */
  | { readonly kind: "stopped" };

/** What a cancellation came to. */
export type CancelResult =
  /** It was queued, and has ended. */
  | { readonly kind: "cancelled" }
  /** It runs: the request is set, and its executor ends it. */
  | { readonly kind: "requested" }
  /** The request is set already. */
  | { readonly kind: "already" }
  /** It has ended before. */
  | { readonly kind: "ended"; readonly state: RunState }
  | { readonly kind: "unknown" };

/** How a run is retried. */
export interface RetryRequest {
  /** The current epoch, which becomes the run's. */
  readonly epoch: number;
  /** Whether tasks that succeeded keep what they have settled; all tasks are reopened otherwise. */
  readonly failedOnly: boolean;
  /** Who asks. */
  readonly by: string;
}

/** What a retry came to. */
export type RetryResult =
  | { readonly kind: "requeued"; readonly round: number; readonly reopened: number }
  /** There is nothing to do again, or it has not ended, or the epoch that was named is below its own. */
  | {
    readonly kind: "refused";
    readonly why: Extract<Refusal, "succeeded" | "not-ended" | "outdated">;
    readonly state: RunState;
  }
  /** The latch is set, or the epoch is no longer the caller's. */
  | { readonly kind: "stopped" }
  | { readonly kind: "unknown" };

/** A run that a stop has invalidated, and that was closed. */
export interface ClosedRun {
  /** The run. */
  readonly runId: string;
  /** Where it was. */
  readonly from: "queued" | "running";
  /** The executor that held it, `null` where it was queued. */
  readonly owner: string | null;
  /** Its token before it was closed. */
  readonly token: number;
  /** The epoch that is over. */
  readonly epoch: number;
}
