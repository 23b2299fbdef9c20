import type { ProcessIdentity } from "../model/mod.ts";
import { LinuxFinder, readStat } from "./linux_finder.ts";
import { isDead } from "./linux_proc.ts";
import type { Platform } from "./platform.ts";
import { signalGroup, signalPid } from "./signals.ts";

/** Linux: everything is in `/proc`. */
export const linux: Platform = {
  self: () => ({ ...place(), pid: Deno.pid, startTime: readStat(Deno.pid)?.startTime ?? "" }),
  isAlive(process) {
    if (!isHere(process)) return false;
    const stat = readStat(process.pid);
    return stat !== null && stat.startTime === process.startTime && !isDead(stat.state);
  },
  finder: (belongs) => new LinuxFinder(belongs, place()),
  signal(process, signal) {
    return isHere(process) && readStat(process.pid)?.startTime === process.startTime &&
      signalPid(process.pid, signal);
  },
  signalTree(leader, signal) {
    signalGroup(leader, signal);
    signalPid(leader, signal);
  },
  signalGroup,
};

function place(): Pick<ProcessIdentity, "bootId" | "pidNamespace"> {
  const bootId = Deno.readTextFileSync("/proc/sys/kernel/random/boot_id").trim();
  return { bootId, pidNamespace: Deno.readLinkSync("/proc/self/ns/pid") };
}

function isHere(process: ProcessIdentity): boolean {
  const { bootId, pidNamespace } = place();
  return process.bootId === bootId && process.pidNamespace === pidNamespace;
}
