/**
 * One use of the library a process, in the folder that the process has: what it needs is tried by granting that alone.
 *
 * @module
 */
import {
  currentEpoch,
  functionExecutor,
  loadManifest,
  type Manifest,
  requestStop,
  resetStop,
  run,
  validateManifest,
} from "../../src/mod.ts";

const STATE = { stateDir: ".skein" };
const executor = functionExecutor(() => "done");

async function manifest(argv = ["true"]): Promise<Manifest> {
  const value = { version: 1, blocks: { only: { argv } }, tasks: [{ id: "a", block: "only" }] };
  // The folder is named, so that nobody asks where this is.
  const decoded = await validateManifest(value, { folder: "/" });
  if (decoded.ok) return decoded.manifest;
  throw new Error(decoded.diagnostics[0]?.message);
}

/** Every use; what it answers is printed. */
const USES: Readonly<Record<string, () => Promise<unknown>>> = {
  memory: async () => (await run(await manifest(), { inMemory: true, executor })).status,
  // A manifest that is wrong loads every package that ships, but for the command line's own.
  wrong: async () => (await validateManifest({ version: 1, blocks: {}, tasks: [], x: 1 })).ok,
  load: async () => (await loadManifest("swarm.jsonc")).tasks.length,
  epoch: () => Promise.resolve(currentEpoch(".skein")),
  functions: async () => (await run(await manifest(), { ...STATE, executor })).status,
  processes: async () => (await run(await manifest(["sh", "-c", "true"]), STATE)).status,
  request: async () => (await requestStop(".skein")).stopped,
  reset: async () => (await resetStop(".skein")).result.kind,
};

/** The names of the uses. */
export const NAMES: readonly string[] = Object.keys(USES);

if (import.meta.main) {
  const answer = await USES[Deno.args[0] ?? ""]?.();
  Deno.stdout.writeSync(new TextEncoder().encode(`${answer}\n`));
}
