import { type Clock, systemClock } from "../clock/mod.ts";
import { absolutePath } from "../disk/mod.ts";
import { thisMachine } from "../proc/this_machine.ts";
import { type Check, ok, tried, unknown } from "./doctor_check.ts";
import { changesIn, lookAtRoom, Probe, tryLinks, tryLocks, trySync } from "./doctor_disk.ts";
import {
  judgeFolder,
  judgeLinks,
  judgeLocks,
  judgeMount,
  judgeRoom,
  judgeSync,
} from "./doctor_disk_verdicts.ts";
import { tryLocksBetween, tryTree } from "./doctor_processes.ts";
import {
  type ClockSample,
  judgeClock,
  judgeGroups,
  judgeHiding,
  judgeProc,
  judgeRuntime,
  judgeSearch,
  judgeSystem,
  judgeTools,
} from "./doctor_system_verdicts.ts";

/** How a machine is examined. */
export interface ExaminationOptions {
  /** The clock that is looked at; the machine's by default. */
  readonly clock?: Clock;
  /** Ends the examination before the next check. */
  readonly signal?: AbortSignal;
}

/** How often the clocks are looked at, and how long after one another, in milliseconds. */
const SAMPLES = 6;
const APART_MS = 30;
/** How long a moment is in which both are read, in milliseconds, and how often that is tried. */
const MOMENT_MS = 5;
const MOST_TRIES = 20;

/** Examines the machine, and the state directory where there is one. What was made for it is gone at the end. */
export async function examine(
  stateDir: string,
  { clock = systemClock, signal }: ExaminationOptions = {},
): Promise<Check[]> {
  const checks: Check[] = [];
  for await (const check of everyCheck(absolutePath(stateDir), clock)) {
    checks.push(check);
    if (signal?.aborted) break;
  }
  return checks;
}

async function* everyCheck(stateDir: string, clock: Clock): AsyncGenerator<Check> {
  const machine = await thisMachine();
  const { deno } = Deno.version;
  yield judgeRuntime({ deno, standalone: Deno.build.standalone });
  const release = await tried(() => Deno.osRelease());
  yield judgeSystem({
    ...machine,
    arch: Deno.build.arch,
    release: release.ok && release.value !== "" ? release.value : null,
  });
  using probe = new Probe(stateDir);
  const { path: folder, facts } = probe;
  yield judgeFolder(facts);
  if (folder === null) yield* unlooked(["mount", "space", "hard-links", "folder-sync", "locks"]);
  else {
    yield judgeMount(facts.probedIn, machine.mountOf(folder));
    yield* examineDisk(folder);
  }
  const witness = await tried(() => tryTree(machine));
  const proc = machine.procOf(Deno.pid);
  yield judgeGroups(witness);
  yield judgeProc(proc, witness);
  yield judgeHiding(proc, facts.user);
  yield judgeSearch(witness, machine.shows);
  yield judgeTools(await machine.tools(), proc);
  yield judgeClock({ samples: await readClocks(clock), changes: changesIn(stateDir, folder) });
  switch (facts.is) {
    case "nothing":
      yield ok("state", "There is no state directory; the first run or stop makes it");
      return;
    case "something-else":
      yield* unlooked(["state"]);
      return;
    case "folder":
      yield* (await import("./doctor_state.ts")).examineState(stateDir);
  }
}

async function* examineDisk(folder: string): AsyncGenerator<Check> {
  yield judgeRoom(await tried(() => lookAtRoom(folder)));
  yield judgeLinks(await tried(() => tryLinks(folder)));
  yield judgeSync(await tried(() => trySync(folder)));
  const handles = await tried(() => tryLocks(folder));
  const processes = handles.ok ? await tried(() => tryLocksBetween(folder)) : handles;
  yield judgeLocks(handles, processes);
}

/** Checks that need a folder which is not there. */
function* unlooked(names: readonly string[]): Generator<Check> {
  for (const name of names) yield unknown(name, "There is no folder to look at: see `folder`");
}

async function readClocks(clock: Clock): Promise<ClockSample[]> {
  const samples: ClockSample[] = [];
  for (let count = 0; count < SAMPLES; count++) {
    if (count > 0) await systemClock.sleep(APART_MS);
    samples.push(readBoth(clock));
  }
  return samples;
}

/** Reads both clocks at one moment: again where this process was made to wait in between. */
function readBoth(clock: Clock): ClockSample {
  for (let tries = 1;; tries++) {
    const mono = clock.mono();
    const wall = clock.wall();
    if (clock.mono() - mono < MOMENT_MS || tries === MOST_TRIES) return { wall, mono };
  }
}
