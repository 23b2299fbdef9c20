import type { Platform } from "./platform.ts";

/** Something for each kind of system. */
export interface EachSystem<T> {
  /** Linux. */
  readonly linux: T;
  /** Windows. */
  readonly windows: T;
  /** macOS, and the other systems with a BSD `ps`. */
  readonly others: T;
}

/** The platform that this process runs on; the others are not loaded. */
export const platform: Platform = await ofThisSystem<() => Promise<Platform>>({
  linux: async () => (await import("./linux.ts")).linux,
  windows: async () => (await import("./windows.ts")).windows,
  others: async () => (await import("./macos.ts")).macos,
})();

/** What is for the system that this process runs on. */
export function ofThisSystem<T>({ linux, windows, others }: EachSystem<T>): T {
  switch (Deno.build.os) {
    case "linux":
      return linux;
    case "windows":
      return windows;
    default:
      return others;
  }
}
