/**
 * Skein: fail-closed orchestration for swarms of local agents and scripts. Imported, this is the library; run, it is
 * the command line.
 *
 * @example
 * ```ts ignore
 * import { loadManifest, run } from "@skein/cli";
 *
 * const report = await run(await loadManifest("swarm.json"));
 * ```
 *
 * @module
 */
export * from "./src/mod.ts";

if (import.meta.main) {
  const { main } = await import("./src/cli/main.ts");
  Deno.exit(await main(Deno.args));
}
