/**
 * Makes a state directory and says its swarm's id.
 *
 * @module
 */
import { prepareStateDir } from "../../src/fence/mod.ts";

if (import.meta.main) {
  const [stateDir = ""] = Deno.args;
  Deno.stdout.writeSync(new TextEncoder().encode(prepareStateDir(stateDir)));
}
