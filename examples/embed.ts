// deno-lint-ignore-file no-console -- an example that talks
/**
 * Skein inside a program: functions instead of processes, in memory and behind the fence. Run it from a checkout, with
 * a folder for its state or without:
 *
 * ```sh
 * deno run -A examples/embed.ts
 * ```
 *
 * @module
 */
import {
  currentEpoch,
  type Execution,
  formatDiagnostic,
  functionExecutor,
  leaseValid,
  requestStop,
  resetStop,
  run,
  StoppedError,
  validateManifest,
} from "@skein/cli";

const stateDir = Deno.args[0] ?? `${Deno.makeTempDirSync({ prefix: "skein-embed-" })}/state`;

const review = {
  version: 1,
  name: "review",
  workers: 2,
  blocks: {
    read: { argv: ["read"] },
    review: { argv: ["review"], passes: 2, timeoutMs: 60_000 },
  },
  tasks: [
    { id: "source", block: "read", stdin: "let x = 1" },
    { id: "style", block: "review", needs: ["source"], stdinFrom: "source" },
    { id: "types", block: "review", needs: ["source"], stdinFrom: "source" },
  ],
};

// A manifest is refused as a whole, with every problem and the name that was probably meant.
const typo = { ...review, tasks: [{ id: "a", block: "read", neds: [] }] };
const refused = await validateManifest(typo);
if (!refused.ok) {
  for (const one of refused.diagnostics) {
    console.log(formatDiagnostic("typo", one));
  }
}

const decoded = await validateManifest(review);
if (!decoded.ok) throw new Error("The manifest is not valid");
const { manifest } = decoded;

/** What an agent would do: read the input, check the lease before an effect, return the output. */
async function work({ task, lease, input, leaseHolds }: Execution): Promise<string> {
  const text = await input.text();
  if (!leaseHolds()) throw new Error("Too late");
  return task.block === "read" ? text : `${text}; ${task.id} ${lease.pass}`;
}

// In memory: no files, no locks; an AbortSignal ends it.
const memory = await run(manifest, { inMemory: true, executor: functionExecutor(work) });
console.log(`in memory: ${memory.status}, ${memory.counts.succeeded} of ${memory.counts.total}`);

// Behind the fence: outputs are published under the run's folder, and a stop from anywhere ends it.
const report = await run(manifest, { stateDir, executor: functionExecutor(work) });
console.log(`behind the fence: ${report.status} at epoch ${report.epoch}`);
for (const { id, output } of report.tasks) {
  console.log(`  ${id}: ${Deno.readTextFileSync(`${report.folder}/${output}`)}`);
}

// A stop in the middle: what was issued before it publishes nothing.
const stopped = await run(manifest, {
  stateDir,
  executor: functionExecutor(async (execution) => {
    const text = await work(execution);
    if (execution.task.id === "source") {
      await requestStop(stateDir, { reason: "the reviewer loops" });
      const { lease } = execution;
      console.log(`lease of epoch ${lease.epoch}: ${leaseValid(lease, currentEpoch(stateDir))}`);
    }
    return text;
  }),
});
console.log(`stopped: ${stopped.status}, ${stopped.counts.succeeded} succeeded`);

try {
  await run(manifest, { stateDir, executor: functionExecutor(work) });
} catch (error) {
  if (!(error instanceof StoppedError)) throw error;
  console.log(`refused: ${error.code}`);
}

const { result } = await resetStop(stateDir);
console.log(`${result.kind}: epoch ${currentEpoch(stateDir)}`);
const again = await run(manifest, { stateDir, executor: functionExecutor(work) });
console.log(`again: ${again.status} at epoch ${again.epoch}`);
