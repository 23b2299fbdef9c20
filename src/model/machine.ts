import type { MachineReason } from "./machine_reason.ts";

/** The order in which the guards of a rule are read: the first that refuses decides. */
export const GUARD_ORDER = ["latch", "fence", "precondition", "reason"] as const;

/** What a guard looks at: the latch, the right to write, the state of things, the explanation. */
export type GuardKind = typeof GUARD_ORDER[number];

/** Every answer of a guard, with what it means. */
export const REFUSALS = {
  "latched": "the swarm is stopped, or the epoch that the caller read has passed",
  "invalidated": "the run belongs to another epoch: a stop has passed since it was queued",
  "stale":
    "the caller does not hold it: another owner or token, an expired lease, a settled attempt",
  "outdated": "the epoch that is asked for is below the run's",
  "deferred": "its time has not come",
  "alone": "it crashed before and runs alone, and this worker holds other runs",
  "cancelled": "a cancellation was requested: no attempt starts in this round",
  "needs": "a task that it needs has not succeeded",
  "alive": "its lease, with the allowance for skewed clocks, has not expired",
  "unsettled": "a task has not ended",
  "current": "its epoch is not below the current one",
  "already": "a cancellation was requested before",
  "not-queued": "it is not queued",
  "not-running": "it is not running",
  "not-pending": "it is not pending",
  "not-ended": "it has not ended",
  "ended": "it has ended",
  "succeeded": "it has succeeded: there is nothing to do again",
  "unexplained": "the reason is not one that this event can have",
  "impossible": "the table has no such transition",
} as const satisfies Readonly<Record<string, string>>;

/** Why a machine refuses an event. */
export type Refusal = keyof typeof REFUSALS;

/** What a machine makes of an event: the next state and what goes with it, or why not. */
export type Decision<State extends string, Effect> =
  | {
    /** The event is taken. */
    readonly kind: "go";
    /** The state after it. */
    readonly to: State;
    /** What to do in the same transaction, in this order. */
    readonly effects: readonly Effect[];
    /** The code for the event's row, `null` where nothing needs explaining. */
    readonly reason: string | null;
  }
  | {
    /** The event is refused, and nothing changes. */
    readonly kind: "refused";
    /** Why. */
    readonly why: Refusal;
  };

/** One condition of a rule that refuses. */
export interface Guard<Facts> {
  /** Its place in the order. */
  readonly kind: GuardKind;
  /** Its answer. */
  readonly why: Refusal;
  /** Whether it refuses. */
  refuses(facts: Facts): boolean;
}

/** One way on: the first of a rule whose condition holds is taken. */
export interface Branch<State extends string, Effect, Facts> {
  /** Its condition, for a reader. */
  readonly when: string;
  /** Its condition. */
  holds(facts: Facts): boolean;
  /** The state after it. */
  readonly to: State;
  /** The code for the event's row. */
  reason(facts: Facts): string | null;
  /** What goes with it, in this order. */
  effects(facts: Facts): readonly Effect[];
}

/** What one event does in one state. */
export interface Rule<State extends string, Effect, Facts> {
  /** What refuses, in {@linkcode GUARD_ORDER}. */
  readonly guards: readonly Guard<Facts>[];
  /** The ways on; the last one always holds. None: the guards refuse every time. */
  readonly branches: readonly Branch<State, Effect, Facts>[];
}

/** Reads a rule: its guards, then its branches. */
export function decide<State extends string, Effect, Facts>(
  rule: Rule<State, Effect, Facts> | null,
  facts: Facts,
): Decision<State, Effect> {
  if (rule === null) return IMPOSSIBLE;
  const guard = rule.guards.find((one) => one.refuses(facts));
  if (guard !== undefined) return { kind: "refused", why: guard.why };
  const branch = rule.branches.find((one) => one.holds(facts));
  if (branch === undefined) return IMPOSSIBLE;
  const { to } = branch;
  return { kind: "go", to, effects: branch.effects(facts), reason: branch.reason(facts) };
}

const IMPOSSIBLE = { kind: "refused", why: "impossible" } as const;

/** The last branch of a rule, for whatever the others left. */
export function otherwise<State extends string, Effect, Facts>(
  to: State,
  reason: string | null | ((facts: Facts) => string | null),
  effects: (facts: Facts) => readonly Effect[],
): Branch<State, Effect, Facts> {
  return {
    when: "otherwise",
    holds: () => true,
    to,
    reason: typeof reason === "function" ? reason : () => reason,
    effects,
  };
}

/** A rule that refuses every time. */
export function refusal(kind: GuardKind, why: Refusal): Rule<never, never, unknown> {
  return { guards: [always(kind, why)], branches: [] };
}

/** A guard that refuses every time. */
export function always(kind: GuardKind, why: Refusal): Guard<unknown> {
  return { kind, why, refuses: () => true };
}

/** What the check inside a write transaction reads. */
export interface CheckFacts {
  /** Whether the latch is set, or the epoch that the caller read is not the current one any more. */
  readonly latched: boolean;
  /** The current epoch; 0 where it is not known. */
  readonly epoch: number;
  /** The epoch of the run. */
  readonly runEpoch: number;
}

/** Who holds a claim. */
export interface Holder {
  /** The executor. */
  readonly owner: string;
  /** The claim's fencing token. */
  readonly token: number;
}

/** What a holder's write is judged by. Times are in milliseconds of the store's clock. */
export interface HolderFacts extends CheckFacts {
  /** Who holds it by the row, `null` where nobody does. */
  readonly holder: Holder | null;
  /** Who asks. */
  readonly caller: Holder;
  /** When the lease expires, `null` where there is none. */
  readonly leaseExpiresAt: number | null;
  /** Now. */
  readonly now: number;
}

/** The swarm must not be stopped. */
export const notLatched: Guard<CheckFacts> = {
  kind: "latch",
  why: "latched",
  refuses: ({ latched }) => latched,
};

/** The run must be of the current epoch. */
export const sameEpoch: Guard<CheckFacts> = {
  kind: "fence",
  why: "invalidated",
  refuses: ({ epoch, runEpoch }) => epoch !== runEpoch,
};

/** The caller must hold the claim, and its lease must be running. */
export const liveHolder: Guard<HolderFacts> = {
  kind: "fence",
  why: "stale",
  refuses: (facts) =>
    !isHolder(facts) || facts.leaseExpiresAt === null || facts.leaseExpiresAt <= facts.now,
};

/** Whether the caller is who holds the claim, whatever its lease is worth. */
export function isHolder({ holder, caller }: Pick<HolderFacts, "holder" | "caller">): boolean {
  return holder !== null && holder.owner === caller.owner && holder.token === caller.token;
}

/** The code that an event row about a refused write carries; `null` where the refusal is no loss of the right to write. */
export function reasonOfRefusal(why: Refusal): MachineReason | null {
  if (why === "stale") return "WRITE_REFUSED_STALE";
  return why === "latched" || why === "invalidated" ? "WRITE_REFUSED_STOPPED" : null;
}

/**
 * The wait before the next try: full jitter, uniform below a bound that doubles with every try.
 *
 * @param tries tries so far, from 1.
 * @param draw in [0, 1).
 * @returns whole milliseconds, at most `maxMs`.
 */
export function jitteredBackoff(
  tries: number,
  { baseMs, maxMs }: { readonly baseMs: number; readonly maxMs: number },
  draw: number,
): number {
  const doublings = Math.min(tries - 1, 52);
  return Math.floor(draw * Math.min(maxMs, baseMs * 2 ** doublings));
}
