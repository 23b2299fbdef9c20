import type { FoundProcess, ProcessIdentity } from "../model/mod.ts";
import { isDead, lineageIn, parseLastPid, parseStat, type Stat } from "./linux_proc.ts";
import type { Belongs, Finder, Sweep } from "./platform.ts";

const decoder = new TextDecoder();

/** One process as a sweep sees it. */
interface Seen {
  readonly stat: Stat;
  readonly marked: boolean;
  /** Its environment could not be read, or not yet: it may be about to execute its program. */
  readonly unclear: boolean;
}

/** Searches `/proc`: by marker, by parent, by session and group, and by what it has found before. */
export class LinuxFinder implements Finder {
  readonly #belongs: Belongs;
  readonly #place: Pick<ProcessIdentity, "bootId" | "pidNamespace">;
  /** Start times of what was found, by pid. */
  readonly #known = new Map<number, string>();
  /** Sessions and groups that what was found led. */
  readonly #led = new Set<number>();

  /** Makes a search. */
  constructor(belongs: Belongs, place: Pick<ProcessIdentity, "bootId" | "pidNamespace">) {
    this.#belongs = belongs;
    this.#place = place;
  }

  /** Looks over `/proc`, then over the pids that were given out meanwhile, until none is. */
  sweep(): Sweep {
    const seen = new Map<number, Seen>();
    let last = lastPid();
    for (const { name } of Deno.readDirSync("/proc")) {
      if (/^\d+$/.test(name)) this.#look(Number(name), seen);
    }
    for (let now = lastPid(); now !== last; now = lastPid()) {
      for (const pid of pidsBetween(last, now)) this.#look(pid, seen);
      last = now;
    }
    const found = this.#ours(seen);
    const unclear = [...seen.values()].filter((one) => one.unclear && !isDead(one.stat.state));
    const problems = unclear.map(({ stat }) =>
      `process ${stat.pid} (${stat.name}): environment not readable`
    );
    return { found, conclusive: found.length === 0 && unclear.length === 0, problems };
  }

  #look(pid: number, seen: Map<number, Seen>): void {
    const stat = readStat(pid);
    if (stat === null || stat.pid === 2 || stat.parent === 2) return;
    const environ = readProc(`/proc/${pid}/environ`);
    if (environ === null) return void seen.set(pid, { stat, marked: false, unclear: false });
    const marked = lineageIn(environ).some(this.#belongs);
    // An empty environment is what a process shows while it executes its program, or for ever.
    const unclear = environ === "" && !isDead(stat.state) &&
      readProc(`/proc/${pid}/cmdline`) === "";
    seen.set(pid, { stat, marked, unclear });
  }

  /** Marked ∪ known ∪ members of led sessions and groups ∪ descendants of all these, without this process. */
  #ours(seen: Map<number, Seen>): FoundProcess[] {
    const ours = new Map<number, Stat>();
    const children = new Map<number, Stat[]>();
    for (const { stat, marked } of seen.values()) {
      const siblings = children.get(stat.parent);
      if (siblings === undefined) children.set(stat.parent, [stat]);
      else siblings.push(stat);
      const known = this.#known.get(stat.pid) === stat.startTime;
      const led = this.#led.has(stat.session) || this.#led.has(stat.group);
      if (marked || known || led) ours.set(stat.pid, stat);
    }
    for (const stat of ours.values()) {
      // A map iterates what is added to it meanwhile: this walks the whole tree.
      for (const child of children.get(stat.pid) ?? []) ours.set(child.pid, child);
    }
    ours.delete(Deno.pid);
    for (const stat of ours.values()) this.#remember(stat);
    return [...ours.values()].filter((stat) => !isDead(stat.state)).map((stat) =>
      this.#describe(stat)
    );
  }

  #remember(stat: Stat): void {
    this.#known.set(stat.pid, stat.startTime);
    if (stat.session === stat.pid) this.#led.add(stat.session);
    if (stat.group === stat.pid) this.#led.add(stat.group);
  }

  #describe(stat: Stat): FoundProcess {
    const line = readProc(`/proc/${stat.pid}/cmdline`)?.replaceAll("\0", " ").trim() ?? "";
    const command = (line === "" ? `[${stat.name}]` : line).slice(0, 200);
    return { ...this.#place, pid: stat.pid, startTime: stat.startTime, command };
  }
}

/** The process's stat, `null` where it is gone. */
export function readStat(pid: number): Stat | null {
  const text = readProc(`/proc/${pid}/stat`);
  return text === null ? null : parseStat(text);
}

/** A file of `/proc`; `null` where the process is gone or belongs to somebody else. */
function readProc(path: string): string | null {
  try {
    return decoder.decode(Deno.readFileSync(path));
  } catch {
    return null;
  }
}

function lastPid(): number {
  return parseLastPid(Deno.readTextFileSync("/proc/loadavg"));
}

function* pidsBetween(before: number, after: number): Generator<number> {
  // After a wrap the low ones were given out again; the pids up to the limit were seen as they appeared.
  for (let pid = before < after ? before + 1 : 1; pid <= after; pid++) yield pid;
}
