import { linux } from "./linux.ts";
import { macos } from "./macos.ts";
import type { Platform } from "./platform.ts";
import { windows } from "./windows.ts";

/** The platform that this process runs on. */
export const platform: Platform = select(Deno.build.os);

function select(os: typeof Deno.build.os): Platform {
  switch (os) {
    case "linux":
      return linux;
    case "windows":
      return windows;
    default:
      return macos;
  }
}
