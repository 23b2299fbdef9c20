import { readThroughLibrary } from "./linux_files.ts";
import { cLibrary, loadNothingElse } from "./linux_library.ts";

/** Other systems show processes through programs, which is another permission. */
const HAS_PROC = Deno.build.os === "linux";

/**
 * Called where this process is about to give up permissions, so that it sees processes without them: on Linux the runtime
 * shows them only to whoever may do all. The C library is loaded for it.
 */
export function keepSight(): void {
  if (!HAS_PROC) return;
  readThroughLibrary();
  cLibrary();
}

/**
 * The same without the load, which is made at the first look and costs some milliseconds. Then the permission for it is
 * given up; answers whether that is to come.
 */
export function keepSightLate(): boolean {
  if (!HAS_PROC) return false;
  readThroughLibrary();
  loadNothingElse();
  return Deno.permissions.querySync({ name: "ffi" }).state === "granted";
}
