import type { Clock, Rng } from "../../clock/mod.ts";
import type { ClosedRun, Latch, PruneRequest, Store } from "../../store/mod.ts";
import type { Executed } from "./executed.ts";
import type { EngineNotice, EngineOptions } from "./options.ts";

/** When a worker ends by itself. */
export type WorkerUntil =
  /** Never: it claims until it is stopped. */
  | "stopped"
  /** As soon as nothing is queued or running any more, here or elsewhere: what an executor loses comes back. */
  | "idle"
  /** After one run, or at once where none is due. */
  | "once";

/** How a `Worker` works. What an engine is given holds for it too. */
export interface WorkerOptions
  extends Omit<EngineOptions, "store" | "fence" | "clock" | "rng" | "onNotice"> {
  /** The state directory; it is made where there is none. */
  readonly stateDir: string;
  /** Runs at the same time; 1 by default. */
  readonly concurrency?: number;
  /** When it ends by itself; `stopped` by default. */
  readonly until?: WorkerUntil;
  /** The one run that is wanted, where it ends after one; the first in the queue otherwise. */
  readonly runId?: string;
  /** How long what runs may take to end once it drains, in milliseconds; 30,000 by default. */
  readonly drainGraceMs?: number;
  /** Which ended runs are kept; the newest 10,000 by default. `null` prunes nothing. */
  readonly keep?: Pick<PruneRequest, "keepRuns" | "keepMs"> | null;
  /** Opens the queue; `queue.db` of the state directory by default. The worker closes it. */
  readonly openStore?: (latch: Latch) => Promise<Store>;
  /** Time; the machine's by default. */
  readonly clock?: Clock;
  /** Chance; the machine's by default. */
  readonly rng?: Rng;
  /** Told what happens. An error that it throws is dropped. */
  readonly onNotice?: (notice: WorkerNotice) => void;
}

/** What a worker tells a reader. */
export type WorkerNotice =
  | EngineNotice
  | {
    /** It was asked to drain. */
    readonly kind: "draining";
    /** By whom: its own process, or `skein drain`. */
    readonly by: "process" | "request";
  }
  | {
    /** A run of an older epoch was closed as stopped. */
    readonly kind: "closed";
    /** Which. */
    readonly run: ClosedRun;
  }
  | {
    /** Ended runs were removed. */
    readonly kind: "pruned";
    /** Which. */
    readonly runIds: readonly string[];
  };

/** How a worker has ended. */
export interface WorkerEnd {
  /** Why: it drained, nothing was left, it had its one run, or the swarm was stopped. */
  readonly why: "drained" | "idle" | "once" | "stopped";
  /** How many runs it has executed to whatever end. */
  readonly executed: number;
  /** What the last one came to, or why the one that was wanted was not had; `null` where there was none. */
  readonly last: Executed | null;
}

/** How long what runs may take to end once a worker drains. */
export const DEFAULT_DRAIN_GRACE_MS = 30_000;
/** How many ended runs a worker keeps. */
export const DEFAULT_KEEP_RUNS = 10_000;
