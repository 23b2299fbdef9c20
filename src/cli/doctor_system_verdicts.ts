/**
 * What a finding about the runtime, the system, its processes and its clock means. Pure: everything that it judges is
 * handed to it.
 *
 * @module
 */
import type { Machine, ProcSeen, Standing, ToolSeen } from "../proc/mod.ts";
import { formatDuration } from "../view/progress.ts";
import { type Check, failed, ok, type Tried, unknown, warning } from "./doctor_check.ts";

/** The runtime. */
export interface RuntimeFacts {
  /** Its version. */
  readonly deno: string;
  /** Whether it is inside of a compiled binary. */
  readonly standalone: boolean;
}

/** The system, as far as it says something of itself. */
export interface SystemFacts extends Pick<Machine, "name" | "limit"> {
  /** The processor's kind. */
  readonly arch: string;
  /** The kernel's version, `null` where it may not be asked for. */
  readonly release: string | null;
}

/** A process that was started to be found and ended. */
export interface WitnessFacts {
  /** Its pid. */
  readonly pid: number;
  /** Where it stood, `null` where the system does not tell. */
  readonly standing: Standing | null;
  /** Whether a signal to its group ended it. */
  readonly ended: boolean;
  /** Whether the search found it by its marker. */
  readonly found: boolean;
  /** Whether a search for it came to an end once it was dead. */
  readonly conclusive: boolean;
  /** What the search could not look at. */
  readonly problems: readonly string[];
  /** Whether its environment, as `/proc` shows it, has the marker; `null` on a system without it. */
  readonly marked: boolean | null;
}

/** The two clocks at one moment. */
export interface ClockSample {
  /** Milliseconds since 1970. */
  readonly wall: number;
  /** Milliseconds of the clock that never jumps. */
  readonly mono: number;
}

/** The clocks over some time. */
export interface ClockFacts {
  /** In order. */
  readonly samples: readonly ClockSample[];
  /** Files with when they were last changed, in milliseconds since 1970. */
  readonly changes: readonly { readonly path: string; readonly at: number }[];
}

/** The oldest runtime that Skein is tested with. */
const OLDEST: readonly [number, number] = [2, 9];
/** Nothing of Skein is older: the first moment of 2026, UTC. */
const EARLIEST = 1_767_225_600_000;
/** By how much two clocks may differ from look to look, in milliseconds. */
const STEP_MS = 50;
/** From when on a step is more than what leases allow for, in milliseconds. */
const BAD_STEP_MS = 1_000;
/** By how much a file may be ahead of the clock: some file systems keep two seconds, in milliseconds. */
const AHEAD_MS = 3_000;

/** The runtime's version. */
export function judgeRuntime({ deno, standalone }: RuntimeFacts): Check {
  const check = "deno";
  const [, major, minor] = /^(\d+)\.(\d+)\./.exec(deno) ?? [];
  const where = standalone ? ", inside of this binary" : "";
  if (major === undefined || minor === undefined) {
    return unknown(check, `Deno ${deno}${where}: that is no version that can be compared`);
  }
  const [leastMajor, leastMinor] = OLDEST;
  const old = Number(major) < leastMajor ||
    Number(major) === leastMajor && Number(minor) < leastMinor;
  if (!old) return ok(check, `Deno ${deno}${where}`);
  const message =
    `Skein is not tested with Deno ${deno}${where}, which is older than ${leastMajor}.${leastMinor}`;
  return warning(check, message, standalone ? "Use a newer binary" : "Use a newer Deno");
}

/** The system. */
export function judgeSystem({ name, limit, arch, release }: SystemFacts): Check {
  const text = `${name} ${release ?? "of an unknown version"}, ${arch}`;
  if (limit === null) return ok("system", text);
  return warning(
    "system",
    `${text}. ${limit}`,
    'See "Who can hide from the search" in docs/guarantees.md',
  );
}

/** Whether a process can be given a group and a session of its own, and be ended by it. */
export function judgeGroups(witness: Tried<WitnessFacts>): Check {
  const check = "process-groups";
  if (!witness.ok) {
    const message = `It could not be seen whether a tree can be ended: ${witness.problem}`;
    return unknown(check, message, "Let Skein start its own executable, then look again");
  }
  const { pid, standing, ended } = witness.value;
  const next = "Run Skein where it may start and signal processes";
  if (standing === null) return unknown(check, "The system tells no process groups or sessions");
  const { group, session } = standing;
  const leads = group === pid && (session === null || session === pid);
  if (!leads) {
    const message =
      `A kill misses what a pass leaves behind: process ${pid} was not given a session of its own, but group ${group} and session ${
        session ?? "unknown"
      }`;
    return failed(check, message, next);
  }
  if (!ended) {
    return failed(check, "A kill ends nothing: a signal to a process group had no effect", next);
  }
  return ok(
    check,
    `A process leads a ${
      session === null ? "group" : "session and a group"
    } of its own, and is ended by it`,
  );
}

/** Whether processes can be looked at. */
export function judgeProc(proc: ProcSeen | null, witness: Tried<WitnessFacts>): Check {
  const check = "proc";
  if (proc === null) {
    return unknown(check, "This system has no /proc: its own programs list processes");
  }
  if (proc.reader === "nobody") {
    const message =
      "A stop finds nothing, and proves nothing: neither this process nor `grep` can read /proc";
    return failed(
      check,
      message,
      "Mount /proc, or give Skein all permissions, or those to run `ps`, `grep` and `kill`",
    );
  }
  if (proc.ownNumbers === false) {
    const message = "A stop looks at the wrong processes: /proc is that of another pid namespace";
    return failed(check, message, "Mount one for this namespace: `mount -t proc proc /proc`");
  }
  const readable = witness.ok ? witness.value.marked === true : proc.environment !== null;
  if (!readable) {
    const message =
      "A stop misses what has left its tree: the environment of this user's own processes cannot be read in /proc";
    return failed(
      check,
      message,
      "See what guards /proc/<pid>/environ here: hidepid, a security module, a sandbox",
    );
  }
  const how = proc.reader === "grep"
    ? " through `grep`, since Skein's permissions are narrowed"
    : "";
  return ok(check, `Readable${how}, with the environment of this user's processes`);
}

/** Whether the system hides processes. */
export function judgeHiding(proc: ProcSeen | null, user: number | null): Check {
  const check = "hidepid";
  if (proc === null) return ok(check, "This system has no /proc");
  if (proc.reader === "nobody") return unknown(check, "/proc cannot be read");
  const { hidepid } = proc;
  if (hidepid === null || hidepid === "0" || hidepid === "off") {
    return ok(check, "No process is hidden");
  }
  if (user === 0) return ok(check, `Nothing is hidden from root: hidepid=${hidepid}`);
  const own = hidepid === "4" || hidepid === "ptraceable";
  const whose = own
    ? "processes of other users, and of this one where they forbid to be traced"
    : "processes of other users";
  return warning(
    check,
    `A stop does not see ${whose}: /proc is mounted with hidepid=${hidepid}`,
    "Let no task change its user (sudo, setuid programs), or mount /proc without hidepid",
  );
}

/** Whether the search finds a process by its marker, and comes to an end. */
export function judgeSearch(witness: Tried<WitnessFacts>, shows: Machine["shows"]): Check {
  const check = "search";
  if (!witness.ok) {
    const message = `It could not be seen whether a marked process is found: ${witness.problem}`;
    return unknown(check, message, "Let Skein start its own executable, then look again");
  }
  const { found, conclusive, problems } = witness.value;
  const see = 'See "Who can hide from the search" in docs/guarantees.md';
  if (!found && shows !== "all") {
    const message =
      "A stop misses what has left its tree and its group: the system shows no environment, so that no process is found by its marker";
    return warning(check, message, see);
  }
  if (!found) {
    const message = "A stop misses what has left its tree: a marked process was not found";
    return failed(check, message, "See what the checks `proc` and `ps` say");
  }
  if (!conclusive) {
    const why = problems.length === 0 ? "it goes on to find it" : problems.join(", ");
    const message =
      `A stop is not proven: no search for a process that is dead comes to an end: ${why}`;
    return failed(check, message, "Look again when the machine is calm");
  }
  return ok(check, "A marked process is found, and a search for it ends once it is dead");
}

/** Whether the programs that list processes do what they are needed for. */
export function judgeTools(tools: readonly ToolSeen[], proc: ProcSeen | null): Check {
  const check = "ps";
  const names = tools.map(({ name }) => `\`${name}\``).join(", ");
  const bad = tools.filter(({ problem }) => problem !== null);
  if (bad.length === 0) return ok(check, `They work: ${names}`);
  const why = bad.map(({ name, problem }) => `\`${name}\`: ${problem}`).join("; ");
  const next = "Install procps and grep, or what has them on this system, and let Skein run them";
  if (proc?.reader === "itself") {
    const message = `With narrowed permissions a stop would find and end nothing: ${why}`;
    return warning(check, message, next);
  }
  return failed(check, `A stop finds or ends nothing: ${why}`, next);
}

/** Whether the clock runs, does not jump, and agrees with what it has stamped. */
export function judgeClock({ samples, changes }: ClockFacts): Check {
  const check = "clock";
  const next = "Let one service keep the time, by slewing it (chrony, systemd-timesyncd, ntpd)";
  const [first] = samples;
  const last = samples.at(-1);
  if (first === undefined || last === undefined) return unknown(check, "It was not looked at");
  if (last.mono <= first.mono) {
    const message = "Timeouts and leases never end: the monotonic clock stands still, or runs back";
    return failed(check, message, "Report it to whoever runs this machine");
  }
  if (last.wall < EARLIEST) {
    const message = `Runs and leases get a wrong time: the clock says ${isoOf(last.wall)}`;
    return failed(check, message, "Set the clock");
  }
  const step = largestStep(samples);
  if (Math.abs(step) > STEP_MS) {
    const how = step > 0 ? "forward" : "back";
    const jump = `the clock was set ${how} by ${
      formatDuration(Math.abs(step))
    } while it was looked at`;
    const effect = step > 0
      ? "Claims of living workers end early"
      : "Claims of dead workers last longer";
    return Math.abs(step) > BAD_STEP_MS
      ? failed(check, `${effect}: ${jump}`, next)
      : warning(check, `${effect} where that goes on: ${jump}`, next);
  }
  const ahead = changes.filter(({ at }) => at - last.wall > AHEAD_MS)
    .toSorted((a, b) => b.at - a.at)[0];
  if (ahead !== undefined) {
    const by = formatDuration(ahead.at - last.wall);
    const message =
      `Claims and waits of the queue last longer: "${ahead.path}" was changed ${by} in the future, so that the clock was set back, or is not that of the file system`;
    return warning(check, message, next);
  }
  const span = formatDuration(last.mono - first.mono);
  return ok(
    check,
    `It says ${isoOf(last.wall)}, and kept step with the monotonic clock for ${span}`,
  );
}

/** By how much the wall clock went further than the other between two samples, where that is most. */
function largestStep(samples: readonly ClockSample[]): number {
  let largest = 0;
  let before: ClockSample | undefined;
  for (const sample of samples) {
    if (before !== undefined) {
      const step = (sample.wall - before.wall) - (sample.mono - before.mono);
      if (Math.abs(step) > Math.abs(largest)) largest = step;
    }
    before = sample;
  }
  return largest;
}

function isoOf(ms: number): string {
  const date = new Date(ms);
  return Number.isNaN(date.getTime()) ? `${ms} ms since 1970` : date.toISOString();
}
