import { type ModelStep, replay, type Role, type RunParts } from "./actors.ts";

/**
 * Which answers still matter. A state of the exploration holds, for every actor, the answers that brought it where
 * it is; two histories with the same future are the same state. The rules below shorten or level a history, and
 * {@linkcode Forgetter} proves each shortening that it meets: both histories must lead to the same steps under
 * every sequence of sample answers, so a protocol that begins to remember more makes the test fail, not blind.
 */
export type Answers = readonly unknown[];

const OPEN = { at: "nothing" };
const FIRST = { ok: true, epoch: 1 };

/** Something at STOP, as a look answers it. */
export function something(identity: string, epoch: number): unknown {
  const by = { host: "", pid: 1, user: "" };
  const record = { version: 1, epoch, reason: "", requestedAt: "", by };
  return { at: "something", identity, record, problem: null };
}

/** The rules: which history stands for which. */
function shorten(role: Role, answers: Answers, step: ModelStep): Answers {
  if (role === "run") return shortenRun(answers, step);
  return role === "stop" ? shortenStop(answers, step) : shortenReset(role, answers, step);
}

/** A stop begins anew where it was overtaken, and its proof needs only which latch it proves. */
function shortenStop(answers: Answers, step: ModelStep): Answers {
  switch (step.op) {
    case "lock-stop":
      return [];
    case "create-stop":
      return answers.slice(0, answers[0] === true ? 2 : 1);
    case "lock-alone":
      return answers.length === 7 ? answers : latchedBy(answers.findLast(isSomething));
    case "sweep":
      return answers.at(-1) === true ? [...answers.slice(0, 5), true] : answers;
    case "look":
      return answers.length > 5 ? [...latchedBy(answers[3], 1), ...answers.slice(5)] : answers;
    default:
      return answers;
  }
}

/** The history of a stop that found or made a latch in the plainest way. */
function latchedBy(look: unknown, epoch = epochOf(look)): Answers {
  const { identity } = look as { identity: string };
  return [true, { ok: true, epoch: Math.max(epoch, 1) }, true, something(identity, epoch), null];
}

/** A reset under its locks forgets how it came by them, and at the end what it did. */
function shortenReset(role: Role, answers: Answers, step: ModelStep): Answers {
  if (step.op === "look") return [true, true];
  if (step.op === "unlock-alone") {
    // With force an open swarm is swept too.
    return role === "reset --force"
      ? [true, true, OPEN, FIRST, 1, true]
      : [true, true, OPEN, FIRST];
  }
  return answers;
}

/** Of the highest epoch only the comparison matters; a run that lets go forgets everything. */
function shortenRun(answers: Answers, step: ModelStep): Answers {
  if (step.op === "release") return answers[0] === true ? [true, something("x", 1)] : answers;
  const [locked, look, seen, highest, ...rest] = answers;
  if (typeof highest !== "number") return answers;
  const { epoch } = seen as { epoch: number };
  return [locked, look, seen, highest > epoch ? epoch + 1 : 1, ...rest];
}

function isSomething(answer: unknown): boolean {
  return typeof answer === "object" && answer !== null && "identity" in answer;
}

function epochOf(look: unknown): number {
  return (look as { record: { epoch: number } }).record.epoch;
}

/** Gives stale identities names by their order in the history, so that equal situations are equal texts. */
export function renumber(answers: Answers): Answers {
  const names = new Map([["stop", "stop"], ["aside", "aside"]]);
  return answers.map((answer) => {
    if (!isSomething(answer)) return answer;
    const { identity } = answer as { identity: string };
    if (!names.has(identity)) names.set(identity, `x${names.size - 1}`);
    return something(names.get(identity) ?? "", epochOf(answer));
  });
}

/** Renames identities in a history. */
export function renameIdentities(
  answers: Answers,
  names: Readonly<Record<string, string>>,
): Answers {
  return renumber(answers.map((answer) => {
    if (!isSomething(answer)) return answer;
    const { identity } = answer as { identity: string };
    return something(names[identity] ?? identity, epochOf(answer));
  }));
}

const SAMPLES: Readonly<Record<string, readonly unknown[]>> = {
  "look": [
    OPEN,
    something("stop", 2),
    something("stop", 0),
    something("aside", 3),
    something("x1", 2),
  ],
  "read-epoch": [FIRST, { ok: true, epoch: 2 }, { ok: true, epoch: 3 }],
  "highest-epoch": [1, 3],
};
const SAMPLE_DEPTH = 5;

/** Shortens histories, and checks that what it drops cannot matter. */
export class Forgetter {
  readonly #parts: RunParts;
  readonly #proved = new Set<string>();

  /** Checks against the programs that are explored. */
  constructor(parts: RunParts) {
    this.#parts = parts;
  }

  /** The shortest history that this knows to have the same future. */
  forget(role: Role, answers: Answers, step: ModelStep): { role: Role; answers: Answers } {
    const after = step.op === "write-epoch" && role !== "stop" ? "reset" : role;
    const short = renumber(shorten(role, answers, step));
    const key = JSON.stringify([role, answers, after, short]);
    if (!this.#proved.has(key)) {
      const shorts: Role[] = after === role ? [role] : ["reset --force", "reset without force"];
      for (const other of shorts) {
        this.#compare([role, renumber(answers)], [other, short], SAMPLE_DEPTH);
      }
      this.#proved.add(key);
    }
    return { role: after, answers: short };
  }

  #compare(long: [Role, Answers], short: [Role, Answers], depth: number): void {
    const left = replay(...long, this.#parts);
    const right = replay(...short, this.#parts);
    const compareMarks = depth < SAMPLE_DEPTH;
    const shown = (position: typeof left) =>
      JSON.stringify([position.step, compareMarks ? position.marks : []]);
    if (shown(left) !== shown(right)) {
      throw new Error(
        `The model forgets too much: ${JSON.stringify(long)} goes on with ${shown(left)}, ` +
          `${JSON.stringify(short)} with ${shown(right)}`,
      );
    }
    if (depth === 0 || left.step === null) return;
    for (const answer of SAMPLES[left.step.op] ?? [true, false]) {
      this.#compare([long[0], [...long[1], answer]], [short[0], [...short[1], answer]], depth - 1);
    }
  }
}
