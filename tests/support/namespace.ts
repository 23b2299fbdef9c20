/**
 * What a test does to the machine around a process: namespaces, small disks, who is whose child.
 *
 * @module
 */
import { succeeds } from "./capability.ts";

/** What starts a program as process 1 of a pid namespace of its own, with a `/proc` of its own. */
export const IN_PID_NAMESPACE: readonly string[] = ["unshare", "--pid", "--fork", "--mount-proc"];

/** What starts a program where there is no `/proc`. */
export const WITHOUT_PROC: readonly [string, ...string[]] = [
  "unshare",
  ...["--mount", "sh", "-c", 'mount -t tmpfs none /proc && exec "$@"', "sh"],
];

/** Whether this machine makes pid namespaces. */
export function canUnsharePids(): boolean {
  const [program = "", ...args] = IN_PID_NAMESPACE;
  return Deno.build.os === "linux" && succeeds(program, ...args, "true");
}

/** Whether the next pid of a namespace can be chosen. */
export function canChoosePids(): boolean {
  const script = "echo 900 > /proc/sys/kernel/ns_last_pid && test \"$(sh -c 'echo $$')\" -lt 910";
  const [program = "", ...args] = IN_PID_NAMESPACE;
  return canUnsharePids() && succeeds(program, ...args, "sh", "-c", script);
}

/** Whether this machine mounts small disks for this user. */
export function canMount(): boolean {
  if (Deno.build.os !== "linux") return false;
  const folder = Deno.makeTempDirSync();
  try {
    using _disk = new SmallDisk(folder, 65_536);
    return true;
  } catch {
    return false;
  } finally {
    Deno.removeSync(folder);
  }
}

/** A disk in memory, taken away at the end of a `using` block. */
export class SmallDisk implements Disposable {
  /** Where it is. */
  readonly path: string;

  /** Mounts it on a folder. */
  constructor(folder: string, bytes: number) {
    this.path = folder;
    if (!succeeds("mount", "-t", "tmpfs", "-o", `size=${bytes}`, "tmpfs", folder)) {
      throw new Error(`Cannot mount a disk on "${folder}"`);
    }
  }

  /** Fills it to its last byte. */
  fill(): void {
    using file = Deno.openSync(`${this.path}/filler`, { write: true, createNew: true });
    for (let size = 65_536; size > 0; size >>= 1) {
      try {
        for (;;) file.writeSync(new Uint8Array(size));
      } catch {
        // Smaller pieces may still fit.
      }
    }
  }

  /** Takes it away. */
  [Symbol.dispose](): void {
    succeeds("umount", "--lazy", this.path);
  }
}

/** The living children of a process, over all of its threads. */
export function childrenOf(pid: number): number[] {
  try {
    return Array.from(Deno.readDirSync(`/proc/${pid}/task`), ({ name }) => {
      return Deno.readTextFileSync(`/proc/${pid}/task/${name}/children`);
    }).join("").split(" ").map(Number).filter((child) => child > 0);
  } catch {
    return [];
  }
}

/** The command line of a process, its words divided by spaces; empty where it is gone. */
export function commandOf(pid: number): string {
  try {
    return Deno.readTextFileSync(`/proc/${pid}/cmdline`).replaceAll("\0", " ").trim();
  } catch {
    return "";
  }
}

/** Every process whose command line has a text in it. */
export function processesWith(text: string): number[] {
  return Array.from(Deno.readDirSync("/proc"), ({ name }) => Number(name))
    .filter((pid) => pid > 0 && commandOf(pid).includes(text));
}
