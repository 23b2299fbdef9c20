/**
 * Short processes: what starting, watching and recording one costs.
 *
 * @module
 */
import { WORKERS } from "../graphs.ts";
import { finish } from "./commands.ts";
import { type Findings, type Ground, type Section, SKEINS, where } from "./ground.ts";
import { type Contender, interleave } from "./samples.ts";
import { makefileOf, manifestOf, ninjaOf } from "./recipes.ts";
import { figure, groupTable } from "./tables.ts";

/** The names that the goals ask for. */
export const NAMES = {
  skein: "skein run",
  make: `make -j${WORKERS}`,
  parallel: `GNU parallel -j${WORKERS}`,
} as const;

/** The section. */
export const short: Section = { name: "short", title: "Many short processes", measure };

const TRUE = ["/bin/true"];
/** Each leaves a file. */
const TRACE = ["touch"];

/** How a program is told to start a command once for each of some arguments. */
interface Job {
  readonly argv: readonly string[];
  readonly files?: Readonly<Record<string, string>>;
  readonly stdin?: string;
}

/** Makes the job of a command; `""` is no argument. */
type Recipe = (command: readonly string[], args: readonly string[]) => Job;

async function measure(ground: Ground): Promise<Findings> {
  const count = ground.small ? 50 : 1_000;
  const group = await interleave("short", NAMES.skein, contenders(ground, count), ground.samples);
  const text = [
    textOf(count),
    groupTable(group, [["ms a process", (_, ms) => figure(ms / count)]]),
  ].join("\n\n");
  return { text, groups: [group] };
}

function contenders(ground: Ground, count: number): Contender[] {
  const jobs = `-j${WORKERS}`;
  const { make, ninja, xargs, parallel } = ground.tools.paths;
  const entry = (name: string, recipe: Recipe, check?: (stdout: string) => void): Contender => {
    let verified = false;
    return {
      name,
      async sample() {
        if (!verified) await verify(ground, recipe, count);
        verified = true;
        const job = recipe(TRUE, Array.from({ length: count }, () => ""));
        const { ms, stdout } = await perform(job, ground.freshFolder());
        check?.(stdout);
        return { ms };
      },
    };
  };
  return [
    ...SKEINS.map(({ label, argv }) =>
      entry(`${NAMES.skein}${label}`, (command, args) => ({
        argv: [...argv, "run", "--state", "state", "manifest.json"],
        files: { "manifest.json": manifestOf(command, args) },
      }), (stdout) => checkReport(stdout, count))
    ),
    ...where(make, (program) =>
      entry(NAMES.make, (command, args) => ({
        argv: [program, jobs],
        files: { Makefile: makefileOf(command, args) },
      }))),
    ...where(ninja, (program) =>
      entry(`ninja ${jobs}`, (command, args) => ({
        argv: [program, jobs],
        files: { "build.ninja": ninjaOf(command, args) },
      }))),
    ...where(xargs, (program) =>
      entry(`xargs -P${WORKERS} -n1`, (command, args) => ({
        argv: [program, `-P${WORKERS}`, "-n1", ...command],
        stdin: linesOf(args),
      }))),
    ...where(parallel, (program) =>
      entry(NAMES.parallel, (command, args) => ({
        argv: [program, "--will-cite", jobs, ...command],
        stdin: linesOf(args),
      }))),
  ];
}

/** One argument a line; these two start nothing for an empty one. */
function linesOf(args: readonly string[]): string {
  return args.map((arg, index) => `${arg === "" ? index : arg}\n`).join("");
}

function perform({ argv, files = {}, stdin = "" }: Job, cwd: string) {
  for (const [file, text] of Object.entries(files)) {
    Deno.writeTextFileSync(`${cwd}/${file}`, text);
  }
  return finish(argv, { cwd, stdin });
}

/** Once, untimed: as many processes, each of which leaves a file of its own. */
async function verify(ground: Ground, recipe: Recipe, count: number): Promise<void> {
  const traces = ground.freshFolder();
  const paths = Array.from({ length: count }, (_, index) => `${traces}/${index}`);
  await perform(recipe(TRACE, paths), ground.freshFolder());
  const left = [...Deno.readDirSync(traces)].length;
  if (left !== count) throw new Error(`${left} of ${count} processes left a trace`);
}

/** Every task of the report that `skein run` prints must have succeeded. */
function checkReport(stdout: string, count: number): void {
  const { succeeded, total } = JSON.parse(stdout).counts;
  if (succeeded !== count || total !== count) {
    throw new Error(`${succeeded} of ${total} tasks succeeded, and there are ${count}`);
  }
}

function textOf(count: number): string {
  return `
\`/bin/true\` ${
    count.toLocaleString("en")
  } times, ${WORKERS} at a time, whole commands from just before the start until the end, each in a fresh folder. \`skein run\` writes all of its artifacts: leases, streams, outputs, events, the report; the others write none. \`make\` and \`xargs\` start the program itself, ninja a shell for each.

\`/bin/true\` leaves no trace. So before its first sample each candidate runs \`touch\` in its place once, untimed, with a file for each process, and every file must be there. In the samples every candidate must end with exit code 0, and the report of \`skein run\` must say of every task that it has succeeded.
`.trim();
}
