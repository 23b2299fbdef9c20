import { roundedMs } from "../clock/mod.ts";
import { identityText } from "../proc/mod.ts";
import { plural } from "../view/progress.ts";
import { columns } from "../view/report.ts";
import type { Command, Invocation } from "./command.ts";
import { demandExecutable } from "./executable.ts";
import { EXIT } from "./exit.ts";
import { answer, say, wantsJson } from "./output.ts";
import { Planter } from "./prove_planter.ts";
import type { Round } from "./prove_rounds.ts";
import { UsageError } from "./usage_error.ts";

/** `skein prove`. */
export const command: Command = {
  name: "prove",
  summary: "Prove on this machine that a stop leaves nothing alive",
  usage: "",
  words: [0, 0],
  description: [
    "Starts real parent and child processes whose hearts beat every 20 ms, one child in four in a session of its own,",
    "stops them, checks that every process is gone and every heartbeat frozen, resets, and prints the figures beside",
    "the floor: the same trees killed by process group. With --manifest it runs and stops a manifest of yours instead.",
    "Works in a folder of its own, which it removes.",
  ].join("\n"),
  flags: {
    trees: { type: "integer", summary: "Trees a round (8)", range: [1, 256] },
    rounds: { type: "integer", summary: "Rounds (20)", range: [1, 1000] },
    manifest: { type: "text", value: "FILE", summary: "Run and stop this manifest instead" },
    after: {
      type: "integer",
      value: "MS",
      summary: "With --manifest: when to stop it (1000)",
      range: [0, 86_400_000],
    },
    "plant-survivor": { type: "boolean", summary: "", hidden: true },
  },
  examples: [
    ["skein prove", "8 trees, 20 rounds"],
    ["skein prove --manifest swarm.json --rounds 5", "your own commands"],
  ],
  exits: [0, 1, 2],
  run: prove,
};

/** Refuses flags that do not go together. */
function checkFlags(invocation: Invocation): void {
  const own = invocation.text("manifest") !== undefined;
  const next = "See `skein help prove`";
  if (!own && invocation.integer("after") !== undefined) {
    throw new UsageError('Flag "--after" needs "--manifest"', next);
  }
  if (own && invocation.integer("trees") !== undefined) {
    throw new UsageError('Flags "--manifest" and "--trees" exclude each other', next);
  }
}

/** What all rounds showed. */
interface Proof {
  readonly ok: boolean;
  readonly rounds: readonly Round[];
  readonly trees: number;
  readonly terminated: number;
  readonly frozen: number;
  readonly survivors: number;
  readonly medianMs: number | null;
  readonly worstMs: number | null;
  readonly floorMs: number | null;
}

async function prove(invocation: Invocation): Promise<number> {
  checkFlags(invocation);
  await demandExecutable();
  const base = Deno.makeTempDirSync({ prefix: "skein-prove-" });
  try {
    const file = invocation.text("manifest");
    const proof = file === undefined
      ? await proveTrees(invocation, base)
      : await proveOwn(invocation, base, file);
    answer(invocation, proof, () => summary(proof, file === undefined));
    const idle = proof.rounds.filter(({ trees }) => trees === 0).length;
    if (idle > 0) {
      say(
        `skein: in ${plural(idle, "round")} nothing was running any more when the stop came
       Choose an earlier moment, or a later one, with --after MS`,
      );
    }
    for (const { survivors, round } of proof.rounds) {
      for (const survivor of survivors) {
        say(`skein: survivor in round ${round}: ${identityText(survivor)}`);
      }
    }
    return proof.ok ? EXIT.ok : EXIT.error;
  } finally {
    Deno.removeSync(base, { recursive: true });
  }
}

async function proveTrees(invocation: Invocation, base: string): Promise<Proof> {
  const { floorRound, proveRound } = await import("./prove_rounds.ts");
  const trees = invocation.integer("trees") ?? 8;
  const planter = invocation.has("plant-survivor") ? new Planter() : null;
  const rounds: Round[] = [];
  const floors: number[] = [];
  try {
    for (let round = 1; round <= (invocation.integer("rounds") ?? 20); round++) {
      rounds.push(await proveRound(round, `${base}/state`, trees, planter?.plant ?? null));
      show(invocation, rounds);
      const floor = await floorRound(round, `${base}/state`, trees);
      if (floor !== null) floors.push(floor);
    }
  } finally {
    planter?.uproot();
  }
  return conclude(rounds, floors);
}

async function proveOwn(invocation: Invocation, base: string, file: string): Promise<Proof> {
  const { proveManifest } = await import("./prove_rounds.ts");
  const { readManifest } = await import("./manifest_source.ts");
  const manifest = await readManifest(file);
  const rounds: Round[] = [];
  for (let round = 1; round <= (invocation.integer("rounds") ?? 20); round++) {
    rounds.push(
      await proveManifest(round, `${base}/state`, manifest, invocation.integer("after") ?? 1000),
    );
    show(invocation, rounds);
  }
  return conclude(rounds, []);
}

function conclude(rounds: readonly Round[], floors: readonly number[]): Proof {
  const sum = (of: (round: Round) => number) =>
    rounds.reduce((total, round) => total + of(round), 0);
  const times = rounds.map(({ goneMs }) => goneMs).filter((ms) => ms !== null);
  const trees = sum((round) => round.trees);
  const terminated = sum((round) => round.terminated);
  const frozen = sum((round) => round.frozen);
  const survivors = sum((round) => round.survivors.length);
  const proven = rounds.every((round) => round.proven);
  return {
    ok: proven && survivors === 0 && terminated === trees && frozen === trees && trees > 0,
    rounds,
    trees,
    terminated,
    frozen,
    survivors,
    medianMs: medianOf(times),
    worstMs: times.length === rounds.length ? Math.max(...times) : null,
    floorMs: medianOf(floors),
  };
}

/** To the microsecond, as its values are. */
function medianOf(values: readonly number[]): number | null {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted[Math.floor(sorted.length / 2)];
  if (middle === undefined) return null;
  return sorted.length % 2 === 1
    ? middle
    : roundedMs((middle + (sorted[sorted.length / 2 - 1] ?? middle)) / 2);
}

function show(invocation: Invocation, rounds: readonly Round[]): void {
  const last = rounds.at(-1);
  if (last === undefined || wantsJson(invocation) && !Deno.stderr.isTerminal()) return;
  const { round, terminated, trees, frozen, goneMs, survivors } = last;
  say(
    columns([[
      `round ${round}`,
      `${terminated}/${trees} terminated`,
      `${frozen}/${trees} frozen`,
      `${survivors.length} survivors`,
      goneMs === null ? "not gone" : `${goneMs.toFixed(1)} ms`,
    ]]).join(""),
  );
}

function summary(proof: Proof, withFloor: boolean): string {
  const { ok, trees, terminated, frozen, survivors, medianMs, worstMs, floorMs } = proof;
  const ms = (value: number | null) => value === null ? "none" : `${value.toFixed(1)} ms`;
  const ratio = medianMs === null || floorMs === null
    ? ""
    : ` (${(medianMs / floorMs).toFixed(2)} times the floor)`;
  return [
    ok ? "Proven on this machine" : "NOT PROVEN",
    `  ${withFloor ? "trees" : "processes"} terminated  ${terminated}/${trees}`,
    ...withFloor ? [`  heartbeats frozen ${frozen}/${trees}`] : [],
    `  survivors         ${survivors}`,
    `  stop to last gone median ${ms(medianMs)}, worst ${ms(worstMs)}`,
    ...withFloor ? [`  floor, kill(2)    median ${ms(floorMs)}${ratio}`] : [],
  ].join("\n");
}
