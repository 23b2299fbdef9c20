import type { HandBackReason, RunStatus } from "../../model/mod.ts";
import type { ClaimRefusal } from "../../store/mod.ts";

/** What the execution of a run came to. */
export type Executed =
  | {
    /** The run has ended, with the verdict of its tasks. */
    readonly kind: "finished";
    /** The run. */
    readonly runId: string;
    /** How it ended. */
    readonly state: RunStatus;
    /** Why: a code from the catalogue of reasons, `null` where it succeeded. */
    readonly reason: string | null;
  }
  | {
    /** The run went back to the queue, or was cancelled on the way there. */
    readonly kind: "handed-back";
    /** The run. */
    readonly runId: string;
    /** Why. */
    readonly reason: HandBackReason;
    /** What kept it from going on, `null` where it was a drain. */
    readonly error: unknown;
  }
  | {
    /** The claim was lost: its trees are dead, and what they came to was discarded. */
    readonly kind: "lost";
    /** The run. */
    readonly runId: string;
  }
  | {
    /** The swarm was stopped; what ran is dead, and nothing of it is settled. */
    readonly kind: "stopped";
    /** The run. */
    readonly runId: string;
  }
  | Unclaimed;

/** Why nothing was executed. */
export type Unclaimed =
  | {
    /** The swarm is stopped. */
    readonly kind: "stopped";
    /** There is none. */
    readonly runId: null;
  }
  | {
    /** Nothing is due. */
    readonly kind: "none";
    /** When something will be, on the store's clock; `null` where nothing waits. */
    readonly nextAt: number | null;
    /** Now, on the store's clock. */
    readonly at: number;
  }
  | {
    /** The one run that was wanted cannot be claimed. */
    readonly kind: "refused";
    /** The run. */
    readonly runId: string;
    /** Why. */
    readonly why: ClaimRefusal;
    /** From when on it can be, `null` where that is not a matter of time. */
    readonly availableAt: number | null;
  };
