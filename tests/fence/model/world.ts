import type { Role } from "./actors.ts";
import type { Answers } from "./forget.ts";

/** What is at STOP. Its identity is where it is: "stop" or "aside"; one that is gone is stale and never comes back. */
export interface StopFile {
  /** The record's epoch, 0 without one. */
  readonly epoch: number;
  /** Ghost: EPOCH when it was made. No process of this epoch or an older one survives a proof. */
  readonly burns: number;
}

/** What all actors share, and the ghosts that the promises are stated in. */
export interface World {
  readonly stop: StopFile | null;
  /** Where a reset puts what is at STOP until it knows whether that may go. */
  readonly aside: StopFile | null;
  readonly epoch: number;
  /** The high-water copy. */
  readonly high: number;
  /** Ghost: epochs up to this one were current when a latch was set. */
  readonly burned: number;
  /** Ghost: a latch is set that no reset has removed. */
  readonly inForce: boolean;
  /** Ghost: a stop has answered proven since. */
  readonly proven: boolean;
  /** Ghost: how often a record was made where nothing was at STOP; −1 where it is not counted. */
  readonly latches: number;
}

/** Ghosts of one actor. */
export interface Ghost {
  /** A latch was set while it held LOCK. */
  readonly late: boolean;
  /** Its last look missed a latch. */
  readonly missed: boolean;
  /** A latch was in force when it renamed. */
  readonly lateRename: boolean;
  /** The epoch that it has entered at, 0 until then. */
  readonly entered: number;
  /** A latch was in force when it read the epoch that it enters at. */
  readonly readStopped: boolean;
  /** `World.burned` at its last look. */
  readonly burned: number;
  /** A latch was set after a reset's look. */
  readonly fresh: boolean;
}

/** One actor. */
export interface Actor {
  readonly role: Role;
  /** Crashed or at its end. */
  readonly gone: boolean;
  readonly answers: Answers;
  /** How far it is in a step that takes the disk several moves. */
  readonly move: number;
  readonly stopLock: boolean;
  readonly lock: "none" | "shared" | "alone";
  /** The epoch of the process that it started, 0 without one, −1 after it was killed. */
  readonly process: number;
  readonly ghost: Ghost;
}

/** What an actor can tell of the others. */
export interface Surroundings {
  readonly stopLock: boolean;
  readonly shared: boolean;
  readonly alone: boolean;
  /** A reset is between setting STOP aside and deciding. */
  readonly removing: boolean;
  /** The lowest epoch of a living process, 0 without one. */
  readonly oldest: number;
}

/** What a step does to the other actors. */
export interface Effect {
  /** What the identities "stop" and "aside" are called from now on. */
  readonly names: Readonly<Record<string, string>>;
  readonly latched: boolean;
  /** Runs of every epoch below that hold LOCK crash; one that has not entered is of epoch 0. */
  readonly killBelow: number;
  /** Processes of every epoch below are killed. */
  readonly sweepBelow: number;
}

/** What may come of a step. */
export interface Outcome {
  readonly label: string;
  readonly world: World;
  readonly actor: Actor;
  readonly effect: Effect | null;
  readonly violations: readonly string[];
}

/** The world before anything has happened. */
export const FIRST_WORLD: World = {
  stop: null,
  aside: null,
  epoch: 1,
  high: 1,
  burned: 0,
  inForce: false,
  proven: false,
  latches: 0,
};

const NO_GHOST: Ghost = {
  late: false,
  missed: false,
  lateRename: false,
  entered: 0,
  readStopped: false,
  burned: 0,
  fresh: false,
};

/** An actor that has not begun. */
export function newActor(role: Role): Actor {
  return {
    role,
    gone: false,
    answers: [],
    move: 0,
    stopLock: false,
    lock: "none",
    process: 0,
    ghost: NO_GHOST,
  };
}

/** What is left of an actor that has crashed or ended: perhaps its process. */
export function remains(actor: Actor): Actor {
  const role = actor.role === "run" ? "run" : "stop";
  return { ...newActor(role), gone: true, process: Math.max(actor.process, 0) };
}

/** What everybody else sees of an effect. */
export function suffer(actor: Actor, effect: Effect, rename: (answers: Answers) => Answers): Actor {
  if (actor.lock === "shared" && actor.ghost.entered < effect.killBelow) return remains(actor);
  const swept = actor.process > 0 && actor.process < effect.sweepBelow;
  const ghost = {
    ...actor.ghost,
    late: actor.ghost.late || (effect.latched && actor.lock === "shared"),
    fresh: actor.ghost.fresh || (effect.latched && actor.lock === "alone" && actor.role !== "stop"),
  };
  const process = swept ? (actor.gone ? 0 : -1) : actor.process;
  return { ...actor, answers: rename(actor.answers), process, ghost };
}
