import type { FoundProcess, ProcessIdentity } from "../model/mod.ts";
import { parsePs, type PsRow } from "./macos_ps.ts";
import type { Belongs, Finder, Platform, Sweep } from "./platform.ts";
import { signalGroup, signalPid } from "./signals.ts";

const decoder = new TextDecoder();

/** macOS and the other systems with a BSD `ps`: its environment column shows the marker where it may. */
export const macos: Platform = {
  self: () => identify(Deno.pid),
  isAlive: (process) => identify(process.pid).startTime === process.startTime,
  finder: (belongs) => new PsFinder(belongs),
  signal: (process, signal) => macos.isAlive(process) && signalPid(process.pid, signal),
  signalTree(leader, signal) {
    signalGroup(leader, signal);
    signalPid(leader, signal);
  },
  signalGroup,
};

class PsFinder implements Finder {
  readonly #belongs: Belongs;
  readonly #known = new Map<number, string>();
  readonly #led = new Set<number>();

  constructor(belongs: Belongs) {
    this.#belongs = belongs;
  }

  sweep(): Sweep {
    const rows = ps([]);
    const ours = new Map<number, PsRow>();
    for (const row of rows) {
      const known = this.#known.get(row.pid) === row.startTime;
      if (known || this.#led.has(row.group) || row.lineage.some(this.#belongs)) {
        ours.set(row.pid, row);
      }
    }
    for (const row of ours.values()) {
      for (const child of rows) if (child.parent === row.pid) ours.set(child.pid, child);
    }
    ours.delete(Deno.pid);
    for (const row of ours.values()) {
      this.#known.set(row.pid, row.startTime);
      if (row.group === row.pid) this.#led.add(row.group);
    }
    const found = [...ours.values()].filter((row) => !row.state.startsWith("Z")).map(describe);
    return { found, conclusive: found.length === 0, problems: [] };
  }
}

function identify(pid: number): ProcessIdentity {
  const row = ps(["-p", String(pid)]).find((one) => one.pid === pid);
  return { bootId: "", pidNamespace: "", pid, startTime: row?.startTime ?? "" };
}

function ps(which: readonly string[]): PsRow[] {
  const { stdout } = new Deno.Command("ps", {
    args: [
      ...which.length === 0 ? ["-ax"] : which,
      "-Eww",
      "-o",
      "pid=,ppid=,pgid=,state=,lstart=,command=",
    ],
    env: { LC_ALL: "C" },
    stdin: "null",
    stderr: "null",
  }).outputSync();
  return parsePs(decoder.decode(stdout));
}

function describe(row: PsRow): FoundProcess {
  const { pid, startTime, command } = row;
  return { bootId: "", pidNamespace: "", pid, startTime, command: command.slice(0, 200) };
}
