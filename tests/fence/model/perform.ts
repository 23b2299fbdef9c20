import type { ModelStep } from "./actors.ts";
import { something } from "./forget.ts";
import type { Actor, Effect, Ghost, StopFile, Surroundings, World } from "./world.ts";

/** What the world of an exploration may do. */
export interface Rules {
  /** STOP.lock may be waited for in vain while somebody else holds it. */
  readonly timeouts: boolean;
  /** The disk may refuse EPOCH, its copy, or the record in STOP. */
  readonly fullDisk: boolean;
  /** Whoever holds LOCK may survive the kill, such as one whose entry cannot be read. */
  readonly deafHolders: boolean;
  /** What a reset has set aside still is a stop. */
  readonly asideCounts: boolean;
  /** Counts the latches, and demands that each raises the epoch by one. */
  readonly count: boolean;
}

/** One move: a step's answer, or where `answer` is absent a part of a step that takes the disk several moves. */
export interface Move {
  readonly label: string;
  readonly world: World;
  readonly actor: Actor;
  readonly answer?: unknown;
  readonly effect?: Effect;
  readonly violation?: string | false;
}

/** Everything that a step may come to. */
export function movesOf(
  step: ModelStep,
  world: World,
  actor: Actor,
  others: Surroundings,
  rules: Rules,
): Move[] {
  const told = (answer: unknown, changes: Partial<Actor> = {}): Move => {
    const label = `${step.op}: ${shown(answer)}`;
    return { label, world, actor: { ...actor, ...changes }, answer };
  };
  const had = (changes?: Partial<Actor>): Move => told(HAD, changes);
  const missed = told(!HAD);
  switch (step.op) {
    case "lock-stop":
      if (!others.stopLock) return [had({ stopLock: true })];
      return rules.timeouts ? [missed] : [];
    case "unlock-stop":
      return [told(null, { stopLock: false })];
    case "look":
      return looks(world, actor, others, rules);
    case "read-epoch":
      return [told({ ok: true, epoch: world.epoch }, readingEpoch(world, actor))];
    case "create-stop":
      if (world.stop !== null) return [missed];
      return [step.record.epoch, ...(rules.fullDisk && step.record.epoch > 0 ? [0] : [])]
        .map((epoch) => ({ ...latches(step.op, world, actor, epoch), answer: true }));
    case "replace-stop":
      return [latches(step.op, world, actor, step.record.epoch)];
    case "remove-stop":
      return [removes(step.identity, world, actor, others, rules)];
    case "write-epoch":
      return writes(step.epoch, world, actor, rules);
    case "highest-epoch":
      return [told(world.high)];
    case "lock-alone":
      return others.shared || others.alone ? [missed] : [had({ lock: "alone" })];
    case "unlock-alone":
    case "release":
      return [told(null, { lock: "none" })];
    case "lock-shared":
      if (!others.alone) return [had({ lock: "shared" })];
      return visible(world, rules) === null ? [] : [missed];
    case "kill-holders":
      return [
        { ...told(null), effect: { ...NO_EFFECT, killBelow: step.below } },
        ...(rules.deafHolders ? [told(null)] : []),
      ];
    case "sweep":
      return sweeps(step.below, step.kill, [had(), missed], others);
    case "rename": {
      const violation = world.proven && "renamed after a proof";
      return [{ ...told(null, withGhost(actor, { lateRename: world.inForce })), violation }];
    }
    case "start": {
      const violation = world.proven && "started after a proof";
      return [{ ...told(null, { process: step.epoch }), violation }];
    }
    case "await":
      return [told(actor.process > 0, { process: 0 })];
    case "withdraw":
      return [told(null)];
    case "mark":
      return [];
  }
}

const HAD = true;
const NO_EFFECT: Effect = { names: {}, latched: false, killBelow: 0, sweepBelow: 0 };

/**
 * A process that its run left behind ends at some time. Only a search that does not kill can tell when, so that is
 * where it is decided: either none has ended, or all have.
 */
function sweeps(below: number, kill: boolean, answers: Move[], others: Surroundings): Move[] {
  const effect = { ...NO_EFFECT, sweepBelow: below };
  const [gone, found] = answers.map((move) => move.answer === HAD ? { ...move, effect } : move);
  if (gone === undefined || found === undefined) return [];
  return kill || others.oldest === 0 ? [gone] : [gone, found];
}

function readingEpoch(world: World, actor: Actor): Partial<Actor> {
  return withGhost(actor, { readStopped: world.inForce && actor.ghost.entered === 0 });
}

function visible(world: World, rules: Rules): "stop" | "aside" | null {
  if (world.stop !== null) return "stop";
  return rules.asideCounts && world.aside !== null ? "aside" : null;
}

/** A look asks for STOP, then for what was set aside: without a lock it may just miss what is being put back. */
function looks(world: World, actor: Actor, others: Surroundings, rules: Rules): Move[] {
  const where = visible(world, rules);
  const nothing = {
    label: "look: nothing",
    world,
    actor: { ...actor, ...withGhost(actor, sawNothing(world, actor)) },
    answer: { at: "nothing" },
  };
  if (where === null) return [nothing];
  const file = world[where];
  const seen = {
    label: `look: something at ${where}, epoch ${file?.epoch}`,
    world,
    actor: { ...actor, ...withGhost(actor, { fresh: false }) },
    answer: something(where, file?.epoch ?? 0),
  };
  const locked = actor.stopLock || actor.lock !== "none";
  return others.removing && !locked ? [seen, nothing] : [seen];
}

function sawNothing(world: World, actor: Actor): Partial<Ghost> {
  if (actor.role !== "run") return { fresh: false };
  return { missed: actor.ghost.late || world.inForce, burned: world.burned };
}

function latches(label: string, world: World, actor: Actor, epoch: number): Move {
  return {
    label: `${label}: epoch ${epoch}`,
    world: {
      ...world,
      stop: { epoch, burns: world.epoch },
      burned: Math.max(world.burned, world.epoch),
      inForce: true,
      latches: world.latches + 1,
    },
    actor,
    answer: null,
    effect: { ...NO_EFFECT, names: { stop: "old" }, latched: true },
  };
}

/** Sets STOP aside, looks what it was, and lets it go or puts it back: two moves, and a crash may come between. */
function removes(
  identity: string,
  world: World,
  actor: Actor,
  others: Surroundings,
  rules: Rules,
): Move {
  if (actor.move === 0) {
    const moved = { ...world, stop: null, aside: world.stop ?? world.aside };
    const final = !rules.asideCounts && identity === "stop";
    return {
      label: "remove-stop: set aside",
      world: final ? opened(moved) : moved,
      actor: { ...actor, move: 1 },
      effect: { ...NO_EFFECT, names: world.stop === null ? {} : { stop: "aside", aside: "old" } },
    };
  }
  const back = world.aside !== null && identity !== "aside";
  const after = { ...world, aside: null, stop: back ? world.aside : world.stop };
  const open = after.stop === null;
  return {
    label: `remove-stop: ${back ? "put back" : "removed"}`,
    world: open ? opened(after) : after,
    actor: { ...actor, move: 0 },
    answer: !back,
    effect: { ...NO_EFFECT, names: back ? { stop: "old", aside: "stop" } : { aside: "old" } },
    violation: (open && actor.ghost.fresh && "removed a STOP that was set after its look") ||
      (open && others.oldest > 0 && "reset over a living process") ||
      (open && rules.count && world.epoch !== 1 + world.latches && "epoch not raised by one"),
  };
}

function opened(world: World): World {
  return { ...world, inForce: false, proven: false };
}

/** EPOCH, then its high-water copy: two moves. */
function writes(epoch: number, world: World, actor: Actor, rules: Rules): Move[] {
  const refused = {
    label: "write-epoch: refused",
    world,
    actor: { ...actor, move: 0 },
    answer: false,
  };
  const written = actor.move === 0
    ? {
      label: `write-epoch: EPOCH ${epoch}`,
      world: { ...world, epoch },
      actor: { ...actor, move: 1 },
      violation: epoch < world.epoch && "epoch lowered",
    }
    : {
      label: `write-epoch: EPOCH.high ${epoch}`,
      world: { ...world, high: epoch },
      actor: { ...actor, move: 0 },
      answer: true,
      violation: epoch < world.high && "epoch lowered",
    };
  return rules.fullDisk ? [written, refused] : [written];
}

function withGhost(actor: Actor, ghost: Partial<Ghost>): Partial<Actor> {
  const { role } = actor;
  const kept = role === "run" ? ghost : "fresh" in ghost && role !== "stop" ? ghost : {};
  return { ghost: { ...actor.ghost, ...kept } };
}

/** The file that an identity names now. */
export function fileAt(world: World, identity: string): StopFile | null {
  return identity === "stop" ? world.stop : identity === "aside" ? world.aside : null;
}

function shown(answer: unknown): string {
  return answer === null ? "done" : JSON.stringify(answer);
}
