/**
 * Asks the machines everything that can be asked.
 *
 * @module
 */
import { assert } from "@std/assert";
import type {
  Decision,
  RunEffect,
  RunFacts,
  RunMove,
  RunState,
  TaskEffect,
  TaskFacts,
  TaskMove,
  TaskState,
} from "../../src/model/mod.ts";
import type { Branch, Guard, Rule } from "../../src/model/machine.ts";
import { decideRun, RUN_TABLE } from "../../src/model/run_machine.ts";
import { decideTask, TASK_TABLE } from "../../src/model/task_machine.ts";
import { RUN_FACTS, RUN_MOVES, RUN_STATES, TASK_FACTS, TASK_MOVES, TASK_STATES } from "./facts.ts";

/** A question and its answer. */
export interface Case<State extends string, Effect> {
  /** The state before. */
  readonly state: State;
  /** The event. */
  readonly move: string;
  /** What was known. */
  readonly facts: unknown;
  /** The answer. */
  readonly decision: Decision<State, Effect>;
}

/** A case of a run. */
export type RunCase = Case<RunState, RunEffect>;
/** A case of a task. */
export type TaskCase = Case<TaskState, TaskEffect>;

function runCases<M extends RunMove>(state: RunState, move: M): RunCase[] {
  return RUN_FACTS[move].map((facts: RunFacts[M]) => {
    return { state, move, facts, decision: decideRun(state, move, facts) };
  });
}

function taskCases<M extends TaskMove>(state: TaskState, move: M): TaskCase[] {
  return TASK_FACTS[move].map((facts: TaskFacts[M]) => {
    return { state, move, facts, decision: decideTask(state, move, facts) };
  });
}

/** Every state × event × facts of a run. */
export const ALL_RUN_CASES: readonly RunCase[] = RUN_STATES.flatMap((state) =>
  RUN_MOVES.flatMap((move) => runCases(state, move))
);

/** Every state × event × facts of a task. */
export const ALL_TASK_CASES: readonly TaskCase[] = TASK_STATES.flatMap((state) =>
  TASK_MOVES.flatMap((move) => taskCases(state, move))
);

/** A cell of a table, with the type of its facts forgotten. */
export interface Cell {
  /** The state. */
  readonly state: string;
  /** The event. */
  readonly move: string;
  /** The rule, `null` where nobody asks. */
  readonly rule: AnyRule | null;
  /** What its facts can be. */
  readonly facts: readonly unknown[];
}

/** A rule of any machine. */
export interface AnyRule {
  /** What refuses. */
  readonly guards: readonly Guard<unknown>[];
  /** The ways on. */
  readonly branches: readonly Branch<string, AnyEffect, unknown>[];
}

/** An effect of any machine. */
export type AnyEffect = RunEffect | TaskEffect;

function cell<State extends string, Effect extends AnyEffect, Facts>(
  state: string,
  move: string,
  rule: Rule<State, Effect, Facts> | null,
  facts: readonly Facts[],
): Cell {
  return { state, move, rule: rule as AnyRule | null, facts };
}

function runCell<M extends RunMove>(state: RunState, move: M): Cell {
  return cell<RunState, RunEffect, RunFacts[M]>(
    state,
    move,
    RUN_TABLE[state][move],
    RUN_FACTS[move],
  );
}

function taskCell<M extends TaskMove>(state: TaskState, move: M): Cell {
  return cell<TaskState, TaskEffect, TaskFacts[M]>(
    state,
    move,
    TASK_TABLE[state][move],
    TASK_FACTS[move],
  );
}

/** The cells of a run's table. */
export const RUN_CELLS: readonly Cell[] = RUN_STATES.flatMap((state) =>
  RUN_MOVES.map((move) => runCell(state, move))
);

/** The cells of a task's table. */
export const TASK_CELLS: readonly Cell[] = TASK_STATES.flatMap((state) =>
  TASK_MOVES.map((move) => taskCell(state, move))
);

/** States that nothing follows but an operator's retry. */
export const TERMINAL: readonly string[] = [
  "succeeded",
  "failed",
  "skipped",
  "cancelled",
  "stopped",
];

/** A case whose event is taken. */
export interface Taken<State extends string, Effect> extends Case<State, Effect> {
  /** The state after it. */
  readonly to: State;
  /** The code for the event's row. */
  readonly reason: string | null;
  /** What goes with it. */
  readonly effects: readonly Effect[];
}

/** The cases whose event is taken. */
export function taken<State extends string, Effect>(
  cases: readonly Case<State, Effect>[],
): Taken<State, Effect>[] {
  return cases.flatMap((one) =>
    one.decision.kind === "go" ? [{ ...one, ...one.decision, state: one.state }] : []
  );
}

/** Asserts that something holds for every case, and that there are some. */
export function assertEach<One extends { readonly move: string; readonly state: string }>(
  cases: readonly One[],
  holds: (one: One) => boolean,
): void {
  assert(cases.length > 0, "There are no such cases");
  const wrong = cases.find((one) => !holds(one));
  if (wrong === undefined) return;
  throw new Error(`It does not hold for ${wrong.move} in ${wrong.state}: ${JSON.stringify(wrong)}`);
}

/** Where an event can lead from a state, and what can refuse it: `to to | why why`, each sorted. */
export function answersOf(
  cases: readonly Case<string, unknown>[],
  state: string,
  move: string,
): string {
  const to = new Set<string>();
  const why = new Set<string>();
  for (const one of cases) {
    if (one.state !== state || one.move !== move) continue;
    if (one.decision.kind === "go") to.add(one.decision.to);
    else why.add(one.decision.why);
  }
  return [[...to].sort().join(" "), [...why].sort().join(" ")].join(" | ").trim();
}
