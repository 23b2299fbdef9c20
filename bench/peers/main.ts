/**
 * Skein beside what a user would pick instead, in one run: `deno task bench:peers`. Writes `docs/benchmarks.md`.
 *
 * @module
 */
import { parseArgs } from "@std/cli";
import { messageOf } from "../../src/model/error.ts";
import { cold } from "./cold.ts";
import { type Chapter, documentOf } from "./document.ts";
import { Evidence, Ground, ROOT, say, type Section } from "./ground.ts";
import { late } from "./late.ts";
import { memory } from "./memory.ts";
import { parts } from "./parts.ts";
import { short } from "./short.ts";
import { startUp } from "./start.ts";
import { stop } from "./stop.ts";
import { reasonText } from "./tables.ts";
import { findTools } from "./tools.ts";

const SECTIONS: readonly Section[] = [memory, cold, short, startUp, stop, late, parts];
const SAMPLES = 15;
const USAGE = `deno task bench:peers [flags]

  --samples N  Samples of each candidate (${SAMPLES})
  --only NAME  One section: ${SECTIONS.map(({ name }) => name).join(", ")}
  --out FILE   Where the document goes (docs/benchmarks.md; with --only or --small nowhere)
  --small      Small sizes, to see whether everything works
  --install    Let apt-get install what is missing of Debian's`;

async function main(): Promise<number> {
  const unknown: string[] = [];
  const flags = parseArgs([...Deno.args], {
    boolean: ["small", "install", "help"],
    string: ["samples", "only", "out"],
    unknown: (word: string) => void unknown.push(word),
  });
  const samples = Number(flags.samples ?? SAMPLES);
  const chosen = SECTIONS.filter(({ name }) => flags.only === undefined || flags.only === name);
  const right = Number.isInteger(samples) && samples > 0 && chosen.length > 0;
  if (flags.help === true || !right || unknown.length > 0) {
    say(USAGE);
    return flags.help === true ? 0 : 2;
  }
  const small = flags.small === true;
  const whole = chosen.length === SECTIONS.length && !small;
  const out = flags.out ?? (whole ? `${ROOT}docs/benchmarks.md` : null);
  const tools = await findTools(flags.install === true);
  for (const each of tools.missing) say(`Missing: ${each}`);
  const folder = Deno.makeTempDirSync({ prefix: "skein-peers-" });
  try {
    const text = await measure(new Ground(folder, tools, { samples, small }), chosen);
    if (out === null) return 0;
    Deno.writeTextFileSync(String(out), text);
    say(`Written: ${out}`);
    return 0;
  } finally {
    Deno.removeSync(folder, { recursive: true });
  }
}

async function measure(ground: Ground, sections: readonly Section[]): Promise<string> {
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
    chapters.push({ title, text });
    say(`\n${text}`);
  }
  return documentOf(ground, evidence, chapters);
}

if (import.meta.main) Deno.exitCode = await main();
