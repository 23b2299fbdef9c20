import { isPositiveInteger, type Lease } from "./lease.ts";

/** The part of a lease that a destination compares. */
export type GateLease = Pick<Lease, "runId" | "taskId" | "epoch" | "sequence" | "token">;

/** What a destination has seen so far. It is kept with what is written, and changed in the same transaction. */
export interface GateMark {
  /** The highest epoch that any lease of the swarm had, or that the destination was told; 0 before the first. */
  readonly epoch: number;
  /** The highest token that a lease of the run had; 0 before the first, and for a local run, whose leases have none. */
  readonly token: number;
  /**
   * The highest sequence that a lease of the run had under that token; 0 before the first. A destination that several
   * tasks of a run write to at the same time keeps one for each task: a lease is out of date because its own task has
   * got a later one, and not because another task has.
   */
  readonly sequence: number;
}

/** Why a destination refuses a write. */
export type GateRefusal =
  /** What came is no lease. */
  | "no-lease"
  /** What the destination remembers is no mark: nothing can be compared with it. */
  | "no-mark"
  /** The lease is of an epoch that a stop has ended. */
  | "old-epoch"
  /** The run was claimed again since: by now its tasks are somebody else's. */
  | "old-token"
  /** The run has given out a later lease since. */
  | "old-sequence";

/** What the gate says. */
export type GateAnswer =
  | {
    readonly admitted: true;
    /** What the destination has to remember, in the same transaction as the write. */
    readonly mark: GateMark;
  }
  | { readonly admitted: false; readonly why: GateRefusal; readonly message: string };

/**
 * The gate of a storage system: whether a write under a lease may pass a destination that has seen a mark. It refuses
 * an epoch, and a pair of token and sequence of the same run, that is lower than one it has seen. The same lease may
 * pass as often as it comes. Pure: the destination reads the mark, compares and writes without anybody in between.
 *
 * It does not know of a stop by itself: a destination that can read the state directory passes the current epoch as
 * the mark's, any other is told.
 *
 * @example
 * ```ts
 * import { passGate } from "@skein/cli";
 *
 * const lease = { runId: "r", taskId: "a", epoch: 3, token: 2, sequence: 9 };
 * const answer = passGate(lease, { epoch: 3, token: 2, sequence: 7 });
 * if (answer.admitted) console.log(answer.mark); // { epoch: 3, token: 2, sequence: 9 }
 * const late = passGate(lease, { epoch: 4, token: 2, sequence: 7 });
 * if (!late.admitted) console.log(late.why); // "old-epoch"
 * ```
 */
export function passGate(lease: GateLease, seen: GateMark): GateAnswer {
  if (!isLease(lease)) {
    return refuse("no-lease", "Run, task, epoch, sequence or token is missing or malformed");
  }
  if (!isMark(seen)) return refuse("no-mark", "What was seen before is missing or malformed");
  const { epoch, sequence, token = LOCAL } = lease;
  if (epoch < seen.epoch) {
    return refuse("old-epoch", `The lease is of epoch ${epoch}, and ${seen.epoch} was seen`);
  }
  if (token < seen.token) {
    return refuse("old-token", `The lease has token ${token}, and ${seen.token} was seen`);
  }
  if (token === seen.token && sequence < seen.sequence) {
    return refuse(
      "old-sequence",
      `The lease has sequence ${sequence}, and ${seen.sequence} was seen`,
    );
  }
  return { admitted: true, mark: { epoch, token, sequence } };
}

/** What stands for the token of a local run: claims begin with 1. */
const LOCAL = 0;

/** What comes from outside may be anything, whatever its type says. */
function isLease(lease: GateLease | null | undefined): boolean {
  if (typeof lease !== "object" || lease === null) return false;
  const { runId, taskId, epoch, sequence, token } = lease;
  return typeof runId === "string" && runId !== "" && typeof taskId === "string" && taskId !== "" &&
    isPositiveInteger(epoch) && isPositiveInteger(sequence) &&
    (token === undefined || isPositiveInteger(token));
}

function isMark(mark: GateMark | null | undefined): boolean {
  if (typeof mark !== "object" || mark === null) return false;
  return [mark.epoch, mark.token, mark.sequence].every((one) =>
    one === 0 || isPositiveInteger(one)
  );
}

function refuse(why: GateRefusal, message: string): GateAnswer {
  return { admitted: false, why, message };
}
