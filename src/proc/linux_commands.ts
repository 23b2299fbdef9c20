import { LINEAGE_VARIABLE } from "../model/mod.ts";
import { runTool } from "./children.ts";
import type { Eyes } from "./linux_eyes.ts";
import { lineageIn, parseLastPid, parseStat, type Seen } from "./linux_proc.ts";

/** How many processes one command line names. */
const CHUNK = 2000;

/**
 * Sees through `ps` and `grep`, for a process that may start these two but not read `/proc` itself: `ps` names the
 * processes, one `grep` prints what is to be known of them, and the last pid behind it.
 */
export const commandEyes: Eyes = {
  async all() {
    const { pid, text } = await runTool("ps", ["-e", "-o", "pid="]);
    const pids = text.split("\n").map(Number).filter((each) => each > 0 && each !== pid);
    const { seen, last, own } = await commandEyes.some(pids);
    return { seen, last, own: [pid, ...own] };
  },
  async some(pids) {
    const seen: Seen[] = [];
    const own: number[] = [];
    let last = 0;
    for (let start = 0; start === 0 || start < pids.length; start += CHUNK) {
      const paths = pathsOf(pids.slice(start, start + CHUNK));
      const { pid, text } = await runTool("grep", ["-s", "-z", "-a", "-H", "", ...paths]);
      const printed = parsePrinted(text);
      seen.push(...printed.seen);
      own.push(pid);
      last = printed.last;
    }
    return { seen: seen.filter(({ stat }) => !own.includes(stat.pid)), last, own };
  },
};

/** In this order: what was executing its program at first has its environment once it has a command line. */
const FILES = ["environ", "cmdline", "environ", "stat"] as const;

function pathsOf(pids: readonly number[]): string[] {
  return [
    ...FILES.flatMap((file) => pids.map((pid) => `/proc/${pid}/${file}`)),
    "/proc/loadavg",
  ];
}

/**
 * Reads what `grep -z -H ""` prints of {@linkcode FILES} and `/proc/loadavg`: `<path>:<entry>`, each ended by NUL. A
 * file that is empty prints nothing.
 */
export function parsePrinted(
  text: string,
): { readonly seen: readonly Seen[]; readonly last: number } {
  const entries = new Map<string, string>();
  for (const printed of text.split("\0")) {
    const [, path = "", entry = ""] = /^(\/proc\/(?:\d+\/)?[a-z]+):([^]*)$/.exec(printed) ?? [];
    // Of an environment the marker is to be known, and that there is one.
    if (!entries.has(path) || entry.startsWith(`${LINEAGE_VARIABLE}=`)) entries.set(path, entry);
  }
  const seen: Seen[] = [];
  for (const [path, entry] of entries) {
    const stat = path.endsWith("/stat") ? parseStat(entry) : null;
    if (stat === null || stat.kernel) continue;
    const environ = entries.get(`/proc/${stat.pid}/environ`) ?? "";
    const passing = environ === "" && !entries.has(`/proc/${stat.pid}/cmdline`);
    seen.push({ stat, environ, lineage: lineageIn(environ), passing });
  }
  return { seen, last: parseLastPid(entries.get("/proc/loadavg") ?? "") };
}
