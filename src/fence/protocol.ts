import type { Lease } from "../model/mod.ts";
import { admissible, decideReset, nextEpoch, stopEpoch } from "./decide.ts";
import type { EpochSeen, Look, StopRecord } from "./record.ts";

/**
 * What the fence can do to the world. The protocols below only decide; whoever drives them performs: the real
 * disk in `disk.ts`, every interleaving of a small world in the model test.
 */
export type Step =
  /** Takes the short mutex of stop and reset; `false` when it was not to be had in time. */
  | { readonly op: "lock-stop" }
  | { readonly op: "unlock-stop" }
  | { readonly op: "look" }
  | { readonly op: "read-epoch" }
  /** Makes STOP, complete and only where nothing is; `false` where something was. */
  | { readonly op: "create-stop"; readonly record: StopRecord; readonly alone: boolean }
  /** Puts a record in the place of whatever is at STOP. */
  | { readonly op: "replace-stop"; readonly record: StopRecord }
  /** Removes STOP if it is the one with the identity; `false` where another one was found and put back. */
  | { readonly op: "remove-stop"; readonly identity: string }
  /** Replaces EPOCH durably, and for a reset raises the queue's; `false` when the disk refused. */
  | { readonly op: "write-epoch"; readonly epoch: number }
  /** The highest epoch in the high-water copy, and for a reset in the queue; in the run folders too where it is deep. */
  | { readonly op: "highest-epoch"; readonly deep: boolean }
  /** Takes LOCK alone, killing meanwhile what is found of every epoch below; `false` when it was not to be had in time. */
  | { readonly op: "lock-alone"; readonly killBelow: number | null }
  | { readonly op: "unlock-alone" }
  /** Takes LOCK beside others; `false` when a stop came first. */
  | { readonly op: "lock-shared" }
  /** Kills whoever of an epoch below still holds LOCK. */
  | { readonly op: "kill-holders"; readonly below: number }
  /** Kills what is left of every epoch below; `true` when a search found nothing, conclusively. */
  | { readonly op: "sweep"; readonly below: number; readonly kill: boolean }
  /** The rename that publishes, and its undoing. */
  | { readonly op: "rename" }
  | { readonly op: "withdraw" };

/** What each step answers. */
export interface Answers {
  "lock-stop": boolean;
  "unlock-stop": void;
  "look": Look;
  "read-epoch": EpochSeen;
  "create-stop": boolean;
  "replace-stop": void;
  "remove-stop": boolean;
  "write-epoch": boolean;
  "highest-epoch": number;
  "lock-alone": boolean;
  "unlock-alone": void;
  "lock-shared": boolean;
  "kill-holders": void;
  "sweep": boolean;
  "rename": void;
  "withdraw": void;
}

/** Without the mutex EPOCH is not looked at. */
const UNKNOWN: EpochSeen = { ok: false, problem: "not looked at" };

/** A protocol: a sequence of steps that ends in a decision. */
export type Steps<T> = Generator<Step, T, unknown>;

function* ask<K extends Step["op"]>(step: Extract<Step, { op: K }>): Steps<Answers[K]> {
  return (yield step) as Answers[K];
}

/** A latch that is set. */
export interface Latched {
  /** The epoch that STOP names; 0 where it is not known. */
  readonly epoch: number;
  /** Which STOP it is. */
  readonly identity: string;
  /** Whether this stop made it. */
  readonly first: boolean;
  /** Whether EPOCH could be raised too; the next reset does it otherwise. */
  readonly epochWritten: boolean;
}

/** Sets the latch. EPOCH is written only under STOP.lock; without it the record names no epoch. */
export function* latch(draft: StopRecord): Steps<Latched> {
  const locked = yield* ask<"lock-stop">({ op: "lock-stop" });
  if (!locked) return yield* latchWithoutLock(draft);
  const latched = yield* latchUnderLock(draft);
  yield* ask<"unlock-stop">({ op: "unlock-stop" });
  return latched;
}

function* latchUnderLock(draft: StopRecord): Steps<Latched> {
  const epoch = yield* ask<"read-epoch">({ op: "read-epoch" });
  const record = { ...draft, epoch: nextEpoch(epoch) };
  for (;;) {
    const first = yield* ask<"create-stop">({ op: "create-stop", record, alone: true });
    const look = yield* ask<"look">({ op: "look" });
    if (look.at === "nothing") continue;
    const due = stopEpoch(look, epoch);
    const raise = epoch.ok && epoch.epoch < due;
    const epochWritten = raise
      ? yield* ask<"write-epoch">({ op: "write-epoch", epoch: due })
      : epoch.ok && due > 0;
    return { epoch: due, identity: look.identity, first, epochWritten };
  }
}

/**
 * A reset that hangs with the mutex in its hand may be about to remove the STOP that is there, so this one takes
 * its place: a reset removes only the STOP that it has read.
 */
function* latchWithoutLock(draft: StopRecord): Steps<Latched> {
  const record = { ...draft, epoch: 0 };
  for (;;) {
    const first = yield* ask<"create-stop">({ op: "create-stop", record, alone: false });
    if (!first) yield* ask<"replace-stop">({ op: "replace-stop", record });
    const look = yield* ask<"look">({ op: "look" });
    if (look.at === "nothing") continue;
    return { epoch: stopEpoch(look, UNKNOWN), identity: look.identity, first, epochWritten: false };
  }
}

/** What a stop came to. */
export interface Stopped extends Latched {
  /** Whether every process is gone, looked for and not assumed. */
  readonly proven: boolean;
  /** Whether a reset has cleared the latch meanwhile: what runs by now is not this stop's. */
  readonly overtaken: boolean;
}

/** Sets the latch and proves that everything is dead. Where another stop took its place, it proves that one. */
export function* stop(draft: StopRecord): Steps<Stopped> {
  for (;;) {
    const latched = yield* latch(draft);
    const verdict = yield* prove(latched);
    if (verdict === "replaced") continue;
    return { ...latched, proven: verdict === "proven", overtaken: verdict === "overtaken" };
  }
}

function* prove(latched: Latched): Steps<"proven" | "unproven" | "replaced" | "overtaken"> {
  const below = latched.epoch === 0 ? Number.MAX_SAFE_INTEGER : latched.epoch;
  let alone = yield* ask<"lock-alone">({ op: "lock-alone", killBelow: below });
  if (!alone) {
    yield* ask<"kill-holders">({ op: "kill-holders", below });
    alone = yield* ask<"lock-alone">({ op: "lock-alone", killBelow: below });
  }
  const swept = yield* ask<"sweep">({ op: "sweep", below, kill: true });
  const look = yield* ask<"look">({ op: "look" });
  if (alone) yield* ask<"unlock-alone">({ op: "unlock-alone" });
  if (look.at === "nothing") return "overtaken";
  if (look.identity !== latched.identity) return "replaced";
  return alone && swept ? "proven" : "unproven";
}

/** What a reset is asked for. */
export interface ResetRequest {
  /** The epoch to set after a corrupt EPOCH or STOP. */
  readonly wanted: number | null;
  /** Proves everything dead first. */
  readonly force: boolean;
}

/** What a reset came to. */
export type ResetResult =
  | { readonly kind: "reset"; readonly epoch: number }
  | { readonly kind: "not-stopped"; readonly epoch: number }
  | { readonly kind: "busy"; readonly what: "reset" | "open" | "holders" | "processes" }
  | { readonly kind: "refused"; readonly problem: string; readonly next: string }
  | { readonly kind: "unwritable" }
  | { readonly kind: "stopped-again" };

/** Clears the latch at an epoch that was never used, while nothing runs. */
export function* reset(request: ResetRequest): Steps<ResetResult> {
  const locked = yield* ask<"lock-stop">({ op: "lock-stop" });
  if (!locked) return { kind: "busy", what: "reset" };
  let alone = yield* ask<"lock-alone">({ op: "lock-alone", killBelow: null });
  if (!alone && request.force) {
    yield* ask<"kill-holders">({ op: "kill-holders", below: Number.MAX_SAFE_INTEGER });
    alone = yield* ask<"lock-alone">({ op: "lock-alone", killBelow: null });
  }
  const result = alone ? yield* resetAlone(request) : { kind: "busy", what: "holders" } as const;
  if (alone) yield* ask<"unlock-alone">({ op: "unlock-alone" });
  yield* ask<"unlock-stop">({ op: "unlock-stop" });
  return result;
}

function* resetAlone(request: ResetRequest): Steps<ResetResult> {
  const look = yield* ask<"look">({ op: "look" });
  const epoch = yield* ask<"read-epoch">({ op: "read-epoch" });
  const open = look.at === "nothing" && epoch.ok && request.wanted === null;
  if (open && !request.force) return { kind: "not-stopped", epoch: epoch.epoch };
  const problematic = !epoch.ok || (look.at === "something" && look.problem !== null);
  const deep = problematic || request.wanted !== null;
  const highest = yield* ask<"highest-epoch">({ op: "highest-epoch", deep });
  const decision = decideReset({ look, epoch, highest, wanted: request.wanted });
  if (!decision.ok) return { kind: "refused", problem: decision.problem, next: decision.next };
  const below = Number.MAX_SAFE_INTEGER;
  const swept = yield* ask<"sweep">({ op: "sweep", below, kill: request.force });
  if (!swept) return { kind: "busy", what: "processes" };
  if (open) return { kind: "not-stopped", epoch: epoch.epoch };
  const written = yield* ask<"write-epoch">({ op: "write-epoch", epoch: decision.epoch });
  if (!written) return { kind: "unwritable" };
  if (look.at === "nothing") return { kind: "reset", epoch: decision.epoch };
  const removed = yield* ask<"remove-stop">({ op: "remove-stop", identity: look.identity });
  return removed ? { kind: "reset", epoch: decision.epoch } : { kind: "stopped-again" };
}

/** What the start of a run came to. */
export type Entered =
  | { readonly kind: "entered"; readonly epoch: number }
  | { readonly kind: "stopped" }
  | { readonly kind: "corrupt"; readonly problem: string };

/** Takes LOCK, then reads the epoch and its high-water copy between two looks at STOP: no stop writes meanwhile. */
export function* enter(): Steps<Entered> {
  if (!(yield* ask<"lock-shared">({ op: "lock-shared" }))) return { kind: "stopped" };
  if ((yield* ask<"look">({ op: "look" })).at !== "nothing") return { kind: "stopped" };
  const epoch = yield* ask<"read-epoch">({ op: "read-epoch" });
  const highest = yield* ask<"highest-epoch">({ op: "highest-epoch", deep: false });
  if ((yield* ask<"look">({ op: "look" })).at !== "nothing") return { kind: "stopped" };
  if (!epoch.ok) return { kind: "corrupt", problem: epoch.problem };
  if (epoch.epoch < highest) {
    return { kind: "corrupt", problem: `EPOCH is ${epoch.epoch}, but ${highest} was used before` };
  }
  return { kind: "entered", epoch: epoch.epoch };
}

/** The check at admission and completion. */
export function* check(lease: Lease): Steps<boolean> {
  const look = yield* ask<"look">({ op: "look" });
  if (look.at !== "nothing") return false;
  const epoch = yield* ask<"read-epoch">({ op: "read-epoch" });
  return admissible(lease, look, epoch);
}

/** Publishes: checked, renamed, checked again, and withdrawn when that lost the race. */
export function* publish(lease: Lease): Steps<"published" | "refused" | "withdrawn"> {
  if (!(yield* check(lease))) return "refused";
  yield* ask<"rename">({ op: "rename" });
  if (yield* check(lease)) return "published";
  yield* ask<"withdraw">({ op: "withdraw" });
  return "withdrawn";
}
