import { runTool } from "./children.ts";
import { SearchedLeftovers } from "./leftovers.ts";
import { PS_COLUMNS, PsFinder, psRows, rowOf } from "./macos_finder.ts";
import { launchDetached, type Platform } from "./platform.ts";
import { signalGroup, signalPid } from "./signals.ts";

/** macOS and the other systems with a BSD `ps`. */
export const macos: Platform = {
  self: () => macos.identify(Deno.pid),
  identify: (pid) => ({
    bootId: "",
    pidNamespace: "",
    pid,
    startTime: rowOf(pid)?.startTime ?? "",
  }),
  isAlive: (process) => rowOf(process.pid)?.startTime === process.startTime,
  finder: (belongs) =>
    new PsFinder(belongs, async () => {
      const { text, pid } = await runTool("ps", ["-ax", ...PS_COLUMNS]);
      return psRows(text).filter((row) => row.pid !== pid);
    }),
  openers: () => [],
  launch: launchDetached,
  leftovers: (run) => new SearchedLeftovers(macos, run),
  reapInherited: () => null,
  signal: (process, signal) => macos.isAlive(process) && signalPid(process.pid, signal),
  signalTree(leader, signal) {
    signalGroup(leader, signal);
    signalPid(leader, signal);
  },
  signalGroup,
  tools: ["kill", "ps"],
};
