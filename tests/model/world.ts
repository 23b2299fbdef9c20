/**
 * One run with two tasks, two executors, an operator, a reaper and a stop, in memory: what the machines' effects do, for
 * an exploration of everything that can happen. Time is whether the lease runs; backoffs are over at once.
 *
 * @module
 */
import { TERMINAL } from "./sweep.ts";
import type { decideRun, decideTask } from "../../src/model/machines.ts";
import type {
  Decision,
  HolderFacts,
  RunEffect,
  RunState,
  TaskEffect,
  TaskGroup,
  TaskOrder,
  TaskState,
} from "../../src/model/mod.ts";

/** Who decides: the machines, or broken ones that the exploration must catch. */
export interface Machines {
  /** For the run. */
  readonly decideRun: typeof decideRun;
  /** For a task. */
  readonly decideTask: typeof decideTask;
}

/** The executors. */
export const EXECUTORS = ["a", "b"] as const;
/** An executor. */
export type Name = typeof EXECUTORS[number];

/** A task. The second needs the first. */
export interface TaskRow {
  state: TaskState;
  reason: string | null;
  pass: number;
  /** Attempts at the pass in the round that count. */
  counted: number;
  owner: Name | null;
  token: number;
}

/** Everything. */
export interface World {
  latched: boolean;
  epoch: number;
  state: RunState;
  reason: string | null;
  runEpoch: number;
  round: number;
  token: number;
  owner: Name | null;
  leaseRuns: boolean;
  crashes: number;
  cancelRequested: boolean;
  tasks: [TaskRow, TaskRow];
  /** The token that each executor believes in; 0: none. */
  beliefs: Record<Name, number>;
}

export const PASSES = [2, 1] as const;
const MAX_ATTEMPTS = 2;
const MAX_CRASHES = 2;
/** No claim is made from this token on. */
export const MOST_TOKENS = 3;

/** A world of its own. */
export function copyOf(world: World): World {
  const [first, second] = world.tasks;
  return { ...world, tasks: [{ ...first }, { ...second }], beliefs: { ...world.beliefs } };
}

/** The same world, without what makes no difference: what an outdated executor believes, whose an ended attempt was. */
export function canonical(world: World): World {
  for (const name of EXECUTORS) {
    if (world.beliefs[name] !== world.token) {
      world.beliefs[name] = world.beliefs[name] === 0 ? 0 : -1;
    }
  }
  for (const task of world.tasks) {
    if (task.state !== "running") Object.assign(task, { owner: null, token: 0 });
    if (TERMINAL.includes(task.state)) task.counted = 0;
  }
  return world;
}

/** A run that was just submitted. */
export function submitted(): World {
  const task = (): TaskRow => ({
    state: "pending",
    reason: null,
    pass: 1,
    counted: 0,
    owner: null,
    token: 0,
  });
  return {
    latched: false,
    epoch: 1,
    state: "queued",
    reason: null,
    runEpoch: 1,
    round: 1,
    token: 0,
    owner: null,
    leaseRuns: false,
    crashes: 0,
    cancelRequested: false,
    tasks: [task(), task()],
    beliefs: { a: 0, b: 0 },
  };
}

/** Something that can happen. It changes the world, or returns `false`. */
export type Action = readonly [name: string, act: (world: World, machines: Machines) => boolean];

/** The run's tasks, as a verdict reads them. */
export function groupsOf({ tasks }: World): TaskGroup[] {
  return tasks.map(({ state, reason }) => ({ state, reason, count: 1 }));
}

function holderFacts(world: World, by: Name, holder: World | TaskRow): HolderFacts {
  return {
    latched: world.latched,
    epoch: world.epoch,
    runEpoch: world.runEpoch,
    holder: holder.owner === null ? null : { owner: holder.owner, token: holder.token },
    caller: { owner: by, token: world.beliefs[by] },
    leaseExpiresAt: world.state !== "running" ? null : world.leaseRuns ? 1 : 0,
    now: 0,
  };
}

type RunDecision = Decision<RunState, RunEffect>;
type TaskDecision = Decision<TaskState, TaskEffect>;

function moveRun(
  world: World,
  machines: Machines,
  decision: RunDecision,
  by: Name | null,
): boolean {
  if (decision.kind === "refused") return false;
  world.state = decision.to;
  for (const effect of decision.effects) doForRun(world, machines, effect, by);
  return true;
}

function doForRun(world: World, machines: Machines, effect: RunEffect, by: Name | null): void {
  switch (effect.kind) {
    case "raise-token":
      world.token++;
      return;
    case "take":
      Object.assign(world, { owner: by, leaseRuns: true, reason: null });
      if (by !== null) world.beliefs[by] = world.token;
      return;
    case "free":
      Object.assign(world, { owner: null, leaseRuns: false });
      return;
    case "defer":
      world.reason = effect.reason;
      return;
    case "count-crash":
      world.crashes++;
      return;
    case "request-cancel":
      world.cancelRequested = true;
      return;
    case "end":
      Object.assign(world, { reason: effect.reason, leaseRuns: false });
      return;
    case "reopen":
      world.round++;
      Object.assign(world, { runEpoch: effect.epoch, crashes: 0, cancelRequested: false });
      world.reason = null;
      return;
    case "move-tasks":
      for (const task of world.tasks) {
        if (!effect.order.states.includes(task.state)) continue;
        moveTask(world, machines, task, ordered(machines, task, effect.order), null);
      }
  }
}

function ordered(machines: Machines, task: TaskRow, order: TaskOrder): TaskDecision {
  const { state, counted } = task;
  switch (order.move) {
    case "lose":
      return machines.decideTask(state, "lose", { counted, maxAttempts: MAX_ATTEMPTS });
    case "hand-back":
      return machines.decideTask(state, "hand-back", order);
    case "cancel":
      return machines.decideTask(state, "cancel", { reason: order.reason, settle: null });
    default:
      return machines.decideTask(state, order.move, {});
  }
}

function moveTask(
  world: World,
  machines: Machines,
  task: TaskRow,
  decision: TaskDecision,
  by: Name | null,
): boolean {
  if (decision.kind === "refused") return false;
  task.state = decision.to;
  for (const effect of decision.effects) doForTask(world, machines, task, effect, by);
  return true;
}

function doForTask(
  world: World,
  machines: Machines,
  task: TaskRow,
  effect: TaskEffect,
  by: Name | null,
): void {
  switch (effect.kind) {
    case "open-attempt":
      task.counted++;
      Object.assign(task, { owner: by, token: world.token, reason: null });
      return;
    case "close-attempt":
      if (effect.as === "handed-back") task.counted--;
      return;
    case "next-pass":
      task.pass++;
      task.counted = 0;
      return;
    case "defer":
    case "end":
      task.reason = effect.reason;
      return;
    case "skip-dependents": {
      const [first, second] = world.tasks;
      if (task !== first || second.state !== "pending") return;
      moveTask(world, machines, second, machines.decideTask(second.state, "skip", {}), null);
      return;
    }
    case "reopen":
      Object.assign(task, { pass: 1, counted: 0, reason: null, owner: null, token: 0 });
  }
}

function executorActions(by: Name): Action[] {
  const acts: Action[] = [
    [`claim by ${by}`, (world, machines) => {
      if (world.token >= MOST_TOKENS) return false;
      const { latched, epoch, runEpoch, crashes } = world;
      const facts = { latched, epoch, runEpoch, availableAt: null, now: 0, busy: false };
      const decision = machines.decideRun(world.state, "claim", { ...facts, crashCount: crashes });
      return moveRun(world, machines, decision, by);
    }],
    [`hand-back by ${by}`, (world, machines) => {
      const facts = { ...holderFacts(world, by, world), cancelRequested: world.cancelRequested };
      const reason = "RUN_HANDED_BACK_DRAIN";
      const decision = machines.decideRun(world.state, "hand-back", { ...facts, reason, dueAt: 0 });
      world.beliefs[by] = 0;
      moveRun(world, machines, decision, by);
      return true;
    }],
  ];
  for (const timedOut of [false, true]) {
    acts.push([`finish by ${by}${timedOut ? ", out of time" : ""}`, (world, machines) => {
      const { cancelRequested } = world;
      const facts = { ...holderFacts(world, by, world), tasks: groupsOf(world), cancelRequested };
      return moveRun(
        world,
        machines,
        machines.decideRun(world.state, "finish", { ...facts, timedOut }),
        by,
      );
    }]);
  }
  return [...acts, ...taskActions(by, 0), ...taskActions(by, 1)];
}

function taskActions(by: Name, index: 0 | 1): Action[] {
  const settle = (world: World) => {
    const { pass } = world.tasks[index];
    const attempt = { pass, attempt: 1 };
    return { ...holderFacts(world, by, world.tasks[index]), active: attempt, settled: attempt };
  };
  const act = (
    name: string,
    decide: (world: World, machines: Machines) => TaskDecision,
  ): Action => [
    `${name} ${index} by ${by}`,
    (world, machines) => moveTask(world, machines, world.tasks[index], decide(world, machines), by),
  ];
  const failing = (name: string, retryable: boolean) =>
    act(name, (world, { decideTask }) => {
      const { state, counted } = world.tasks[index];
      const tries = { counted, maxAttempts: MAX_ATTEMPTS, retryable, retryAt: 0 };
      return decideTask(state, "fail", { ...settle(world), ...tries, reason: "TASK_FAILED_EXIT" });
    });
  return [
    act("start", (world, { decideTask }) =>
      decideTask(world.tasks[index].state, "start", {
        ...holderFacts(world, by, world),
        cancelRequested: world.cancelRequested,
        needsMet: index === 0 || world.tasks[0].state === "succeeded",
        availableAt: null,
      })),
    act("succeed", (world, { decideTask }) =>
      decideTask(world.tasks[index].state, "succeed", {
        ...settle(world),
        passes: PASSES[index],
      })),
    failing("fail", RETRYABLE),
    failing("fail for good", FINAL),
    act("cancel", (world, { decideTask }) =>
      decideTask(world.tasks[index].state, "cancel", {
        reason: world.cancelRequested ? "TASK_CANCELLED_OPERATOR" : "TASK_CANCELLED_RUN_TIMEOUT",
        settle: settle(world),
      })),
  ];
}

const RETRYABLE = true;
const FINAL = false;

function loss(gone: boolean): Action {
  return [`lose${gone ? ", gone" : ""}`, (world, machines) => {
    const { latched, epoch, runEpoch, cancelRequested, crashes, owner } = world;
    // Only who holds a belief no more is verifiably gone.
    if (gone && owner !== null && world.beliefs[owner] !== 0) return false;
    const decision = machines.decideRun(world.state, "lose", {
      ...{ latched, epoch, runEpoch, cancelRequested, gone, crashCount: crashes },
      ...{ maxCrashCount: MAX_CRASHES, allowanceMs: 0, now: 0, dueAt: 0 },
      leaseExpiresAt: world.leaseRuns ? 1 : 0,
    });
    return moveRun(world, machines, decision, null);
  }];
}

function retry(failedOnly: boolean): Action {
  return [`retry${failedOnly ? " what failed" : ""}`, (world, machines) => {
    const { latched, epoch, runEpoch } = world;
    if (world.round > 1) return false;
    const facts = { latched, epoch, runEpoch, failedOnly };
    return moveRun(world, machines, machines.decideRun(world.state, "retry", facts), null);
  }];
}

/** Everything that can happen. */
export const ACTIONS: readonly Action[] = [
  ...EXECUTORS.flatMap(executorActions),
  ...EXECUTORS.map((name): Action => [`${name} dies`, ({ beliefs }) => {
    const lived = beliefs[name] !== 0;
    beliefs[name] = 0;
    return lived;
  }]),
  ["the lease expires", (world) => {
    const ran = world.leaseRuns;
    world.leaseRuns = false;
    return ran;
  }],
  ...[false, true].flatMap((yes) => [loss(yes), retry(yes)]),
  ["cancel", (world, machines) => {
    const { state, cancelRequested } = world;
    return moveRun(
      world,
      machines,
      machines.decideRun(state, "cancel", { cancelRequested }),
      null,
    );
  }],
  ["stop", (world) => {
    if (world.epoch > 1) return false;
    Object.assign(world, { latched: true, epoch: world.epoch + 1 });
    return true;
  }],
  ["reset", (world) => {
    const { latched } = world;
    world.latched = false;
    return latched;
  }],
  ["close what is stopped", (world, machines) => {
    const { state, epoch, runEpoch } = world;
    return moveRun(
      world,
      machines,
      machines.decideRun(state, "stop", { epoch, runEpoch }),
      null,
    );
  }],
];
