/**
 * What the paths consist of, what `skein prove` and `skein validate` say, and the size of the binary.
 *
 * @module
 */
import { messageOf } from "../../src/model/error.ts";
import { finish, plainEnv, start } from "./commands.ts";
import {
  CONFIG,
  DENO_RUN,
  type Findings,
  type Ground,
  HERE,
  type Section,
  SKEIN,
  SKEIN_BIN,
} from "./ground.ts";
import { LineWorker } from "./lines.ts";
import { largeManifest, NEEDS } from "./recipes.ts";
import { type Group, interleave, median, medianMs, percentile95 } from "./samples.ts";
import { figure, reasonText, table } from "./tables.ts";
import { sleep } from "./trees.ts";

/** The section. */
export const parts: Section = { name: "parts", title: "Parts", measure };

const NS_PER_MS = 1e6;
const MIB = 1024 * 1024;

async function measure(ground: Ground): Promise<Findings> {
  const texts: string[] = [];
  const groups: Group[] = [];
  for (const part of [partsText.bind(null, groups), proofText, validationText, sizeText]) {
    texts.push(
      await part(ground).catch((error) => `Not measured: ${reasonText(messageOf(error))}`),
    );
  }
  return { text: texts.join("\n\n"), groups };
}

async function partsText(groups: Group[], ground: Ground): Promise<string> {
  const folder = ground.freshFolder();
  const tasks = ground.small ? 1_000 : 100_000;
  const program = [...DENO_RUN, "--v8-flags=--expose-gc", "--config", CONFIG];
  const argv = [...program, `${HERE}parts_worker.ts`, folder, String(tasks)];
  await using worker = new LineWorker(argv, plainEnv());
  const names: Record<string, string> = {
    lease: "`leaseValid()`, the lease predicate",
    check: "the check at an admission, behind a fence",
    event: "an event, written in batches without a sync",
    manifest: `decoding ${tasks.toLocaleString("en")} tasks with ${NEEDS} needs each`,
  };
  const contenders = Object.keys(names).map((part) => ({
    name: part,
    async sample() {
      return { ms: Number((await worker.ask({ part })).ms) };
    },
  }));
  const group = await interleave("parts", "lease", contenders, ground.samples);
  groups.push(group);
  return table(
    ["", "median", "95th percentile"],
    group.series.map(({ name, samples }) => [
      names[name] ?? name,
      duration(medianMs(group, name)),
      duration(percentile95(samples.map(({ ms }) => ms))),
    ]),
  );
}

function duration(ms: number | null): string {
  if (ms === null) return "–";
  return ms < 0.01 ? `${figure(ms * NS_PER_MS)} ns` : `${figure(ms)} ms`;
}

async function proofText(ground: Ground): Promise<string> {
  const rounds = ground.small ? 2 : 20;
  const argv = [...SKEIN, "prove", "--rounds", String(rounds), "--json"];
  const { stdout } = await finish(argv, { cwd: ground.freshFolder() });
  const proof = JSON.parse(stdout);
  return `
### \`skein prove --rounds ${rounds}\`

8 trees a round, each a parent and a child whose heart beats every 20 ms, one child in four in a session of its own. The floor is \`kill(2)\` of the same trees by process group, one round of each in turn. These trees are processes of the runtime with large address spaces, which the kernel takes apart in most of this time; the stop is asked for in the process that runs them, so that no start-up is in it.

${
    table(["", "trees terminated", "heartbeats frozen", "survivors", "median, ms", "worst, ms"], [
      [
        "`skein stop`",
        `${proof.terminated} of ${proof.trees}`,
        `${proof.frozen} of ${proof.trees}`,
        String(proof.survivors),
        figure(proof.medianMs),
        figure(proof.worstMs),
      ],
      ["floor", "", "", "", figure(proof.floorMs), ""],
    ])
  }

The ratio of the medians is ${figure(proof.medianMs / proof.floorMs)}.
`.trim();
}

async function validationText(ground: Ground): Promise<string> {
  const folder = ground.freshFolder();
  const tasks = ground.small ? 1_000 : 100_000;
  const text = JSON.stringify(largeManifest(tasks));
  Deno.writeTextFileSync(`${folder}/large.json`, text);
  const runs: { ms: number; peak: number }[] = [];
  for (let sample = 0; sample <= ground.samples; sample++) {
    runs.push(await validate(folder));
  }
  const times = runs.slice(1).map(({ ms }) => ms);
  const peaks = runs.slice(1).map(({ peak }) => peak);
  return `
### A large manifest

\`skein validate\` on ${tasks.toLocaleString("en")} tasks with ${NEEDS} needs each (${
    figure(text.length / MIB)
  } MiB), the whole command: median ${figure(median(times))} ms, 95th percentile ${
    figure(percentile95(times))
  } ms, at most ${figure(Math.max(...peaks) / MIB)} MiB of resident memory, looked at every 5 ms.
`.trim();
}

async function validate(folder: string): Promise<{ ms: number; peak: number }> {
  const started = performance.now();
  const child = start([...SKEIN, "validate", "large.json"], { cwd: folder });
  let ms = 0;
  let peak = 0;
  const ended = child.output().then(({ success }) => {
    if (!success) throw new Error("The manifest is not valid");
    ms = performance.now() - started;
  });
  while (ms === 0) {
    peak = Math.max(peak, peakOf(child.pid));
    await Promise.race([ended, sleep(5)]);
  }
  return { ms, peak };
}

/** The most resident memory that a process has had until now, in bytes. */
function peakOf(pid: number): number {
  try {
    const status = Deno.readTextFileSync(`/proc/${pid}/status`);
    return Number(/^VmHWM:\s+(\d+) kB$/m.exec(status)?.[1] ?? 0) * 1024;
  } catch {
    return 0;
  }
}

async function sizeText(ground: Ground): Promise<string> {
  const title = "### The compiled binary";
  if (SKEIN_BIN === null) return `${title}\n\nNot looked at: \`SKEIN_BIN\` names no binary.`;
  const { stdout } = await finish([SKEIN_BIN, "version"], { cwd: ground.freshFolder() });
  const { deno, os, arch } = JSON.parse(stdout);
  const size = figure(Deno.statSync(SKEIN_BIN).size / MIB);
  return `${title}\n\n${size} MiB, nearly all of it the runtime: Deno ${deno}, ${os}, ${arch}.`;
}
