import type { ProcessIdentity } from "../model/mod.ts";
import { commandEyes } from "./linux_commands.ts";
import { mayReadProc, procEyes } from "./linux_eyes.ts";
import { isNotCapable, readProc } from "./linux_files.ts";
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
      bootId: Deno.readTextFileSync("/proc/sys/kernel/random/boot_id").trim(),
      pidNamespace: Deno.readLinkSync("/proc/self/ns/pid"),
    }
    : { bootId: "", pidNamespace: "" };
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
  for (const { name } of Deno.readDirSync("/proc")) {
    const pid = Number(name);
    if (!(pid > 0) || pid === Deno.pid || !hasOpen(pid, path)) continue;
    const stat = statOf(pid);
    if (stat !== null) openers.push({ ...place(), pid, startTime: stat.startTime });
  }
  return openers;
}

function hasOpen(pid: number, path: string): boolean {
  try {
    for (const { name } of Deno.readDirSync(`/proc/${pid}/fd`)) {
      if (Deno.readLinkSync(`/proc/${pid}/fd/${name}`) === path) return true;
    }
  } catch (error) {
    if (isNotCapable(error)) throw error;
    // It has gone meanwhile, or belongs to somebody else.
  }
  return false;
}
