import type { LineageSegment, ProcessIdentity } from "../model/mod.ts";
import { parsePs, type PsRow } from "./macos_ps.ts";
import type { Belongs, Finder, Sweep } from "./platform.ts";

/** The columns of {@linkcode parsePs}, the environment behind the command. */
export const PS_COLUMNS: readonly string[] = [
  "-Eww",
  "-o",
  "pid=,ppid=,pgid=,state=,lstart=,command=",
];

/** The living processes that `ps` printed. */
export function psRows(text: string): PsRow[] {
  return parsePs(text).filter((row) => !row.state.startsWith("Z"));
}

/** One process, `undefined` where it is gone. */
export function rowOf(pid: number): PsRow | undefined {
  const { stdout } = new Deno.Command("ps", {
    args: ["-p", String(pid), ...PS_COLUMNS],
    env: { LC_ALL: "C" },
    stdin: "null",
    stderr: "null",
  }).outputSync();
  return psRows(new TextDecoder().decode(stdout)).find((row) => row.pid === pid);
}

type Ours = Map<number, { readonly row: PsRow; readonly segment: LineageSegment | null }>;

/**
 * Searches what `ps` shows: by marker where the system shows the environment, by parent, by group, and by what it has
 * found before. Two looks must agree: there is no way to see what was started in between.
 */
export class PsFinder implements Finder {
  readonly #belongs: Belongs;
  readonly #look: () => Promise<PsRow[]>;
  readonly #known = new Map<number, { startTime: string; segment: LineageSegment | null }>();
  readonly #led = new Map<number, LineageSegment | null>();

  /** Makes a search. */
  constructor(belongs: Belongs, look: () => Promise<PsRow[]>) {
    this.#belongs = belongs;
    this.#look = look;
  }

  /** Adds a process that belongs without a marker. */
  include({ pid, startTime }: ProcessIdentity): void {
    this.#known.set(pid, { startTime, segment: null });
  }

  /** Looks twice. */
  async sweep(): Promise<Sweep> {
    let ours = this.#ours(await this.#look());
    if (ours.size === 0) ours = this.#ours(await this.#look());
    const found = [...ours.values()].map(({ row, segment }) => {
      const { pid, startTime, command } = row;
      return {
        bootId: "",
        pidNamespace: "",
        pid,
        startTime,
        command: command.slice(0, 200),
        segment,
      };
    });
    return { found, complete: true, conclusive: found.length === 0, problems: [] };
  }

  #ours(rows: readonly PsRow[]): Ours {
    const ours: Ours = new Map();
    for (const row of rows) {
      const segment = this.#segmentOf(row);
      if (segment !== undefined) ours.set(row.pid, { row, segment });
    }
    for (const { row, segment } of ours.values()) {
      // A map iterates what is added to it meanwhile: this walks the whole tree.
      for (const child of rows) {
        if (child.parent === row.pid && !ours.has(child.pid)) {
          ours.set(child.pid, { row: child, segment });
        }
      }
    }
    ours.delete(Deno.pid);
    for (const { row, segment } of ours.values()) {
      this.#known.set(row.pid, { startTime: row.startTime, segment });
      if (segment !== null && row.group === row.pid) this.#led.set(row.group, segment);
    }
    return ours;
  }

  #segmentOf(row: PsRow): LineageSegment | null | undefined {
    const known = this.#known.get(row.pid);
    if (known?.startTime === row.startTime) return known.segment;
    return row.lineage.findLast(this.#belongs) ?? this.#led.get(row.group);
  }
}
