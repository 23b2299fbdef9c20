/**
 * Explores every interleaving of stops, resets and runs over the fence's own generators, with a crash of the acting
 * process at every step. Nothing is left out for size; what is merged, and why that loses nothing:
 *
 * - Two states are one when they differ only in which of two equal actors is which.
 * - An actor is the answers that it has received; `forget.ts` levels histories with the same future, and checks it.
 * - A crashed or finished actor is only its process: its locks are free and it takes no step.
 * - What a stop remembers of STOP is whether that is the one at STOP, the one set aside, or gone for good: identities
 *   are compared for equality only, and one that is gone never comes back.
 * - A reset shows whether it forces only where that makes a difference (`#rolesAfter`).
 * - Steps that commute with all that others can do are taken at once (`isPrivate`), and runs that are alone go one
 *   after another (`#onlyMovable`): a run changes nothing that another run sees.
 * - A process that its run left behind ends where that is looked for (`sweeps` in `perform.ts`).
 * - Waiting for a lock is not being scheduled; waiting in vain is an answer of its own.
 *
 * @module
 */
import { type Mark, type ModelStep, replay, type Role, type RunParts } from "./actors.ts";
import { StateSet } from "./states.ts";
import { Forgetter, renameIdentities } from "./forget.ts";
import { fileAt, type Move, movesOf, type Rules } from "./perform.ts";
import {
  type Actor,
  type Effect,
  FIRST_WORLD,
  newActor,
  type Outcome,
  remains,
  suffer,
  type Surroundings,
  type World,
} from "./world.ts";

/** What an exploration found. */
export interface Explored {
  /** How many different states were reached. */
  readonly states: number;
  /** What happened on some way, such as "accepted at epoch 2": an exploration that reaches nothing proves nothing. */
  readonly moments: ReadonlySet<string>;
  /** Every broken promise with the shortest way to it. */
  readonly violations: ReadonlyMap<string, string>;
}

/** Explores everything that the actors can do, in every order, each of them crashing anywhere. */
export function explore(casts: readonly Role[][], parts: RunParts, rules: Rules): Explored {
  return new Explorer(parts, rules).run(casts);
}

/** Values by number and numbers by value. */
class Numbered<T> {
  readonly #numbers = new Map<string, number>();
  readonly values: T[] = [];

  number(value: T): number {
    const key = JSON.stringify(value);
    const known = this.#numbers.get(key);
    if (known !== undefined) return known;
    this.#numbers.set(key, this.values.length);
    return this.values.push(value) - 1;
  }

  at(number: number): T {
    const value = this.values[number];
    if (value === undefined) throw new RangeError(`No value ${number}`);
    return value;
  }
}

interface Edge {
  readonly label: string;
  readonly world: number;
  readonly actor: number;
  readonly effect: number;
  readonly violations: readonly string[];
}

class Explorer {
  readonly #parts: RunParts;
  readonly #rules: Rules;
  readonly #forgetter: Forgetter;
  readonly #worlds = new Numbered<World>();
  readonly #actors = new Numbered<Actor>();
  readonly #effects = new Numbered<Effect | null>();
  readonly #edges = new Map<number, Edge[]>();
  readonly #suffered = new Map<number, number>();
  readonly #traits: number[] = [];
  readonly #states = new StateSet();
  readonly #violations = new Map<string, string>();
  readonly #moments = new Set<string>();

  constructor(parts: RunParts, rules: Rules) {
    this.#parts = parts;
    this.#rules = rules;
    this.#forgetter = new Forgetter(parts);
    this.#effects.number(null);
  }

  run(casts: readonly Role[][]): Explored {
    const world = this.#worlds.number(FIRST_WORLD);
    for (const cast of casts) {
      this.#states.add(world, cast.map((role) => this.#actors.number(newActor(role))), -1);
    }
    for (let state = 0; state < this.#states.size; state++) {
      this.#follow(state, (actor, edge, reached) => {
        for (const violation of edge.violations) this.#note(violation, state, actor, edge);
        this.#states.add(edge.world, reached, state);
      });
    }
    return {
      states: this.#states.size,
      moments: this.#moments,
      violations: this.#violations,
    };
  }

  /** Calls back for everything that can happen next; `reached` is good until the callback returns. */
  #follow(state: number, reach: (actor: number, edge: Edge, reached: number[]) => void): void {
    const world = this.#states.world(state);
    const actors = this.#states.actors(state);
    const reached = new Array<number>(actors.length);
    const only = this.#onlyMovable(actors);
    for (let index = 0; index < actors.length; index++) {
      const actor = actors[index] ?? 0;
      if (actors[index - 1] === actor || (only >= 0 && index !== only)) continue;
      for (const edge of this.#edgesOf(world, actor, this.#surroundings(actors, index))) {
        for (let place = 0; place < actors.length; place++) {
          reached[place] = place === index
            ? edge.actor
            : this.#suffer(actors[place] ?? 0, edge.effect);
        }
        reach(actor, edge, reached);
      }
    }
  }

  /** Runs do not touch one another: where only runs are left, they may go one after another. −1: all may move. */
  #onlyMovable(actors: readonly number[]): number {
    let first = -1;
    for (let index = 0; index < actors.length; index++) {
      const trait = this.#trait(actors[index] ?? 0);
      if ((trait & LIVE) === 0) continue;
      if ((trait & RUN) === 0) return -1;
      if (first < 0) first = index;
    }
    return first;
  }

  #suffer(actor: number, effect: number): number {
    if (effect === 0) return actor;
    const key = actor << 10 | effect;
    const known = this.#suffered.get(key);
    if (known !== undefined) return known;
    const does = this.#effects.at(effect);
    const after = does === null ? actor : this.#actors.number(
      suffer(this.#actors.at(actor), does, (answers) => renameIdentities(answers, does.names)),
    );
    this.#suffered.set(key, after);
    return after;
  }

  /** Everything an actor can tell of the others, packed into seven bits. */
  #surroundings(actors: readonly number[], except: number): number {
    let seen = 0;
    let oldest = 0;
    for (let index = 0; index < actors.length; index++) {
      if (index === except) continue;
      const trait = this.#trait(actors[index] ?? 0);
      seen |= trait & SEEN;
      const epoch = trait >> PROCESS;
      if (epoch > 0 && (oldest === 0 || epoch < oldest)) oldest = epoch;
    }
    return seen | oldest << 4;
  }

  #trait(actor: number): number {
    return this.#traits[actor] ??= traitsOf(this.#actors.at(actor));
  }

  #edgesOf(world: number, actor: number, others: number): Edge[] {
    if (world >= 4096 || actor >= 2048 || others >= 128) {
      throw new RangeError("The model is too large");
    }
    const key = world << 18 | actor << 7 | others;
    const known = this.#edges.get(key);
    if (known !== undefined) return known;
    const edges = this.#outcomes(this.#worlds.at(world), this.#actors.at(actor), unpack(others))
      .map((outcome) => ({
        label: outcome.label,
        violations: outcome.violations,
        world: this.#worlds.number(outcome.world),
        actor: this.#actors.number(outcome.actor),
        effect: this.#effects.number(outcome.effect),
      }));
    this.#edges.set(key, edges);
    return edges;
  }

  #outcomes(world: World, actor: Actor, others: Surroundings): Outcome[] {
    const plain = { world, effect: null, violations: [] };
    if (actor.gone) return [];
    const { step } = replay(actor.role, actor.answers, this.#parts);
    if (step === null) return [];
    const crash = { ...plain, label: "crashes", actor: remains(actor) };
    const moves = movesOf(step, world, actor, others, this.#rules);
    return [...moves.flatMap((move) => this.#settle(move, others)), crash];
  }

  /** Gives a move's answer to the program, and goes on as long as the next step touches nothing that is shared. */
  #settle(move: Move, others: Surroundings): Outcome[] {
    const { label, effect = null, violation } = move;
    const violations = typeof violation === "string" ? [violation] : [];
    const world = this.#rules.count ? move.world : { ...move.world, latches: -1 };
    const before = renameIdentities(move.actor.answers, effect?.names ?? {});
    if (move.answer === undefined) {
      return [{ label, effect, violations, world, actor: { ...move.actor, answers: before } }];
    }
    const long = [...before, move.answer];
    return this.#rolesAfter(move.actor.role, long).flatMap((role) => {
      const { step, marks } = replay(role, long, this.#parts);
      for (const mark of marks) this.#moments.add(momentOf(mark));
      const looked = lookAt(marks, world, move.actor, others);
      const outcome = { label, effect, violations: [...violations, ...looked.violations] };
      if (step === null) return [{ ...outcome, world: looked.world, actor: remains(move.actor) }];
      const actor = { ...looked.actor, ...this.#forgetter.forget(role, long, step) };
      if (!isPrivate(step, actor)) return [{ ...outcome, world: looked.world, actor }];
      return movesOf(step, looked.world, actor, others, this.#rules)
        .flatMap((next) => this.#settle(next, others))
        .map((rest) => joined(outcome, rest));
    });
  }

  /** A reset shows whether it forces only where that makes a difference. */
  #rolesAfter(role: Role, answers: readonly unknown[]): Role[] {
    if (role !== "reset") return [role];
    const careful = replay("reset without force", answers, this.#parts);
    const forcing = replay("reset --force", answers, this.#parts);
    const same = JSON.stringify(careful) === JSON.stringify(forcing);
    return same ? [role] : ["reset without force", "reset --force"];
  }

  #note(violation: string, state: number, actor: number, edge: Edge): void {
    if (this.#violations.has(violation)) return;
    const lines = [this.#line(state, actor, edge)];
    for (let at = state; this.#states.from(at) >= 0; at = this.#states.from(at)) {
      lines.push(this.#between(this.#states.from(at), at));
    }
    this.#violations.set(violation, lines.reverse().join("\n"));
  }

  /** Finds the edge between two neighbours again: the way is only needed once. */
  #between(from: number, to: number): string {
    const wanted = String([this.#states.world(to), ...this.#states.actors(to)]);
    let line = "";
    this.#follow(from, (actor, edge, reached) => {
      const sorted = reached.toSorted((left, right) => left - right);
      if (String([edge.world, ...sorted]) === wanted) line = this.#line(from, actor, edge);
    });
    return line;
  }

  #line(state: number, actor: number, edge: Edge): string {
    const position = this.#states.actors(state).indexOf(actor) + 1;
    const { role, process } = this.#actors.at(actor);
    const by = `${role}#${position}${process > 0 ? ` (process of epoch ${process})` : ""}`;
    return `  ${by} ${edge.label}  => ${JSON.stringify(this.#worlds.at(edge.world))}`;
  }
}

/** Looks at the promises, and forgets what they were looked at with. */
function lookAt(marks: readonly Mark[], world: World, actor: Actor, others: Surroundings) {
  if (marks.length === 0) return { violations: [], world, actor };
  const entries = marks.flatMap((mark) => mark.event === "entered" ? [mark.epoch] : []);
  const entered = entries[0] ?? actor.ghost.entered;
  const ghost = { ...actor.ghost, entered, missed: false, burned: 0, readStopped: false };
  return {
    violations: marks.flatMap((mark) => brokenAt(mark, world, actor, others)),
    world: { ...world, proven: world.proven || marks.some((mark) => mark.event === "proven") },
    actor: { ...actor, ghost },
  };
}

/** A step and the private one after it; at most one of them touches others. */
function joined(first: Omit<Outcome, "world" | "actor">, rest: Outcome): Outcome {
  if (first.effect !== null && rest.effect !== null) throw new Error("Two effects in one step");
  return {
    ...rest,
    label: `${first.label}; ${rest.label}`,
    effect: first.effect ?? rest.effect,
    violations: [...first.violations, ...rest.violations],
  };
}

function momentOf(mark: Mark): string {
  return mark.event === "proven" ? mark.event : `${mark.event} at epoch ${mark.epoch}`;
}

/** Which promises a moment breaks. */
function brokenAt(mark: Mark, world: World, actor: Actor, others: Surroundings): string[] {
  const { ghost } = actor;
  if (mark.event === "proven") {
    const file = fileAt(world, mark.identity);
    if (file === null) return ["proven without its latch"];
    const survivor = others.oldest > 0 && others.oldest <= file.burns;
    return survivor ? ["proven with a survivor"] : [];
  }
  const broken = [];
  if (ghost.missed) broken.push(`${mark.event} while latched`);
  if (world.proven) broken.push(`${mark.event} after a proof`);
  if (mark.epoch <= ghost.burned) {
    broken.push(mark.event === "entered" ? "epoch reused" : `${mark.event} under a burned epoch`);
  }
  if (mark.event === "entered" && ghost.readStopped) broken.push("epoch read while stopped");
  if (mark.event === "published" && ghost.lateRename) broken.push("published late");
  return broken;
}

/**
 * A step that commutes with everything that others can do, so that it need not wait for them, and after which a crash
 * leaves what a crash before it would have left, or one that came before all of it: letting go of a lock (whoever saw
 * it held could have seen that before), reading EPOCH under the mutex without which nobody writes it, and a sweep by
 * whoever holds LOCK alone, so that no process can start or be waited for.
 */
function isPrivate(step: ModelStep, actor: Actor): boolean {
  if (step.op === "unlock-stop" || step.op === "unlock-alone" || step.op === "release") return true;
  if (step.op === "sweep") return actor.lock === "alone";
  return actor.stopLock && (step.op === "read-epoch" || step.op === "highest-epoch");
}

/** Bits of what an actor shows: what others see of it, whether it lives, whether it is a run, its process. */
const SEEN = 15;
const LIVE = 16;
const RUN = 32;
const PROCESS = 6;

function traitsOf(actor: Actor): number {
  return (actor.stopLock ? 1 : 0) | (actor.lock === "shared" ? 2 : 0) |
    (actor.lock === "alone" ? 4 : 0) | (actor.move > 0 && actor.lock === "alone" ? 8 : 0) |
    (actor.gone ? 0 : LIVE) | (actor.role === "run" ? RUN : 0) |
    Math.max(actor.process, 0) << PROCESS;
}

function unpack(packed: number): Surroundings {
  return {
    stopLock: (packed & 1) !== 0,
    shared: (packed & 2) !== 0,
    alone: (packed & 4) !== 0,
    removing: (packed & 8) !== 0,
    oldest: packed >> 4,
  };
}
