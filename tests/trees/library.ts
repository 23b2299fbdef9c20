/**
 * Runs a manifest through the library, in a process that does not say that it owns itself: what its passes leave is
 * searched for by marker. Ends as `skein run` does.
 *
 * @module
 */
import { loadManifest, run } from "../../src/mod.ts";

const [path = "", stateDir = ""] = Deno.args;
const cancel = new AbortController();
Deno.addSignalListener("SIGINT", () => cancel.abort());
const report = await run(await loadManifest(path), {
  stateDir,
  signal: cancel.signal,
  graceMs: 200,
  sync: true,
});
Deno.exit({ succeeded: 0, failed: 3, stopped: 4, cancelled: 130 }[report.status]);
