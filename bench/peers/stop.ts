/**
 * From the launch of a stop to the last process gone.
 *
 * @module
 */
import { finish, start } from "./commands.ts";
import { DENO_RUN, type Findings, type Ground, HERE, type Section, SKEINS } from "./ground.ts";
import { linesOf } from "./lines.ts";
import { type Contender, interleave, type Sample } from "./samples.ts";
import { manifestOf } from "./recipes.ts";
import { groupTable } from "./tables.ts";
import { signaturesIn, sleep, TREE_ARGV, TREES, untilGone, waitForTrees } from "./trees.ts";

/** The names that the goals ask for. */
export const NAMES = { skein: "skein stop", bare: "a bare script and watcher" } as const;

/** The section. */
export const stop: Section = { name: "stop", title: "Stop", measure };

const SETTLE_MS = 200;

async function measure(ground: Ground): Promise<Findings> {
  const contenders: Contender[] = [
    ...SKEINS.map(({ label, argv }) => ({
      name: `${NAMES.skein}${label}`,
      sample: () => stopRun(ground.freshFolder(), argv),
    })),
    { name: NAMES.bare, sample: () => stopBare(ground.freshFolder()) },
  ];
  const group = await interleave("stop", NAMES.bare, contenders, ground.samples);
  return { text: `${TEXT}\n\n${groupTable(group)}`, groups: [group] };
}

/** A run of trees, and `skein stop` from another process. */
async function stopRun(folder: string, argv: readonly string[]): Promise<Sample> {
  Deno.writeTextFileSync(`${folder}/manifest.json`, manifestOf(TREE_ARGV, signaturesIn(folder)));
  const state = ["--state", `${folder}/state`];
  const child = start([...argv, "run", ...state, "manifest.json"], { cwd: folder });
  const running = child.output();
  try {
    const pids = await waitForTrees(folder);
    await sleep(SETTLE_MS);
    const launched = performance.now();
    const [gone, { stdout }] = await Promise.all([
      untilGone(pids),
      finish([...argv, "stop", "--json", ...state], { cwd: folder }),
    ]);
    if (JSON.parse(stdout).proven !== true) throw new Error(`The stop is not proven: ${stdout}`);
    return { ms: gone - launched };
  } finally {
    end(child);
    await running;
  }
}

/** The same trees, started by a bare watcher, and a script that writes a file. */
async function stopBare(folder: string): Promise<Sample> {
  const watched = `${folder}/watched`;
  Deno.mkdirSync(watched);
  const run = [...DENO_RUN, "--no-config"];
  const cwd = folder;
  const watcher = start([...run, `${HERE}bare_watcher.ts`, folder, watched], { cwd });
  try {
    await linesOf(watcher.stdout).next();
    const pids = await waitForTrees(folder);
    await sleep(SETTLE_MS);
    const launched = performance.now();
    const [gone] = await Promise.all([
      untilGone(pids),
      finish([...run, `${HERE}bare_stop.ts`, `${watched}/stop`], { cwd }),
    ]);
    return { ms: gone - launched };
  } finally {
    // Where the script has failed, this is what the watcher waits for.
    Deno.writeTextFileSync(`${watched}/end`, "");
    await watcher.stderr.cancel();
    await watcher.status;
  }
}

/** Asks a run that may have ended to end. */
function end(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGTERM");
  } catch {
    // It has ended.
  }
}

const TEXT = `
A run of ${TREES} trees (a shell and a \`sleep\`), from just before the launch of the command that stops it, cold, until the last of the ${
  2 * TREES
} processes is gone, which is looked for in \`/proc\` every millisecond. Beside it a bare Deno script that writes a file, cold too, to which a bare watcher (\`Deno.watchFs\`), warm as the run is, answers with a SIGKILL for the group of each tree, and nothing else: no latch, no search, no proof. Every \`skein stop\` must answer \`proven\`.
`.trim();
