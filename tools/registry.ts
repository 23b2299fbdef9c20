/**
 * Which registry this checkout can reach. Prints the configuration to use, relative to the checkout:
 * `deno.json` where JSR answers within three seconds, `tools/npm/deno.json` (the same names from npm) where
 * it does not. The answer is remembered for the call in `SKEIN_CONFIG`.
 *
 * @module
 */

/** The two configurations of this checkout. */
export type Config = "deno.json" | "tools/npm/deno.json";

/** The variable that carries the answer to the processes of the same call. */
export const VARIABLE = "SKEIN_CONFIG";

const PROBE = "jsr:@std/internal@1.0.14/os";
const PATIENCE_MS = 3000;

/** The configuration whose registry answers. */
export async function registryConfig(): Promise<Config> {
  const known = Deno.env.get(VARIABLE);
  if (known === "deno.json" || known === "tools/npm/deno.json") return known;
  return await answers(PROBE, PATIENCE_MS) ? "deno.json" : "tools/npm/deno.json";
}

async function answers(specifier: string, ms: number): Promise<boolean> {
  const patience = AbortSignal.timeout(ms);
  try {
    const { success } = await new Deno.Command(Deno.execPath(), {
      args: ["cache", "--no-config", "--no-lock", "--quiet", specifier],
      stdin: "null",
      stdout: "null",
      stderr: "null",
      signal: patience,
    }).output();
    return success && !patience.aborted;
  } catch {
    return false;
  }
}

if (import.meta.main) {
  await Deno.stdout.write(new TextEncoder().encode(await registryConfig()));
}
