/**
 * What must hold in every world and on every way to one.
 *
 * @module
 */
import type { RunStatus } from "../../src/model/mod.ts";
import { verdictAgrees } from "../../src/model/machines.ts";
import { isReasonCode } from "../../src/reason/mod.ts";
import { TERMINAL } from "./sweep.ts";
import { groupsOf, type Name, type TaskRow, type World } from "./world.ts";

/** One thing that happened. */
export interface Step {
  /** What was. */
  readonly before: World;
  /** What happened. */
  readonly action: string;
  /** What is. */
  readonly after: World;
}

type Change = Step & {
  /** Which executor did it. */
  readonly by: Name | null;
  /** Whether the run or a task is in another state. */
  readonly wrote: boolean;
  /** Whether the run has ended. */
  readonly ended: boolean;
};

/** A promise as what breaks it. */
const BREACHES: Readonly<Record<string, (change: Change) => boolean>> = {
  "an ended run has an open task": ({ ended, after }) => ended && after.tasks.some(isOpen),
  "the verdict does not agree with the tasks": ({ ended, after }) =>
    ended && !verdictAgrees({ ...after, status: after.state as RunStatus }, groupsOf(after)),
  "a terminal state has no reason (G10)": ({ after }) => [after, ...after.tasks].some(unexplained),
  "the run is held while nobody runs it, or the other way round": ({ ended, after }) =>
    !ended && (after.state === "running") !== (after.owner !== null),
  "a task runs under another claim than the run's": ({ after }) =>
    after.tasks.some(({ state, token, owner }) =>
      state === "running" &&
      (after.state !== "running" || token !== after.token || owner !== after.owner)
    ),
  "a task ran before what it needs": ({ after: { tasks: [first, second] } }) =>
    (second.state === "running" || second.state === "succeeded") && first.state !== "succeeded",
  "a task waits for what will not come": ({ ended, after: { tasks: [first, second] } }) =>
    !ended && second.state === "pending" && !isOpen(first) && first.state !== "succeeded",
  "the token fell (G7)": ({ before, after }) => after.token < before.token,
  "an outdated executor wrote (G7)": ({ before, by, wrote, action }) =>
    by !== null && wrote && !action.startsWith("claim") && before.beliefs[by] !== before.token,
  "a holder wrote after its lease (G7)": ({ before, by, wrote, action }) =>
    by !== null && wrote && !/^(?:claim|hand-back)/.test(action) && !before.leaseRuns,
  "something was started or settled under the latch (G1, G3)": ({ before, by, wrote, action }) =>
    by !== null && wrote && before.latched && !action.startsWith("hand-back"),
  "an attempt started after a cancellation (G11)": ({ before, action, wrote }) =>
    wrote && action.startsWith("start") && before.cancelRequested,
  "a cancellation was taken back (G11)": ({ before, after }) =>
    before.cancelRequested && !after.cancelRequested && before.round === after.round,
  "a task that succeeded ran again": ({ before, after }) =>
    before.round === after.round &&
    before.tasks.some(({ state }, index) =>
      state === "succeeded" && after.tasks[index]?.state !== "succeeded"
    ),
};

function isOpen({ state }: TaskRow): boolean {
  return !TERMINAL.includes(state);
}

function unexplained({ state, reason }: World | TaskRow): boolean {
  if (!TERMINAL.includes(state)) return false;
  return state === "succeeded" ? reason !== null : reason === null || !isReasonCode(reason);
}

/** The promises that a step breaks. */
export function breachesOf(step: Step): string[] {
  const { before, action, after } = step;
  const [, name] = / by (.)/.exec(action) ?? [];
  const change: Change = {
    ...step,
    by: name === "a" || name === "b" ? name : null,
    wrote: before.state !== after.state ||
      before.tasks.some(({ state }, index) => state !== after.tasks[index]?.state),
    ended: TERMINAL.includes(after.state),
  };
  return Object.entries(BREACHES).filter(([, breaks]) => breaks(change)).map(([what]) => what);
}
