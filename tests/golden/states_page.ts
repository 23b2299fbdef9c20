/**
 * `docs/reference/states.md`: the tables of the machines, as a page.
 *
 * @module
 */
import type { RunEffect, RunMove, TaskEffect, TaskGroup, TaskMove } from "../../src/model/mod.ts";
import { REFUSALS, verdictOfTasks } from "../../src/model/machines.ts";
import { REASONS } from "../../src/reason/mod.ts";
import { GUARD_ORDER } from "../../src/model/machine.ts";
import { RUN_MOVES, RUN_STATES, TASK_MOVES, TASK_STATES } from "../model/facts.ts";
import { type AnyEffect, type AnyRule, type Cell, RUN_CELLS, TASK_CELLS } from "../model/sweep.ts";

const RUN_EVENTS: Readonly<Record<RunMove, string>> = {
  claim: "A worker takes it.",
  finish: "Its holder settles it: every task has ended, or what is still pending will not start.",
  "hand-back": "Its holder gives it back at a clean stop.",
  lose: "The reaper, or a recovery, takes it from a holder whose lease has expired.",
  cancel: "An operator does not want it any more.",
  stop: "It is of an older epoch: a stop has invalidated it.",
  retry: "An operator wants it again, as its next round and at the current epoch.",
};

const TASK_EVENTS: Readonly<Record<TaskMove, string>> = {
  start: "The run's holder starts the next attempt at its pass.",
  succeed: "The holder settles an attempt that succeeded.",
  fail: "The holder settles an attempt that failed.",
  lose: "Its run is lost with the executor.",
  "hand-back": "Its run is handed back.",
  skip: "A task that it needs, directly or through others, ended without success.",
  cancel: "Its holder settles an attempt that was cut short, or the end of its run leaves it out.",
  stop: "Its run is stopped.",
  reopen: "Its run starts its next round.",
};

const EFFECTS: Readonly<Record<AnyEffect["kind"], string>> = {
  "raise-token": "the run's token rises by one: whoever held it before writes nothing any more",
  "take": "the claimer is the owner, with a lease; nothing is deferred any more",
  "free": "no owner and no lease",
  "defer": "due at a time, for a reason",
  "count-crash": "one more verified death of an executor",
  "request-cancel": "a cancellation is requested, in this round for good",
  "end": "the time of the end, and its reason",
  "reopen":
    "of a run: the next round, at the current epoch, due at once, without crashes and requests. " +
    "Of a task: its first pass again",
  "move-tasks":
    "an event for each task in some states, each by the task's own table and with its own row",
  "open-attempt": "the next attempt at the pass, with the run's next sequence",
  "close-attempt": "the attempt that runs has ended. What was handed back counts against nothing",
  "next-pass": "the next pass, due at once",
  "skip-dependents": "every pending task that needs it, directly or through others, is skipped",
};

function code(text: string): string {
  return `\`${text}\``;
}

function list(names: readonly string[]): string {
  return names.map(code).join(", ");
}

/** What an effect is said with: the reasons that need no saying, and whether others are said. */
interface Telling {
  /** The event's own reason, and the given one. */
  readonly known: readonly (string | null)[];
  /** Whether the reasons of the tasks are left out. */
  readonly brief: boolean;
}

function wordsOf(effect: AnyEffect, { known, brief }: Telling): string {
  const as = (reason: string | null) =>
    reason === null || known.includes(reason) ? "" : ` as ${code(reason)}`;
  switch (effect.kind) {
    case "move-tasks": {
      const { move, states } = effect.order;
      const why = "reason" in effect.order && !brief ? as(effect.order.reason) : "";
      return `${code(move)} of each task that is ${states.map(code).join(" or ")}${why}`;
    }
    case "close-attempt":
      return `${code(effect.kind)} (${effect.as})`;
    case "end":
    case "defer":
      return code(effect.kind) + as(effect.reason);
    default:
      return code(effect.kind);
  }
}

/** The ways on of a rule, each with every reason and every list of effects that some facts give it. */
function branchesOf(rule: AnyRule, facts: readonly unknown[]): string[] {
  const admitted = facts.filter((fact) => !rule.guards.some((guard) => guard.refuses(fact)));
  return rule.branches.map((branch) => {
    const taking = admitted.filter((fact) =>
      rule.branches.find((one) => one.holds(fact)) === branch
    );
    const reasons = taking.map((fact) => {
      const reason = branch.reason(fact);
      return reason !== null && reason === givenIn(fact) ? "the given reason" : reason;
    });
    const ways = (brief: boolean) =>
      unique(taking.map((fact) => {
        const known = [branch.reason(fact), givenIn(fact)];
        return branch.effects(fact).map((one) => wordsOf(one, { known, brief })).join(", then ");
      }));
    const when = rule.branches.length === 1 ? "" : `${branch.when}: `;
    const why = unique(reasons).flatMap((reason) =>
      reason === null ? [] : reason.includes(" ") ? reason : code(reason)
    ).sort().join(" or ");
    const effects = ways(IN_FULL).length === 1 ? ways(IN_FULL) : ways(IN_BRIEF);
    return `- ${when}→ ${code(branch.to)}${why === "" ? "" : ` (${why})`}: ${
      effects.sort().join("; or ")
    }`;
  });
}

const IN_FULL = false;
const IN_BRIEF = true;

function givenIn(fact: unknown): string | null {
  return (fact as { readonly reason?: string }).reason ?? null;
}

function unique<T>(list: readonly T[]): T[] {
  return [...new Set(list)];
}

function bodyOf({ rule, facts }: Cell): string[] {
  if (rule === null) return ["- impossible: nobody asks"];
  const guards = unique(rule.guards.map(({ kind, why }) => `${code(why)} (${kind})`));
  return [
    ...guards.length === 0 ? [] : [`- refused, in this order: ${guards.join(", ")}`],
    ...branchesOf(rule, facts),
  ];
}

/** What an event does, for each group of states in which it does the same. */
function eventOf(move: string, text: string, cells: readonly Cell[]): string[] {
  const groups = Map.groupBy(
    cells.filter((cell) => cell.move === move),
    (cell) => bodyOf(cell).join("\n"),
  );
  return [
    "",
    `### ${code(move)}`,
    "",
    text,
    ...[...groups].flatMap(([body, same]) => [
      "",
      `From ${list(same.map(({ state }) => state))}:`,
      "",
      body,
    ]),
  ];
}

function matrixOf(
  states: readonly string[],
  moves: readonly string[],
  cells: readonly Cell[],
): string[] {
  const cellOf = (state: string, move: string) => {
    const rule = cells.find((cell) => cell.state === state && cell.move === move)?.rule ?? null;
    if (rule === null) return "";
    return rule.branches.length === 0 ? "–" : list(unique(rule.branches.map(({ to }) => to)));
  };
  return [
    `| | ${moves.map(code).join(" | ")} |`,
    `|---|${moves.map(() => "---|").join("")}`,
    ...states.map((state) =>
      `| ${code(state)} | ${moves.map((move) => cellOf(state, move)).join(" | ")} |`
    ),
  ];
}

function machineOf(
  states: readonly string[],
  events: Readonly<Record<string, string>>,
  moves: readonly string[],
  cells: readonly Cell[],
): string[] {
  return [
    ...matrixOf(states, moves, cells),
    ...moves.flatMap((move) => eventOf(move, events[move] ?? "", cells)),
  ];
}

function verdicts(): string[] {
  const codes = Object.keys(REASONS).filter((reason) => /^TASK_(?:STOPPED|CANCELLED)/.test(reason));
  const done: TaskGroup = { state: "succeeded", reason: null, count: 1 };
  const failed: TaskGroup = { state: "failed", reason: "TASK_FAILED_EXIT", count: 1 };
  const rows: (readonly [string, readonly TaskGroup[]])[] = [
    ["all succeeded", [done]],
    ["one failed", [done, failed]],
    ...codes.map((reason) => {
      const state = reason === "TASK_STOPPED" ? "stopped" : "cancelled";
      return [`one is ${code(reason)}`, [done, failed, { state, reason, count: 1 }]] as const;
    }),
  ];
  return rows.map(([what, groups]) => {
    const verdict = verdictOfTasks(groups);
    const reason = verdict?.reason ?? null;
    return `| ${what} | ${code(verdict?.status ?? "")}${
      reason === null ? "" : `, ${code(reason)}`
    } |`;
  });
}

/** The page. */
export function statesPage(): string {
  const effects = (Object.keys(EFFECTS) as (RunEffect | TaskEffect)["kind"][]).map((kind) =>
    `| ${code(kind)} | ${EFFECTS[kind]} |`
  );
  const refusals = Object.entries(REFUSALS).map(([why, text]) => `| ${code(why)} | ${text} |`);
  return [
    "# States of the queue",
    "",
    "What a run and a task of the durable queue can be, and what each event does to them. The store asks these tables",
    "inside the transaction that writes: an event is refused, and nothing changes, or it is taken with all of its effects",
    "and with exactly one row in the audit. A run or a task that waits is no state of its own: it is queued or pending,",
    "with a time and a reason.",
    "",
    `The guards of an event are read in one order: ${
      GUARD_ORDER.join(", ")
    }. The first that refuses decides. Of the ways`,
    "on the first whose condition holds is taken. In the overviews, – is an event that is always refused there, and an",
    "empty field one that nobody asks. Codes are explained in [reasons.md](reasons.md).",
    "",
    "This page is generated: `deno task generate`.",
    "",
    "## A run",
    "",
    ...machineOf(RUN_STATES, RUN_EVENTS, RUN_MOVES, RUN_CELLS),
    "",
    "## A task",
    "",
    ...machineOf(TASK_STATES, TASK_EVENTS, TASK_MOVES, TASK_CELLS),
    "",
    "## The verdict",
    "",
    "How a run ends by what became of its tasks, where every task has ended. Of several, stopped beats cancelled beats",
    "failed.",
    "",
    "| tasks | verdict |",
    "|---|---|",
    ...verdicts(),
    "",
    "## Refusals",
    "",
    "| refusal | meaning |",
    "|---|---|",
    ...refusals,
    "",
    "## Effects",
    "",
    "| effect | meaning |",
    "|---|---|",
    ...effects,
    "",
  ].join("\n");
}
