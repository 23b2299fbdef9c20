import { systemClock } from "../clock/mod.ts";
import { emergencyStop, resetStop, run } from "../engine/mod.ts";
import { validateManifest } from "../manifest/mod.ts";
import { type Manifest, type ProcessIdentity, SkeinError } from "../model/mod.ts";
import { platform, registerChild } from "../proc/mod.ts";
import { DeathWatch, Ledger } from "./prove_trees.ts";
import { treeArgv } from "./tree.ts";

/** What one round showed. */
export interface Round {
  /** From 1. */
  readonly round: number;
  /** Trees of which nothing is left, of how many. */
  readonly terminated: number;
  /** Trees that were started. */
  readonly trees: number;
  /** Heartbeats that are frozen. */
  readonly frozen: number;
  /** From the start of the stop until the last process was seen to be gone, in milliseconds; `null` where one is not. */
  readonly goneMs: number | null;
  /** Whether the stop itself said so. */
  readonly proven: boolean;
  /** Processes that are still there. */
  readonly survivors: readonly ProcessIdentity[];
}

/** Starts trees, stops them, counts, and lets work start again. */
export async function proveRound(
  round: number,
  stateDir: string,
  trees: number,
  plant: ((folder: string) => Promise<ProcessIdentity>) | null,
): Promise<Round> {
  const names = namesOf(trees);
  const ledger = new Ledger(`${stateDir}-beats/${round}`, names);
  const running = run(treeManifest(ledger.folder, names), {
    stateDir,
    ownsProcess: true,
    events: false,
  });
  await Promise.race([ledger.waitUntilAlive(), running.then(endedEarly)]);
  if (plant !== null) ledger.plant(await plant(ledger.folder));
  using watch = new DeathWatch(ledger);
  const stop = await emergencyStop(stateDir, { reason: `prove, round ${round}` });
  const goneMs = watch.elapsed();
  await running;
  const survivors = ledger.alive();
  const frozen = await ledger.frozen();
  await reopen(stateDir);
  return {
    round,
    terminated: ledger.terminated(),
    trees,
    frozen,
    goneMs,
    proven: stop.proven,
    survivors,
  };
}

/** The floor: the same trees, killed by their process groups and nothing more. In milliseconds. */
export async function floorRound(
  round: number,
  stateDir: string,
  trees: number,
): Promise<number | null> {
  const names = namesOf(trees);
  const ledger = new Ledger(`${stateDir}-floor/${round}`, names);
  const parents = names.map((name, index) => {
    const [program = "", ...args] = treeArgv("parent", ledger.folder, name, leaves(index));
    const options = {
      args,
      detached: true,
      stdin: "null",
      stdout: "null",
      stderr: "null",
    } as const;
    const parent = new Deno.Command(program, options).spawn();
    registerChild(parent);
    return parent;
  });
  await ledger.waitUntilAlive();
  using watch = new DeathWatch(ledger);
  // A child that has left its session leads a group of its own; the others are in their parent's.
  for (const { pid } of ledger.processes) platform.signalGroup(pid, "SIGKILL");
  await Promise.all(parents.map((parent) => parent.status));
  while (watch.elapsed() === null) await systemClock.sleep(1);
  return watch.elapsed();
}

/** Runs a manifest of the user's own, stops it, and counts what was found of it before. */
export async function proveManifest(
  round: number,
  stateDir: string,
  manifest: Manifest,
  afterMs: number,
): Promise<Round> {
  let runId = "";
  const running = run(manifest, {
    stateDir,
    ownsProcess: true,
    onProgress: (progress) => runId = progress.runId,
  });
  await Promise.race([systemClock.sleep(afterMs), running]);
  const { found } = await platform.finder((segment) => segment.run === runId).sweep();
  const ledger = { alive: () => found.filter((process) => platform.isAlive(process)) };
  using watch = new DeathWatch(ledger);
  const stop = await emergencyStop(stateDir, { reason: `prove, round ${round}` });
  const goneMs = watch.elapsed();
  await running;
  await reopen(stateDir);
  const survivors = ledger.alive();
  const gone = found.length - survivors.length;
  return {
    round,
    terminated: gone,
    trees: found.length,
    frozen: gone,
    goneMs,
    proven: stop.proven,
    survivors,
  };
}

async function reopen(stateDir: string): Promise<void> {
  const { result } = await resetStop(stateDir, { force: true });
  if (result.kind === "reset") return;
  throw new SkeinError("internal", `Cannot reset "${stateDir}" after a round: ${result.kind}`);
}

function endedEarly(): never {
  throw new SkeinError("internal", "Cannot prove anything: the trees ended by themselves");
}

function namesOf(trees: number): string[] {
  return Array.from({ length: trees }, (_, index) => `tree${index + 1}`);
}

/** One tree in four has a child that leaves its session. */
function leaves(index: number): "leaves" | "stays" {
  return index % 4 === 3 ? "leaves" : "stays";
}

function treeManifest(folder: string, names: readonly string[]): Manifest {
  const decoded = validateManifest({
    version: 1,
    name: "prove",
    workers: names.length,
    inheritEnv: ["DENO_DIR"],
    blocks: Object.fromEntries(names.map((name, index) => {
      return [name, { argv: treeArgv("parent", folder, name, leaves(index)) }];
    })),
    tasks: names.map((name) => ({ id: name, block: name })),
  });
  if (decoded.ok) return decoded.manifest;
  throw new SkeinError(
    "internal",
    `Cannot make the manifest of the trees: ${decoded.diagnostics[0]?.message ?? ""}`,
  );
}
