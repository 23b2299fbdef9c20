import { platform } from "../proc/mod.ts";
import { say } from "./output.ts";

/** As process 1 of a container, Skein inherits every orphan in it. */
export function becomeInit(): Disposable | null {
  if (Deno.pid !== 1) return null;
  const reaper = platform.reapInherited();
  if (reaper === null) {
    say(
      "skein: this is process 1 and cannot reap what it inherits: start it under an init, such as `docker run --init`",
    );
  }
  return reaper;
}
