import type { Lease } from "../../../src/model/mod.ts";
import {
  check,
  type Entered,
  type publish,
  reset,
  type ResetRequest,
  type Step,
  type Steps,
  stop,
} from "../../../src/fence/protocol.ts";
import type { StopRecord } from "../../../src/fence/record.ts";

/** What an actor of the model is; a plain `reset` has not yet shown whether it forces. */
export type Role = "stop" | "reset" | "reset without force" | "reset --force" | "run";

/** What a run does beside the fence's own steps, and the moments at which promises are looked at. */
export type ModelStep =
  | Step
  | { readonly op: "start"; readonly epoch: number }
  /** Waits for the process; `false` when it was killed. */
  | { readonly op: "await" }
  | { readonly op: "release" }
  /** Takes no time: it belongs to the step before it. */
  | { readonly op: "mark"; readonly mark: Mark };

/** A moment at which a promise is looked at. */
export type Mark =
  | {
    readonly event: "entered" | "admitted" | "published" | "accepted";
    readonly epoch: number;
  }
  | { readonly event: "proven"; readonly identity: string };

/** A program of the model. */
export type Program = Generator<ModelStep, void, unknown>;

/** The parts of a run that a broken variant may put in the place of the real ones. */
export interface RunParts {
  /** How it starts. */
  readonly enter: () => Steps<Entered>;
  /** How it publishes. */
  readonly publish: typeof publish;
}

const DRAFT: StopRecord = {
  version: 1,
  epoch: 0,
  reason: "model",
  requestedAt: "2026-01-01T00:00:00.000Z",
  by: { host: "", pid: 1, user: "" },
};

/** The program of a role: the real protocols, and for a run what the engine does between them. */
export function programOf(role: Role, parts: RunParts): Program {
  switch (role) {
    case "stop":
      return stopProgram();
    case "reset":
    case "reset without force":
      return resetProgram({ wanted: null, force: false });
    case "reset --force":
      return resetProgram({ wanted: null, force: true });
    case "run":
      return runProgram(parts);
  }
}

function* stopProgram(): Program {
  const stopped = yield* stop(DRAFT);
  if (stopped.proven) yield mark({ event: "proven", identity: stopped.identity });
}

function* resetProgram(request: ResetRequest): Program {
  yield* reset(request);
}

function* runProgram(parts: RunParts): Program {
  const entered = yield* parts.enter();
  if (entered.kind === "entered") yield* runEntered(entered.epoch, parts);
  yield { op: "release" };
}

function* runEntered(epoch: number, parts: RunParts): Program {
  yield mark({ event: "entered", epoch });
  const lease: Lease = {
    runId: "run",
    taskId: "task",
    pass: 1,
    attempt: 1,
    epoch,
    sequence: 1,
    issuedAt: "",
  };
  if (!(yield* check(lease))) return;
  yield mark({ event: "admitted", epoch });
  yield { op: "start", epoch };
  if (!(yield { op: "await" })) return;
  if ((yield* parts.publish(lease)) !== "published") return;
  yield mark({ event: "published", epoch });
  if (yield* check(lease)) yield mark({ event: "accepted", epoch });
}

function mark(mark: Mark): ModelStep {
  return { op: "mark", mark };
}

/** Where a program stands after a sequence of answers. */
export interface Position {
  /** The next step, `null` at the end. */
  readonly step: Exclude<ModelStep, { op: "mark" }> | null;
  /** The moments between the last answer and the next step. */
  readonly marks: readonly Mark[];
}

/** Finds a program's position by playing the answers again: a generator cannot be copied, but it is deterministic. */
export function replay(role: Role, answers: readonly unknown[], parts: RunParts): Position {
  const program = programOf(role, parts);
  let marks: Mark[] = [];
  let next = program.next();
  for (let used = 0;;) {
    if (next.done) return { step: null, marks };
    const step = next.value;
    if (step.op === "mark") {
      marks.push(step.mark);
      next = program.next();
    } else if (used < answers.length) {
      marks = [];
      next = program.next(answers[used++]);
    } else {
      return { step, marks };
    }
  }
}
