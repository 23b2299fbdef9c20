import type { Machine } from "./machine.ts";
import { ofThisSystem } from "./select.ts";

/** How this machine is examined; how the others are is not loaded. Nothing but an examination has a use for it. */
export const thisMachine: () => Promise<Machine> = ofThisSystem({
  linux: async () => (await import("./linux_machine.ts")).linuxMachine,
  windows: async () => (await import("./windows_machine.ts")).windowsMachine,
  others: async () => (await import("./macos_machine.ts")).macosMachine,
});
