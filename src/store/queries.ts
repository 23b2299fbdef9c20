import type { QueuedRun, RunState } from "../model/mod.ts";

/** Which runs. */
export interface RunFilter {
  /** Those in one of these states; all by default. */
  readonly states?: readonly RunState[];
  /** Those whose id sorts before this one: to page on. */
  readonly before?: string;
  /** Most runs. */
  readonly limit: number;
}

/** What an id or the beginning of one names. */
export type RunLookup =
  | { readonly kind: "found"; readonly run: QueuedRun }
  | { readonly kind: "none" }
  /** More than one begins with it; some of them. */
  | { readonly kind: "ambiguous"; readonly runIds: readonly string[] };

/** The queue in figures. */
export interface QueueCounts {
  /** Runs by where they are. */
  readonly states: Readonly<Record<RunState, number>>;
  /** Since when the queued run that has waited longest is due, `null` where none is. */
  readonly oldestDueAt: number | null;
  /** When the next run that waits is due, `null` where none waits. */
  readonly nextDueAt: number | null;
  /** Now, on the store's clock. */
  readonly at: number;
}

/** A broken invariant. */
export interface Violation {
  /** The check that found it. */
  readonly check: string;
  /** What it is about: a run, `run/task`, an executor, a role. */
  readonly id: string;
  /** What is wrong. */
  readonly message: string;
}

/** Which ended runs are kept. A run is pruned where it is beyond any of the bounds that are given. */
export interface PruneRequest {
  /** The newest that are kept. */
  readonly keepRuns?: number;
  /** Those that ended at most so long ago are kept, in milliseconds. */
  readonly keepMs?: number;
  /** Most runs that are removed in this transaction; 100 by default. */
  readonly limit?: number;
}

/** What a pruning came to. */
export interface PruneResult {
  /** Runs that are no longer in the store: their folders are garbage. */
  readonly runIds: readonly string[];
  /** Whether there is more to prune. */
  readonly more: boolean;
}
