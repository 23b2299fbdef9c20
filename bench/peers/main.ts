/**
 * Skein beside what a user would pick instead, in one run: `deno task bench:peers`. Writes `docs/benchmarks.md`.
 *
 * @module
 */
import { messageOf } from "../../src/model/error.ts";
import { cold } from "./cold.ts";
import { type Chapter, documentOf } from "./document.ts";
import { binaryProblem, Evidence, Ground, ROOT, say, type Section, SKEIN_BIN } from "./ground.ts";
import { late } from "./late.ts";
import { memory } from "./memory.ts";
import { parts } from "./parts.ts";
import { type Request, requestOf, SAMPLES } from "./request.ts";
import { short } from "./short.ts";
import { startUp } from "./start.ts";
import { stop } from "./stop.ts";
import { reasonText } from "./tables.ts";
import { findTools } from "./tools.ts";
import { sleep } from "./trees.ts";

const SECTIONS: readonly Section[] = [memory, cold, short, startUp, stop, late, parts];
const NAMES = SECTIONS.map(({ name }) => name);
const HELP = "deno task bench:peers --help";
const USAGE = `deno task bench:peers [flags]

  --samples N  Samples of each candidate (${SAMPLES})
  --only NAME  One section: ${NAMES.join(", ")}
  --out FILE   Where the document goes (docs/benchmarks.md; with --only or --small nowhere)
  --small      Small sizes, to see whether everything works
  --install    Let apt-get install what is missing of Debian's

  SKEIN_BIN=FILE in the environment adds rows of a compiled Skein, as "deno task compile" makes it`;

async function main(): Promise<number> {
  let request: Request;
  try {
    request = requestOf(Deno.args, NAMES);
  } catch (error) {
    return refuse(`${messageOf(error)}\nHow it is used: ${HELP}`);
  }
  if (request.help) {
    say(USAGE);
    return 0;
  }
  const problem = binaryProblem(SKEIN_BIN);
  return problem === null ? await perform(request) : refuse(problem);
}

async function perform({ samples, only, out, small, install }: Request): Promise<number> {
  const chosen = SECTIONS.filter(({ name }) => only === null || only === name);
  const target = out ?? (only === null && !small ? `${ROOT}docs/benchmarks.md` : null);
  const tools = await findTools(install);
  for (const each of tools.missing) say(`Missing: ${each}`);
  const folder = Deno.makeTempDirSync({ prefix: "skein-peers-" });
  const leaving = leaveNothing(folder);
  try {
    const text = await measure(new Ground(folder, tools, { samples, small }), chosen, leaving);
    if (target === null) return 0;
    Deno.writeTextFileSync(target, text);
    say(`Written: ${target}`);
    return 0;
  } finally {
    if (!leaving.begun) Deno.removeSync(folder, { recursive: true });
  }
}

function refuse(problem: string): number {
  Deno.stderr.writeSync(new TextEncoder().encode(`${problem}\n`));
  return 2;
}

const CODES = { SIGINT: 130, SIGTERM: 143 } as const;
const ROUNDS = 5;
const ROUND_MS = 100;

/** Whether a signal is ending this process. */
interface Leaving {
  begun: boolean;
}

/** A signal ends this process without a folder that is left. What was started may still be writing into it. */
function leaveNothing(folder: string): Leaving {
  const leaving = { begun: false };
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    Deno.addSignalListener(signal, async () => {
      if (leaving.begun) return;
      leaving.begun = true;
      for (let round = 0; round < ROUNDS; round++) {
        try {
          Deno.removeSync(folder, { recursive: true });
        } catch {
          // It is gone, or something was written meanwhile.
        }
        await sleep(ROUND_MS);
      }
      Deno.exit(CODES[signal]);
    });
  }
  return leaving;
}

async function measure(
  ground: Ground,
  sections: readonly Section[],
  leaving: Leaving,
): Promise<string> {
  const evidence = new Evidence();
  const chapters: Chapter[] = [];
  for (const section of sections) {
    const { title } = section;
    const load = Deno.loadavg()[0]?.toFixed(1) ?? "";
    say(`\n${title} (load average ${load})`);
    const text = await section.measure(ground).then((findings) => {
      evidence.add(findings);
      return `${findings.text}\n\nThe load average was ${load} when this began.`;
    }).catch((error) => `Not measured: ${reasonText(messageOf(error))}`);
    // What failed for the signal is neither said nor written: the process is about to exit.
    if (leaving.begun) await new Promise(() => {});
    chapters.push({ title, text });
    say(`\n${text}`);
  }
  return documentOf(ground, evidence, chapters);
}

if (import.meta.main) Deno.exitCode = await main();
