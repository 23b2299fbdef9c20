import { assert, assertEquals } from "@std/assert";
import type { RunEffect } from "../../src/model/mod.ts";
import { decideRun, decideTask } from "../../src/model/machines.ts";
import { breachesOf } from "./promises.ts";
import { TERMINAL } from "./sweep.ts";
import {
  ACTIONS,
  canonical,
  copyOf,
  type Machines,
  MOST_TOKENS,
  submitted,
  type World,
} from "./world.ts";

const REAL: Machines = { decideRun, decideTask };

/** What a run must not need in order to end: an operator, a stop, deaths, the end of its time. */
const FROM_OUTSIDE = /^(?:cancel|stop|retry|retry what failed)$|gone$|out of time$/;

/** What everything came to. */
interface Explored {
  /** Different worlds. */
  readonly worlds: number;
  /** States of the run with their reasons. */
  readonly moments: ReadonlySet<string>;
  /** Broken promises, each with the shortest way there. */
  readonly breaches: ReadonlyMap<string, string>;
  /** Worlds in which the run does not end by itself. */
  readonly stuck: readonly World[];
}

/** Everything that can happen, breadth first; or as far as to one broken promise. */
function explore(machines: Machines, wanted: string | null = null): Explored {
  const ways = new Map<string, string>([[JSON.stringify(submitted()), ""]]);
  const sources = new Map<string, string[]>();
  const breaches = new Map<string, string>();
  const moments = new Set<string>();
  const ended = new Set<string>();
  for (const [from, way] of ways) {
    if (wanted !== null && breaches.has(wanted)) break;
    const before: World = JSON.parse(from);
    if (TERMINAL.includes(before.state)) ended.add(from);
    moments.add(`${before.state} ${before.reason}`);
    for (const [action, act] of ACTIONS) {
      const after = copyOf(before);
      if (!act(after, machines)) continue;
      for (const what of breachesOf({ before, action, after })) {
        if (!breaches.has(what)) breaches.set(what, `${way}${action}; `);
      }
      const to = JSON.stringify(canonical(after));
      if (!ways.has(to)) ways.set(to, `${way}${action}; `);
      if (FROM_OUTSIDE.test(action)) continue;
      const known = sources.get(to);
      if (known === undefined) sources.set(to, [from]);
      else known.push(from);
    }
  }
  for (const one of ended) for (const source of sources.get(one) ?? []) ended.add(source);
  const stuck = [...ways.keys()].filter((one) => !ended.has(one))
    .map((one): World => JSON.parse(one))
    // A holder may die: below this token another claim follows.
    .filter(({ token }) => token < MOST_TOKENS - 1);
  return { worlds: ways.size, moments, breaches, stuck };
}

Deno.test("decideRun() and decideTask() keep G1, G3, G7, G10 and G11 in everything that two executors, a reaper, an operator and a stop can do", () => {
  const { worlds, moments, breaches } = explore(REAL);
  Deno.stderr.writeSync(new TextEncoder().encode(`model: a run in the queue: ${worlds} worlds\n`));
  assertEquals([...breaches], []);
  const wanted = [
    "succeeded null",
    "failed RUN_FAILED_TASKS",
    "failed RUN_FAILED_TIMEOUT",
    "failed RUN_FAILED_POISON",
    "cancelled RUN_CANCELLED_OPERATOR",
    "stopped RUN_STOPPED",
    "stopped RUN_STOPPED_QUEUED",
    "queued RUN_DEFERRED_CRASHED",
    "queued RUN_DEFERRED_LOST",
    "queued RUN_HANDED_BACK_DRAIN",
  ];
  assertEquals(wanted.filter((moment) => !moments.has(moment)), []);
});

Deno.test("decideRun() and decideTask() leave a way to the end from everywhere, without an operator, a stop, a death or a timeout (G8)", () => {
  assertEquals(explore(REAL).stuck, []);
});

/** Machines whose decisions about a run lack an effect of one event. */
function without(move: string, kind: RunEffect["kind"]): Machines {
  return {
    ...REAL,
    decideRun(state, asked, facts) {
      const decision = decideRun(state, asked, facts);
      if (asked !== move || decision.kind === "refused") return decision;
      return { ...decision, effects: decision.effects.filter((effect) => effect.kind !== kind) };
    },
  };
}

/** Machines that judge a task by other facts than they are given. */
function believing(facts: (given: object) => object): Machines {
  return {
    ...REAL,
    decideTask: (state, move, given) => decideTask(state, move, { ...given, ...facts(given) }),
  };
}

const VARIANTS: readonly (readonly [string, Machines, string])[] = [
  [
    "a settle without the token",
    believing((given) => "caller" in given ? { holder: given.caller } : {}),
    "an outdated executor wrote (G7)",
  ],
  [
    "a settle after the lease",
    believing(() => ({ leaseExpiresAt: 1 })),
    "a holder wrote after its lease (G7)",
  ],
  [
    "a settle without the check",
    believing(() => ({ latched: false, epoch: 1, runEpoch: 1 })),
    "something was started or settled under the latch (G1, G3)",
  ],
  [
    "a start after a cancellation",
    believing(() => ({ cancelRequested: false })),
    "an attempt started after a cancellation (G11)",
  ],
  [
    "a cancellation that leaves tasks open",
    without("cancel", "move-tasks"),
    "an ended run has an open task",
  ],
  [
    "a loss that leaves tasks running",
    without("lose", "move-tasks"),
    "a task runs under another claim than the run's",
  ],
  ["an end without a reason", without("stop", "end"), "a terminal state has no reason (G10)"],
  [
    "a requeue that keeps its holder",
    without("hand-back", "free"),
    "the run is held while nobody runs it, or the other way round",
  ],
];

Deno.test("explore() catches a run that cannot end: dependents of what was cancelled are not skipped", () => {
  const machines: Machines = {
    ...REAL,
    decideTask(state, move, facts) {
      const decision = decideTask(state, move, facts);
      if (decision.kind === "refused") return decision;
      const effects = decision.effects.filter(({ kind }) => kind !== "skip-dependents");
      return { ...decision, effects };
    },
  };
  const { stuck, breaches } = explore(machines);
  assert(stuck.length > 0);
  assert(breaches.has("a task waits for what will not come"));
});

for (const [what, machines, promise] of VARIANTS) {
  Deno.test(`explore() catches ${what}`, () => {
    const { breaches } = explore(machines, promise);
    assert(breaches.has(promise), [...breaches.keys()].join("; "));
  });
}
