import type { ProcessIdentity } from "../model/mod.ts";
import { commandEyes } from "./linux_commands.ts";
import { allPids, procEyes } from "./linux_eyes.ts";
import { linkInProc, mayReadProc, namesInProc, readProc } from "./linux_files.ts";
import { LinuxFinder } from "./linux_finder.ts";
import { SetsidLauncher } from "./linux_launch.ts";
import { linuxLeftovers, reapInherited } from "./linux_leftovers.ts";
import { isDead, parseStat, type Stat } from "./linux_proc.ts";
import type { Platform } from "./platform.ts";
import { signalGroup, signalPid } from "./signals.ts";

type Place = Pick<ProcessIdentity, "bootId" | "pidNamespace">;

/** Linux: everything is in `/proc`, for a process that may read it; else `ps`, `grep` and `kill` look and act. */
export const linux: Platform = {
  self: () => linux.identify(Deno.pid),
  identify: (pid) => ({ ...place(), pid, startTime: statOf(pid)?.startTime ?? "" }),
  isAlive(process) {
    if (!isHere(process)) return false;
    const stat = statOf(process.pid);
    return stat !== null && stat.startTime === process.startTime && !isDead(stat.state);
  },
  finder(belongs) {
    const sees = mayRead();
    return new LinuxFinder(
      belongs,
      sees ? procEyes : commandEyes,
      place(),
      sees ? commandLine : () => null,
    );
  },
  openers: (path) => mayRead() ? findOpeners(path) : [],
  launch: (request) => (launcher ??= new SetsidLauncher()).launch(request),
  leftovers: (run) => linuxLeftovers(linux, run, mayRead()),
  reapInherited: () => mayRead() ? reapInherited() : null,
  signal(process, signal) {
    return isHere(process) && isSame(process) && signalPid(process.pid, signal);
  },
  signalTree(leader, signal) {
    signalGroup(leader, signal);
    signalPid(leader, signal);
  },
  signalGroup,
  tools: ["kill", "ps", "grep"],
};

let launcher: SetsidLauncher | undefined;
let here: Place | undefined;
let reads: boolean | undefined;

function mayRead(): boolean {
  return reads ??= mayReadProc();
}

/** The boot and the pid namespace; left empty where `/proc` may not be read. */
function place(): Place {
  return here ??= mayRead()
    ? {
      bootId: known(readProc("/proc/sys/kernel/random/boot_id"), "this boot").trim(),
      pidNamespace: known(linkInProc("/proc/self/ns/pid"), "this pid namespace"),
    }
    : { bootId: "", pidNamespace: "" };
}

function known(text: string | null, what: string): string {
  if (text === null) throw new Error(`Cannot tell ${what}: "/proc" does not say`);
  return text;
}

/** What one of the two processes could not tell is no difference. */
function isHere({ bootId, pidNamespace }: Place): boolean {
  const own = place();
  return (bootId === own.bootId || bootId === "" || own.bootId === "") &&
    (pidNamespace === own.pidNamespace || pidNamespace === "" || own.pidNamespace === "");
}

/** A recycled pid has another start time. */
function isSame({ pid, startTime }: ProcessIdentity): boolean {
  return statOf(pid)?.startTime === startTime;
}

function statOf(pid: number): Stat | null {
  const text = mayRead() ? readProc(`/proc/${pid}/stat`) : statThroughGrep(pid);
  return text === null ? null : parseStat(text);
}

function statThroughGrep(pid: number): string | null {
  const { stdout, success } = new Deno.Command("grep", {
    args: ["-s", "-h", "", `/proc/${pid}/stat`],
    stdin: "null",
    stderr: "null",
  }).outputSync();
  return success ? new TextDecoder().decode(stdout).trim() : null;
}

function commandLine(pid: number): string | null {
  return readProc(`/proc/${pid}/cmdline`)?.replaceAll("\0", " ").trim() ?? null;
}

function findOpeners(path: string): ProcessIdentity[] {
  const openers: ProcessIdentity[] = [];
  for (const pid of allPids()) {
    if (pid === Deno.pid || !hasOpen(pid, path)) continue;
    const stat = statOf(pid);
    if (stat !== null) openers.push({ ...place(), pid, startTime: stat.startTime });
  }
  return openers;
}

/** Not where it has gone meanwhile, or belongs to somebody else. */
function hasOpen(pid: number, path: string): boolean {
  const files = namesInProc(`/proc/${pid}/fd`) ?? [];
  return files.some((name) => linkInProc(`/proc/${pid}/fd/${name}`) === path);
}
