/**
 * What compiles: this Deno, which fetches the runtime of a system from Deno's download site or finds it in its cache,
 * or for tests an older pair from npm.
 *
 * @module
 */
import { prepareOlderRuntime } from "../npm/older_runtime.ts";
import type { Target } from "./targets.ts";

const DOWNLOADS = "https://dl.deno.land/release";
const PATIENCE_MS = 5000;

/** What compiles, and how it is told. */
export interface Compiler {
  /** The version of what it makes, for a reader. */
  readonly name: string;
  /** The path of `deno`. */
  readonly deno: string;
  /** Variables beside those of this process. */
  readonly env: Readonly<Record<string, string>>;
  /** Flags of `deno compile` that only this one knows. */
  readonly flags: readonly string[];
}

/** This Deno. */
export const ownCompiler: Compiler = {
  name: `Deno ${Deno.version.deno}`,
  deno: Deno.execPath(),
  env: {},
  // Packages that only the tests use stay out.
  flags: ["--exclude-unused-npm"],
};

/**
 * This Deno where the runtime of the target is to be had, else the older pair, else why there is neither.
 *
 * @param target this machine's.
 */
export async function anyCompiler(
  target: Target,
): Promise<Compiler | { readonly missing: string }> {
  if (await hasRuntime(target)) return ownCompiler;
  const pair = await prepareOlderRuntime();
  if ("missing" in pair) {
    return {
      missing:
        `Deno's download site does not answer, nor is there an older runtime: ${pair.missing}`,
    };
  }
  return {
    name: "an older Deno from npm, for tests only",
    deno: pair.deno,
    env: { DENORT_BIN: pair.denort },
    flags: ["--unstable-npm-lazy-caching"],
  };
}

/** Whether `deno compile` would find what it puts the program into. */
async function hasRuntime(target: Target): Promise<boolean> {
  if (Deno.env.has("DENORT_BIN")) return true;
  const path = `v${Deno.version.deno}/denort-${target}.zip`;
  if (isFile(`${await cacheFolder()}/dl/release/${path}`)) return true;
  try {
    const response = await fetch(`${DOWNLOADS}/${path}`, {
      method: "HEAD",
      signal: AbortSignal.timeout(PATIENCE_MS),
    });
    return response.ok;
  } catch {
    return false;
  }
}

async function cacheFolder(): Promise<string> {
  const { stdout } = await new Deno.Command(Deno.execPath(), {
    args: ["info", "--json", "--no-config"],
    stdin: "null",
    stderr: "null",
  }).output();
  return JSON.parse(new TextDecoder().decode(stdout)).denoDir;
}

function isFile(path: string): boolean {
  try {
    return Deno.statSync(path).isFile;
  } catch {
    return false;
  }
}
