/**
 * Start-up: what a command costs before it does anything, and how soon the first process of a run runs.
 *
 * @module
 */
import { finish } from "./commands.ts";
import {
  DENO_RUN,
  EAGER,
  type Findings,
  type Ground,
  HERE,
  type Section,
  SKEINS,
} from "./ground.ts";
import { type Contender, interleave, medianMs } from "./samples.ts";
import { manifestOf, outputsOf } from "./recipes.ts";
import { type Column, figure, groupTable } from "./tables.ts";

/** The names that the goals ask for. */
export const NAMES = {
  empty: "deno run of an empty file",
  version: "skein version",
  status: "skein status",
  spawn: "skein run, to its first process",
  bare: "a bare Deno script, to its first process",
  eager: "skein version, every module read at first",
} as const;

/** The section. */
export const startUp: Section = { name: "start", title: "Start-up", measure };

/** A program that reads the clock: seconds and nanoseconds without a dot are nanoseconds. */
const READ_CLOCK = ["date", "+%s%N"];
const NS_PER_MS = 1e6;

async function measure(ground: Ground): Promise<Findings> {
  const folder = ground.freshFolder();
  Deno.writeTextFileSync(`${folder}/empty.ts`, "");
  Deno.writeTextFileSync(`${folder}/manifest.json`, manifestOf(READ_CLOCK, [""]));
  const state = ["--state", `${folder}/state`];
  await finish([...SKEINS[0]?.argv ?? [], "run", ...state, "manifest.json"], { cwd: folder });
  const entry = (name: string, argv: readonly string[]): Contender => ({
    name,
    sample: () => finish(argv, { cwd: folder }),
  });
  const contenders = [
    entry(NAMES.empty, [...DENO_RUN, "empty.ts"]),
    entry(NAMES.eager, [...EAGER, "version"]),
    { name: NAMES.bare, sample: () => untilBareSpawn(folder) },
    ...SKEINS.flatMap(({ label, argv }) => [
      entry(`${NAMES.version}${label}`, [...argv, "version"]),
      entry(`${NAMES.status}${label}`, [...argv, "status", ...state]),
      {
        name: `${NAMES.spawn}${label}`,
        sample: () => untilSpawn(argv, `${folder}/manifest.json`, ground.freshFolder()),
      },
    ]),
  ];
  const group = await interleave("start", NAMES.empty, contenders, ground.samples);
  const empty = medianMs(group, NAMES.empty) ?? NaN;
  const above: Column = ["ms above an empty file", (_, ms) => figure(ms - empty)];
  return { text: `${TEXT}\n\n${groupTable(group, [above])}`, groups: [group] };
}

/** A run of one task, in a new state directory: the task itself says when it ran. */
async function untilSpawn(
  argv: readonly string[],
  manifest: string,
  folder: string,
): Promise<{ ms: number }> {
  const launched = nowNs();
  await finish([...argv, "run", "--state", "state", manifest], { cwd: folder });
  return { ms: msFrom(launched, outputsOf(`${folder}/state`)) };
}

/** The same program, started by a script that does nothing else. */
async function untilBareSpawn(folder: string): Promise<{ ms: number }> {
  const launched = nowNs();
  const { stdout } = await finish([...DENO_RUN, `${HERE}bare_run.ts`, ...READ_CLOCK], {
    cwd: folder,
  });
  return { ms: msFrom(launched, stdout) };
}

function nowNs(): bigint {
  return Temporal.Now.instant().epochNanoseconds;
}

/** Milliseconds until the clock was read. */
function msFrom(launched: bigint, read: string): number {
  const ran = read.trim();
  if (ran === "") throw new Error("The program did not print the clock");
  return Number(BigInt(ran) - launched) / NS_PER_MS;
}

const TEXT = `
Whole commands from just before the start until the end; the last one from just before the start of \`skein run\`, with one task and a new state directory, until that task's program (\`date\`, which prints the clock) reads the clock, so that \`date\`'s own start is in it. \`skein status\` looks at a state directory with one run that has ended. The empty file is run with \`deno run -A -q --no-prompt\` and without a configuration; \`skein\` has \`--unstable-lazy-dynamic-imports\` and \`--config\` besides, the row whose modules are all read at first only the latter. The bare script (\`bench/peers/bare_run.ts\`) starts the same program with \`Deno.Command\`, and reads, writes and checks nothing.
`.trim();
