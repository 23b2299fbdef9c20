import { systemClock } from "../clock/mod.ts";
import type { LineageSegment, ProcessIdentity } from "../model/mod.ts";
import type { Eyes, Look } from "./linux_eyes.ts";
import { isWrapper } from "./linux_launch.ts";
import { isDead, type Seen, type Stat } from "./linux_proc.ts";
import type { Belongs, Finder, Sweep, TrackedProcess } from "./platform.ts";

/** How long one sweep may look for what was started during its last look, in milliseconds. */
const LOOKING_MS = 1000;
/** The same where something was found: it is to be frozen before it starts more. */
const FOUND_MS = 30;
const UNREADABLE = "its environment cannot be read while it executes its program";
const TOO_FAST = "processes are started faster than they can be looked at";

/** How a process came to be ours: its own segment, or that of whoever it was found by. */
type Ours = Map<number, { readonly stat: Stat; readonly segment: LineageSegment | null }>;

/** Searches the machine: by marker, by parent, by session and group, and by what it has found before. */
export class LinuxFinder implements Finder {
  readonly #belongs: Belongs;
  readonly #eyes: Eyes;
  readonly #place: Pick<ProcessIdentity, "bootId" | "pidNamespace">;
  readonly #commandOf: (pid: number) => string | null;
  /** What was found, by pid. */
  readonly #known = new Map<number, { startTime: string; segment: LineageSegment | null }>();
  /** What it was told of: the start time by pid. */
  readonly #named = new Map<number, string>();
  /** Sessions and groups that what was found leads. */
  readonly #led = new Map<number, LineageSegment | null>();

  /** Makes a search. */
  constructor(
    belongs: Belongs,
    eyes: Eyes,
    place: Pick<ProcessIdentity, "bootId" | "pidNamespace">,
    commandOf: (pid: number) => string | null,
  ) {
    this.#belongs = belongs;
    this.#eyes = eyes;
    this.#place = place;
    this.#commandOf = commandOf;
  }

  /** Adds a process that belongs without a marker. */
  include({ pid, startTime, bootId, pidNamespace }: ProcessIdentity): void {
    if (bootId !== this.#place.bootId || pidNamespace !== this.#place.pidNamespace) return;
    this.#known.set(pid, { startTime, segment: null });
    this.#named.set(pid, startTime);
  }

  /**
   * Looks at everything, then at what was started meanwhile and at what could not be told, until there is no more of
   * either. Where there always is, what was found by then is returned: a machine that starts processes faster than
   * they can be looked at keeps nothing alive, and nothing is concluded.
   */
  async sweep(): Promise<Sweep> {
    const seen = new Map<number, Seen>();
    const { last, own } = await this.#eyes.some([]);
    const used = new Set(own);
    let before = last;
    let unclear: Seen[] = [];
    /** The parent of a process, once it was asked for and is not to be seen. */
    const unseen = new Map<number, number>();
    let look: Look = await this.#eyes.all();
    const began = systemClock.mono();
    for (let returnsAt = began + FOUND_MS;;) {
      for (const { stat } of unclear) seen.delete(stat.pid);
      for (const one of look.seen) seen.set(one.stat.pid, one);
      for (const pid of look.own) used.add(pid);
      const all = [...seen.values()];
      const handedOn = all.filter((one) => this.#isHandedOn(one, seen, unseen));
      for (const { stat } of handedOn) unseen.set(stat.pid, stat.parent);
      unclear = [...handedOn, ...all.filter((one) => this.#isPassing(one))];
      const started = pidsBetween(before, look.last)?.filter((pid) => !used.has(pid));
      // Parents before children: a child that names the same one after that has one that nobody can see.
      const parents = handedOn.map(({ stat }) => stat.parent);
      const again = new Set([...parents, ...unclear.map(({ stat }) => stat.pid)]);
      const next = started === undefined ? null : [...started, ...again];
      before = look.last;
      if (next?.length === 0) {
        const found = this.#ours(seen);
        return { found, complete: true, conclusive: found.length === 0, problems: [] };
      }
      const now = systemClock.mono();
      if (now > returnsAt) {
        returnsAt = now + FOUND_MS;
        const found = this.#ours(seen);
        if (found.length > 0 || now - began > LOOKING_MS) {
          const problems = unclear.filter((one) => this.#isPassing(one))
            .map(({ stat }) => `process ${stat.pid} (${stat.name}): ${UNREADABLE}`);
          return { found, complete: false, conclusive: false, problems: [...problems, TOO_FAST] };
        }
      }
      look = next === null ? await this.#eyes.all() : await this.#eyes.some(next);
    }
  }

  #isPassing({ stat, passing }: Seen): boolean {
    return passing && !isDead(stat.state) && !this.#known.has(stat.pid);
  }

  /** Whether its parent has ended during the look: it has another by now, and may be ours by that one. */
  #isHandedOn(
    { stat }: Seen,
    seen: ReadonlyMap<number, Seen>,
    unseen: ReadonlyMap<number, number>,
  ): boolean {
    if (stat.parent === 0 || isDead(stat.state) || this.#known.has(stat.pid)) return false;
    return isDead(seen.get(stat.parent)?.stat.state ?? "X") &&
      unseen.get(stat.pid) !== stat.parent;
  }

  /** Marked ∪ known ∪ members of led sessions and groups ∪ descendants of all these, without this process. */
  #ours(seen: Map<number, Seen>): TrackedProcess[] {
    const ours: Ours = new Map();
    const children = Map.groupBy(seen.values(), ({ stat }) => stat.parent);
    for (let before = -1; before < ours.size;) {
      before = ours.size;
      for (const one of seen.values()) this.#claim(one, seen, ours);
      for (const { stat, segment } of ours.values()) {
        // A map iterates what is added to it meanwhile: this walks the whole tree.
        for (const child of children.get(stat.pid) ?? []) {
          if (!ours.has(child.stat.pid)) ours.set(child.stat.pid, { stat: child.stat, segment });
        }
      }
      for (const { stat, segment } of ours.values()) this.#remember(stat, segment);
    }
    ours.delete(Deno.pid);
    return [...ours.values()].filter(({ stat }) => !isDead(stat.state))
      .map(({ stat, segment }) => this.#describe(stat, segment));
  }

  #claim({ stat, lineage }: Seen, seen: Map<number, Seen>, ours: Ours): void {
    if (ours.has(stat.pid)) return;
    const marked = lineage.findLast(this.#belongs);
    const known = this.#known.get(stat.pid);
    const leading = this.#led.get(stat.session) ?? this.#led.get(stat.group);
    if (marked !== undefined) {
      ours.set(stat.pid, { stat, segment: marked });
      // It has not become its program, and may stand in the session of whoever started it still.
      if (isWrapper(stat.name, () => this.#commandOf(stat.pid) ?? "")) return;
      // Every pass leads a session, so that of a marked process is ours, unless a stranger leads it, or who looks.
      const self = seen.get(Deno.pid)?.stat;
      for (const led of [stat.session, stat.group]) {
        const own = led === self?.session || led === self?.group;
        if (!seen.has(led) && !own) this.#led.set(led, marked);
      }
    } else if (known?.startTime === stat.startTime) {
      ours.set(stat.pid, { stat, segment: known.segment });
    } else if (leading !== undefined) {
      ours.set(stat.pid, { stat, segment: leading });
    }
  }

  #remember(stat: Stat, segment: LineageSegment | null): void {
    this.#known.set(stat.pid, { startTime: stat.startTime, segment });
    // A named process need not lead its own: an orchestrator may stand in somebody's terminal session.
    if (segment === null) return;
    if (stat.session === stat.pid) this.#led.set(stat.session, segment);
    if (stat.group === stat.pid) this.#led.set(stat.group, segment);
  }

  #describe(stat: Stat, segment: LineageSegment | null): TrackedProcess {
    const line = this.#commandOf(stat.pid) ?? "";
    const command = (line === "" ? `[${stat.name}]` : line).slice(0, 200);
    const named = this.#named.get(stat.pid) === stat.startTime ? { named: true } : {};
    return { ...this.#place, pid: stat.pid, startTime: stat.startTime, command, segment, ...named };
  }
}

/** The pids that were given out between two moments, `null` where the numbering has begun anew. */
function pidsBetween(before: number, after: number): number[] | null {
  if (after < before) return null;
  return Array.from({ length: after - before }, (_, index) => before + 1 + index);
}
