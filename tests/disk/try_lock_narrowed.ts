/**
 * Locks a file through the C library in a process that has given up the permission for it, and says what came of it.
 *
 * @module
 */
import { openLockLibrary, tryLockThrough } from "../../src/disk/try_lock.ts";

if (import.meta.main) {
  const EXCLUSIVE = true;
  const library = openLockLibrary();
  Deno.permissions.revokeSync({ name: "ffi" });
  const [path = ""] = Deno.args;
  const answers = [1, 2].map(() => {
    const file = Deno.openSync(path, { read: true, write: true, create: true });
    return tryLockThrough(library)(file, EXCLUSIVE);
  });
  Deno.stdout.writeSync(new TextEncoder().encode(answers.join()));
}
