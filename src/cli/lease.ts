import { absolutePath } from "../disk/path.ts";
import { lossAtFence, type LossKind, lossOfLease } from "../engine/lease_worth.ts";
import { readSwarmId } from "../fence/mod.ts";
import { nearest } from "../manifest/near.ts";
import {
  type CarriedLease,
  carriedLease,
  formatLineage,
  LINEAGE_VARIABLE,
  parseLineage,
  SkeinError,
} from "../model/mod.ts";
import type { Command, Invocation } from "./command.ts";
import { EXIT } from "./exit.ts";
import { runWhileHeld } from "./lease_exec.ts";
import { answer } from "./output.ts";
import { withQueue } from "./queue.ts";
import { UsageError } from "./usage_error.ts";

/** `skein lease`. */
export const command: Command = {
  name: "lease",
  summary: "Check the lease in the environment, or run a command only if it holds",
  usage: "check | exec -- <command…>",
  words: [1, Number.MAX_SAFE_INTEGER],
  description: [
    "For commands that a run has started: they carry its lease in `SKEIN_RUN_ID`, `SKEIN_TASK_ID`, `SKEIN_PASS`,",
    "`SKEIN_ATTEMPT`, `SKEIN_EPOCH`, `SKEIN_SEQUENCE`, `SKEIN_STATE_DIR`, and from the queue `SKEIN_TOKEN`. The lease is",
    "worth something while nothing is at STOP, its epoch is the current one, its run goes on, and its attempt is the",
    "task's latest; from the queue the store is asked too: the token, the attempt, and that the claim has not expired.",
    "",
    "`check` answers with its exit code: 0, 4 where a stop has ended the lease, 1 where it is worth nothing for another",
    "reason, or there is none. `exec` asks the same, runs the command where the answer is 0, and exits with the command's",
    "own code, 128 and the number of the signal where one has ended it (1 for a real-time signal); else it runs nothing",
    "and exits as `check` does. The command gets the run's marker, by which a stop finds it.",
    "TERM and HUP are passed on to the command, INT is left to the terminal, and a second signal kills it. A stop that",
    "comes while the command starts kills it; one that comes later ends it with everything else of the run.",
    "",
    "Flags stand before the `--`. Only `--state` and `SKEIN_STATE_DIR` say where the lease belongs, `SKEIN_STATE` does not.",
  ].join("\n"),
  flags: {},
  examples: [
    ["skein lease check --json", "the lease, and whether it is worth anything"],
    ["skein lease exec -- git push origin main", "push, unless the swarm was stopped meanwhile"],
  ],
  exits: [0, 1, 2, 4],
  run: lease,
};

/** Why a lease is worth nothing: there may be none. */
type Why = LossKind | "no-lease";

/** What a lease is worth. */
interface Worth {
  readonly valid: boolean;
  /** `null` where it is worth something. */
  readonly why: Why | null;
  readonly message: string | null;
  /** `null` where there is none. */
  readonly lease: CarriedLease | null;
}

const VERBS = ["check", "exec"] as const;

async function lease(invocation: Invocation): Promise<number> {
  const [verb = "", ...words] = invocation.words;
  const next = "See `skein help lease`";
  switch (verb) {
    case "check":
      if (words[0] === undefined) return await check(invocation);
      throw new UsageError(`Word "${words[0]}" is one too many`, next);
    case "exec":
      if ((words[0] ?? "").trim() !== "") return await exec(invocation, words);
      throw new UsageError('"lease exec" needs a command, behind `--`', next);
    default: {
      const near = nearest(verb, VERBS);
      const hint = near === null ? ": it is check or exec" : `, did you mean "${near}"?`;
      throw new UsageError(`"lease ${verb}" is unknown${hint}`, next);
    }
  }
}

async function check(invocation: Invocation): Promise<number> {
  const worth = await worthOf(invocation);
  answer(invocation, worth, () => textOf(worth));
  return worth.why === null ? EXIT.ok : exitOf(worth.why);
}

async function exec(invocation: Invocation, argv: readonly string[]): Promise<number> {
  const worth = await worthOf(invocation);
  const { lease } = worth;
  if (worth.why !== null || lease === null) throw refusal(argv, worth.why ?? "no-lease", worth);
  const stateDir = stateDirOf(invocation) ?? "";
  return await runWhileHeld(argv, () => {
    const loss = lossAtFence(stateDir, lease);
    if (loss !== null) throw refusal(argv, loss.why, { ...worth, ...loss });
  }, marked(stateDir, lease));
}

/**
 * The marker by which a stop finds the command. Whoever has passed on the lease alone has left it behind.
 *
 * @throws {SkeinError} where the swarm's id cannot be read: nothing of it could be found.
 */
function marked(stateDir: string, lease: CarriedLease): Record<string, string> {
  const { epoch, runId: run, token = 0, sequence } = lease;
  const swarm = readSwarmId(stateDir);
  if (swarm === null) {
    throw new SkeinError("state-corrupt", `Cannot read the swarm's id in "${stateDir}/ID"`, {
      where: `${stateDir}/ID`,
      next: NEXT.unreadable,
    });
  }
  const outer = Deno.env.get(LINEAGE_VARIABLE) ?? "";
  const isMarked = parseLineage(outer).some((one) =>
    one.swarm === swarm && one.epoch === epoch && one.run === run
  );
  const segment = { swarm, epoch, run, token, sequence };
  return { [LINEAGE_VARIABLE]: isMarked ? outer : formatLineage(outer, segment) };
}

async function worthOf(invocation: Invocation): Promise<Worth> {
  const stateDir = stateDirOf(invocation);
  const carried = carriedLease((name) => Deno.env.get(name));
  if (!carried.ok) return nothing("no-lease", carried.problem, null);
  const { lease } = carried;
  if (stateDir === undefined) return nothing("no-lease", "SKEIN_STATE_DIR is not set", null);
  const loss = await lossOfLease(stateDir, lease, (use) => withQueue(stateDir, use));
  if (loss !== null) return nothing(loss.why, loss.message, lease);
  return { valid: true, why: null, message: null, lease };
}

function nothing(why: Why, message: string, lease: CarriedLease | null): Worth {
  return { valid: false, why, message, lease };
}

/** Where the lease belongs: another state directory than the lease's own has nothing to say about it. */
function stateDirOf(invocation: Invocation): string | undefined {
  const stateDir = invocation.text("state") ?? (Deno.env.get("SKEIN_STATE_DIR") || undefined);
  return stateDir === undefined ? undefined : absolutePath(stateDir);
}

function textOf({ lease, message }: Worth): string {
  if (lease === null) return `No lease: ${message}`;
  const name = describe(lease);
  return message === null ? `Worth something: ${name}` : `Worth nothing: ${name}: ${message}`;
}

function describe({ runId, taskId, pass, attempt }: CarriedLease): string {
  return `the lease of task "${taskId}" of run ${runId}, pass ${pass}, attempt ${attempt}`;
}

function refusal(argv: readonly string[], why: Why, { lease, message }: Worth): SkeinError {
  const what = lease === null ? "there is no lease" : `${describe(lease)} is worth nothing`;
  return new SkeinError(
    exitOf(why) === EXIT.stopped ? "stopped" : "run-refused",
    `Cannot run "${argv[0]}": ${what}: ${message}`,
    { next: NEXT[why] },
  );
}

/** A stop that was reset meanwhile is a stop too. */
function exitOf(why: Why): number {
  return why === "stopped" || why === "old-epoch" ? EXIT.stopped : EXIT.error;
}

const END_HERE =
  "Nothing was run. End here: what this command was to do is not this process's any more";
const NEXT: Readonly<Record<Why, string>> = {
  "no-lease":
    "Nothing was run. Start it from a task of a run, and pass its SKEIN_ variables on unchanged",
  stopped: "Nothing was run. Inspect the stop with `skein status`",
  "old-epoch": END_HERE,
  unknown: "Nothing was run. Pass the SKEIN_ variables of the task on unchanged",
  "run-over": END_HERE,
  "old-token": END_HERE,
  expired: END_HERE,
  "old-attempt": END_HERE,
  unreadable: "Nothing was run. Look at the state directory: `skein status`",
};
