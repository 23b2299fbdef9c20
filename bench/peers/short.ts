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
export const short: Section = { name: "short", title: "1,000 short processes", measure };

const TRUE = ["/bin/true"];

async function measure(ground: Ground): Promise<Findings> {
  const count = ground.small ? 50 : 1_000;
  const group = await interleave("short", NAMES.skein, contenders(ground, count), ground.samples);
  const text = [
    TEXT,
    groupTable(group, [["ms a process", (_, ms) => figure(ms / count)]]),
  ].join("\n\n");
  return { text, groups: [group] };
}

function contenders(ground: Ground, count: number): Contender[] {
  const args = Array.from({ length: count }, () => "");
  const numbers = args.map((_, index) => `${index}\n`).join("");
  const entry = (
    name: string,
    argv: readonly string[],
    files: Record<string, string>,
    stdin = "",
  ): Contender => ({
    name,
    async sample() {
      const cwd = ground.freshFolder();
      for (const [file, text] of Object.entries(files)) {
        Deno.writeTextFileSync(`${cwd}/${file}`, text);
      }
      const { ms } = await finish(argv, { cwd, stdin });
      return { ms };
    },
  });
  const jobs = `-j${WORKERS}`;
  const { make, ninja, xargs, parallel } = ground.tools.paths;
  return [
    ...SKEINS.map(({ label, argv }) => {
      const words = [...argv, "run", "--state", "state", "manifest.json"];
      return entry(`${NAMES.skein}${label}`, words, { "manifest.json": manifestOf(TRUE, args) });
    }),
    ...where(make, (program) => {
      return entry(NAMES.make, [program, jobs], { Makefile: makefileOf(TRUE, args) });
    }),
    ...where(ninja, (program) => {
      return entry(`ninja ${jobs}`, [program, jobs], { "build.ninja": ninjaOf(TRUE, args) });
    }),
    ...where(xargs, (program) => {
      const words = [program, `-P${WORKERS}`, "-n1", ...TRUE];
      return entry(`xargs -P${WORKERS} -n1`, words, {}, numbers);
    }),
    ...where(parallel, (program) => {
      return entry(NAMES.parallel, [program, "--will-cite", jobs, ...TRUE], {}, numbers);
    }),
  ];
}

const TEXT = `
\`/bin/true\` 1,000 times, ${WORKERS} at a time, whole commands from just before the start until the end, each in a fresh folder. \`skein run\` writes all of its artifacts: leases, streams, outputs, events, the report; the others write none. \`make\` and \`xargs\` start the program itself, ninja a shell for each.
`.trim();
