/**
 * Takes the lock on a file, says so, and holds it until its standard input ends.
 *
 * @module
 */
import { FileLock, type LockKind } from "../../src/disk/mod.ts";

if (import.meta.main) {
  const [path = "", kind = "exclusive"] = Deno.args;
  using _lock = FileLock.tryAcquire(path, kind as LockKind);
  Deno.stdout.writeSync(new TextEncoder().encode(_lock === null ? "refused" : "held"));
  await Deno.stdin.read(new Uint8Array(1));
}
