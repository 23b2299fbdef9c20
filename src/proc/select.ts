import type { Platform } from "./platform.ts";

/** The platform that this process runs on; the others are not loaded. */
export const platform: Platform = await select(Deno.build.os);

async function select(os: typeof Deno.build.os): Promise<Platform> {
  switch (os) {
    case "linux":
      return (await import("./linux.ts")).linux;
    case "windows":
      return (await import("./windows.ts")).windows;
    default:
      return (await import("./macos.ts")).macos;
  }
}
