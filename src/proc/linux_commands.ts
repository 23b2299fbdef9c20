import { runTool } from "./children.ts";
import type { Eyes } from "./linux_eyes.ts";
import { lineageIn, parseLastPid, parseStat, type Seen } from "./linux_proc.ts";

/** How many processes one command line names. */
const CHUNK = 2000;

/**
 * Sees through `ps` and `grep`, for a process that may start these two but not read `/proc` itself: `ps` names the
 * processes, `grep` prints their stat and their marker.
 */
export const commandEyes: Eyes = {
  async all() {
    const text = await tool("ps", ["-e", "-o", "pid="]);
    return await commandEyes.some(text.split("\n").map(Number).filter((pid) => pid > 0));
  },
  async some(pids) {
    const seen: Seen[] = [];
    for (let start = 0; start < pids.length; start += CHUNK) {
      seen.push(...await lookAt(pids.slice(start, start + CHUNK)));
    }
    return seen;
  },
  async lastPid() {
    const last = parseLastPid(await tool("grep", ["-h", "", "/proc/loadavg"]));
    return { last, own: used.splice(0) };
  },
};

/** The pids that these eyes have used themselves since they were last asked. */
const used: number[] = [];

async function tool(program: string, args: readonly string[]): Promise<string> {
  const { pid, text } = await runTool(program, args);
  used.push(pid);
  return text;
}

async function lookAt(pids: readonly number[]): Promise<Seen[]> {
  if (pids.length === 0) return [];
  const stats = await tool("grep", ["-s", "-h", "", ...pids.map((pid) => `/proc/${pid}/stat`)]);
  const marker = ["-s", "-z", "-a", "-H", "-E", "^SKEIN_LINEAGE="];
  const environs = await tool("grep", [...marker, ...pids.map((pid) => `/proc/${pid}/environ`)]);
  const marked = parseMarkers(environs);
  return stats.split("\n").map(parseStat).filter((stat) => stat !== null)
    .filter(({ pid, parent }) => pid !== 2 && parent !== 2 && !used.includes(pid))
    .map((stat) => {
      const environ = marked.get(stat.pid) ?? "";
      return { stat, environ, lineage: lineageIn(environ), executing: false };
    });
}

/** Reads what `grep -z -H` prints: `/proc/<pid>/environ:SKEIN_LINEAGE=…`, each ended by NUL. */
export function parseMarkers(text: string): Map<number, string> {
  const marked = new Map<number, string>();
  for (const entry of text.split("\0")) {
    const match = /^\s*\/proc\/(\d+)\/environ:(SKEIN_LINEAGE=[^]*)$/.exec(entry);
    if (match !== null) marked.set(Number(match[1]), match[2] ?? "");
  }
  return marked;
}
