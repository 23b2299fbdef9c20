/**
 * Cold processes: whole commands that start 24 real Python workers and verify what each computed.
 *
 * @module
 */
import { WORKERS } from "../graphs.ts";
import { finish } from "./commands.ts";
import { DENO_RUN, type Findings, type Ground, HERE, type Section, SKEINS } from "./ground.ts";
import { say, where } from "./ground.ts";
import { type Contender, type Group, interleave } from "./samples.ts";
import { makefileOf, manifestOf, outputsOf } from "./recipes.ts";
import { groupTable } from "./tables.ts";
import { PEERS_CONFIG } from "./tools.ts";

/** The two ways to start a worker. */
export const VARIANTS = [
  { name: "ordinary", flags: [] },
  { name: "isolated", flags: ["-I", "-S"] },
] as const;

/** The names that the goals ask for. */
export const NAMES = {
  skein: "skein run",
  asyncio: "asyncio",
  make: `make -j${WORKERS}`,
  bare: "a bare Deno script",
} as const;

/** The section. */
export const cold: Section = { name: "cold", title: "24 cold workers in Python", measure };

const COUNT = 24;
const BLOCKS = 16;
const BLOCK_BYTES = 65_536;

async function measure(ground: Ground): Promise<Findings> {
  const { python3 } = ground.tools.paths;
  if (python3 === undefined) {
    return { text: "Not measured: there is no python3.", groups: [] };
  }
  const digests = await digestsOf();
  const groups: Group[] = [];
  const lines = [TEXT];
  for (const { name, flags } of VARIANTS) {
    say(`  ${name} workers`);
    const tally = new Tally(digests);
    const worker = [python3, ...flags, `${HERE}sha_worker.py`, String(BLOCKS)];
    const group = await interleave(
      `cold ${name}`,
      NAMES.skein,
      contenders(ground, python3, worker, tally),
      ground.samples,
    );
    groups.push(group);
    const words = ["python3", ...flags].join(" ");
    lines.push(
      `### \`${words}\``,
      groupTable(group, [["digests verified", (series) => {
        return `${tally.verifiedIn(series.name, series.samples.length)} of ${
          series.samples.length * COUNT
        }`;
      }]]),
    );
  }
  return { text: lines.join("\n\n"), groups };
}

/** A command, and what was printed by its workers. */
type Command = () => Promise<{ readonly ms: number; readonly printed: string }>;

function contenders(
  ground: Ground,
  python: string,
  worker: readonly string[],
  tally: Tally,
): Contender[] {
  const seeds = Array.from({ length: COUNT }, (_, seed) => String(seed));
  const plain = (argv: readonly string[], files: Record<string, string> = {}): Command => {
    return async () => {
      const cwd = ground.freshFolder();
      for (const [name, text] of Object.entries(files)) {
        Deno.writeTextFileSync(`${cwd}/${name}`, text);
      }
      const { ms, stdout } = await finish(argv, { cwd });
      return { ms, printed: stdout };
    };
  };
  const entry = (name: string, command: Command): Contender => ({
    name,
    async sample() {
      const { ms, printed } = await command();
      tally.count(name, printed);
      return { ms };
    },
  });
  const sizes = [String(COUNT), String(WORKERS)];
  const langGraph = [...DENO_RUN, "--config", PEERS_CONFIG, `${HERE}cold_langgraph.ts`];
  const { make, parallel } = ground.tools.paths;
  return [
    ...SKEINS.map(({ label, argv }) =>
      entry(`${NAMES.skein}${label}`, async () => {
        const cwd = ground.freshFolder();
        Deno.writeTextFileSync(`${cwd}/manifest.json`, manifestOf(worker, seeds));
        const words = ["run", "--state", "state", "manifest.json"];
        const { ms } = await finish([...argv, ...words], { cwd });
        return { ms, printed: outputsOf(`${cwd}/state`) };
      })
    ),
    entry(NAMES.asyncio, plain([python, `${HERE}cold_asyncio.py`, ...sizes, ...worker])),
    entry(NAMES.bare, plain([...DENO_RUN, `${HERE}bare_pool.ts`, ...sizes, ...worker])),
    entry("LangGraph.js", plain([...langGraph, ...sizes, ...worker])),
    ...where(make, (program) => {
      const files = { Makefile: makefileOf(worker, seeds) };
      return entry(NAMES.make, plain([program, "-s", `-j${WORKERS}`], files));
    }),
    ...where(parallel, (program) => {
      const words = ["--will-cite", `-j${WORKERS}`, ...worker, "{}", ":::", ...seeds];
      return entry(`GNU parallel -j${WORKERS}`, plain([program, ...words]));
    }),
  ];
}

/** Counts the digests that are right. */
class Tally {
  readonly #digests: ReadonlyMap<string, string>;
  readonly #verified = new Map<string, number[]>();

  constructor(digests: ReadonlyMap<string, string>) {
    this.#digests = digests;
  }

  /** A sample with a wrong or missing digest is an error. */
  count(name: string, printed: string): void {
    const lines = printed.trim().split("\n").map((line) => line.split(" "));
    const right = new Set(
      lines.filter(([seed = "", digest]) => this.#digests.get(seed) === digest)
        .map(([seed]) => seed),
    );
    this.#verified.set(name, [...this.#verified.get(name) ?? [], right.size]);
    if (right.size < COUNT || lines.length !== COUNT) {
      throw new Error(`${right.size} of ${COUNT} digests are right`);
    }
  }

  /** How many were right in the last samples. */
  verifiedIn(name: string, samples: number): number {
    if (samples === 0) return 0;
    return (this.#verified.get(name) ?? []).slice(-samples).reduce((sum, each) => sum + each, 0);
  }
}

/** What each worker must print, computed here. */
async function digestsOf(): Promise<Map<string, string>> {
  const digests = new Map<string, string>();
  for (let seed = 0; seed < COUNT; seed++) {
    const bytes = new Uint8Array(BLOCKS * BLOCK_BYTES).fill(seed % 256);
    const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
    digests.set(String(seed), digest.toHex());
  }
  return digests;
}

const TEXT = `
Whole commands, each started cold, from just before the start until the end: \`skein run\` with a manifest of ${COUNT} tasks and all of its artifacts, a script with \`asyncio.create_subprocess_exec\` under a semaphore, a bare Deno script (\`bench/peers/bare_pool.ts\`: \`Deno.Command\` and nothing else, no session, no file, no check), a LangGraph.js program with ${COUNT} nodes, \`make\`, GNU parallel; ${WORKERS} at a time. Each of the ${COUNT} workers is a Python process of its own that prints the SHA-256 of ${BLOCKS} blocks of 64 KiB (\`bench/peers/sha_worker.py\`). Every digest is verified in every sample; Skein's are read from its published outputs. The script of asyncio itself is started by an ordinary \`python3\` in both tables.
`.trim();
