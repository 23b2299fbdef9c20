import { runTool } from "./children.ts";
import { linkInProc, mayReadProc, readProc } from "./linux_files.ts";
import { mountOf, optionOf, parseMounts } from "./linux_mounts.ts";
import { parseStat } from "./linux_proc.ts";
import { type Machine, tryTool } from "./machine.ts";

/** Linux tells all of it in `/proc`. */
export const linuxMachine: Machine = {
  name: "Linux",
  limit: null,
  shows: "all",
  mountOf: (path) => mountOf(mounts(), path),
  standingOf(pid) {
    const stat = parseStat(read(`/proc/${pid}/stat`) ?? "");
    return stat === null ? null : { group: stat.group, session: stat.session };
  },
  procOf(pid) {
    const readable = read(`/proc/${Deno.pid}/stat`) !== null;
    return {
      reader: !readable ? "nobody" : mayRead() ? "itself" : "grep",
      ownNumbers: hasOwnNumbers(),
      environment: read(`/proc/${pid}/environ`),
      hidepid: optionOf(mountOf(mounts(), "/proc"), "hidepid"),
    };
  },
  async tools() {
    return [
      await tryTool("ps", async () => {
        const { text } = await runTool("ps", ["-e", "-o", "pid="]);
        const listed = text.split("\n").map(Number).includes(Deno.pid);
        return listed ? null : "`ps -e -o pid=` does not list this process";
      }),
      await tryTool("grep", async () => {
        const path = `/proc/${Deno.pid}/stat`;
        const { text } = await runTool("grep", ["-s", "-z", "-a", "-H", "", path]);
        return text.startsWith(`${path}:`) ? null : `\`grep -z -a -H\` cannot read "${path}"`;
      }),
      await tryTool("kill", async () => {
        const { success } = await runTool("kill", ["-s", "CONT", "--", String(Deno.pid)]);
        return success ? null : "`kill -s CONT -- PID` does not signal this process";
      }),
    ];
  },
};

function mounts() {
  return parseMounts(read("/proc/self/mountinfo") ?? "");
}

/** A `/proc` that was mounted for another pid namespace has nobody, or somebody else, under this pid. */
function hasOwnNumbers(): boolean | null {
  return mayRead() ? linkInProc("/proc/self") === String(Deno.pid) : null;
}

/** Whether this process may read it; not where there is none. */
function mayRead(): boolean {
  try {
    return mayReadProc();
  } catch {
    return false;
  }
}

/** A file of `/proc`, through `grep` where this process may not read it; `null` where nobody can. */
function read(path: string): string | null {
  if (mayRead()) return readProc(path);
  try {
    const { stdout, success } = new Deno.Command("grep", {
      args: ["-s", "-a", "-h", "", path],
      stdin: "null",
      stderr: "null",
    }).outputSync();
    return success ? new TextDecoder().decode(stdout) : null;
  } catch {
    return null;
  }
}
