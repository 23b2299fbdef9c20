import type { FoundProcess, LineageSegment, ProcessIdentity } from "../model/mod.ts";

/** Which processes a search is for: those with a segment that this accepts. */
export type Belongs = (segment: LineageSegment) => boolean;

/** A process that a search has found, with the segment that it was found by; its ancestor's where it has none. */
export interface TrackedProcess extends FoundProcess {
  /** The marker's segment, `null` for a process that was named and not marked. */
  readonly segment: LineageSegment | null;
  /** Whether a search was told of it: orphans may be handed to it, and are found through it while it is there. */
  readonly named?: boolean;
}

/** What one look over the machine found. */
export interface Sweep {
  /** Living processes that belong, and all of their trees. */
  readonly found: readonly TrackedProcess[];
  /** Whether everything was looked at that was there by the end of the look. */
  readonly complete: boolean;
  /** `false` where a process appeared or could not be read while it was looked at. */
  readonly conclusive: boolean;
  /** What could not be looked at, for a reader. */
  readonly problems: readonly string[];
}

/** A search that remembers what it has found, so that what it has found once it finds again. */
export interface Finder {
  /** Adds a process that belongs without a marker, with its whole tree. */
  include(process: ProcessIdentity): void;
  /** Looks over the machine once. */
  sweep(): Promise<Sweep>;
}

/** A pass whose main process has ended. */
export interface EndedPass {
  /** Its main process, which led a session and a group. */
  readonly leader: number;
  /** Its lease's sequence. */
  readonly sequence: number;
}

/** Ends what the passes of one run leave behind. */
export interface Leftovers {
  /** A pass has been started. */
  began(pass: EndedPass): void;
  /** Its main process has ended: kills the rest of its tree, and nothing of another pass. Returns how many there were. */
  endPass(pass: EndedPass): Promise<number>;
  /** Every pass has ended: kills whatever is left of the run, and returns what could not be ended. */
  endRun(): Promise<readonly string[]>;
}

/** The run whose leftovers are ended. */
export interface RunMark {
  /** The swarm's id. */
  readonly swarm: string;
  /** The run. */
  readonly runId: string;
  /** The claim's fencing token, 0 for a local run: another claim's processes are somebody else's. */
  readonly token: number;
  /** Whether this process may adopt orphans: only where its only children are the run's. */
  readonly adopt: boolean;
}

/** A program to start. */
export interface LaunchRequest {
  /** The program and its arguments. */
  readonly argv: readonly string[];
  /** Its folder, absolute. */
  readonly cwd: string;
  /** Its whole environment. */
  readonly env: Readonly<Record<string, string>>;
}

/** How a program is started, so that it leads a session of its own. */
export interface Launch {
  /** What the runtime starts: the program, or what makes the session and becomes the program. */
  readonly program: string;
  /** Its arguments. */
  readonly args: readonly string[];
  /** Whether the runtime makes the session. */
  readonly detached: boolean;
  /** Called once it has been started. */
  started?(): void;
}

/** What a platform can do to processes. */
export interface Platform {
  /** This process. */
  self(): ProcessIdentity;
  /** Another process as it is now; its start time is empty where it is not there. */
  identify(pid: number): ProcessIdentity;
  /** Whether the very process is still running. */
  isAlive(process: ProcessIdentity): boolean;
  /** Whether it cannot see markers, so that what has left its tree is never found. */
  readonly blind?: boolean;
  /** Searches for the processes that belong. */
  finder(belongs: Belongs): Finder;
  /** Processes that have a file open, whoever they are; what could not be looked at is left out. */
  openers(path: string): ProcessIdentity[];
  /** How to start a program in a session of its own. */
  launch(request: LaunchRequest): Launch;
  /** Ends what the passes of a run leave behind. */
  leftovers(run: RunMark): Leftovers;
  /**
   * Takes dead children off the process table that this process has inherited and not started, as process 1 must;
   * `null` where it cannot.
   */
  reapInherited(): Disposable | null;
  /** Signals one process if it still is the same one. `false` where it is gone. */
  signal(process: ProcessIdentity, signal: Deno.Signal): boolean;
  /** Signals a tree by the process that leads it: its group, then itself. */
  signalTree(leader: number, signal: Deno.Signal): void;
  /** Signals what is left of the group of a process that has ended. */
  signalGroup(leader: number, signal: Deno.Signal): void;
  /** The programs that it looks and signals through where not every program may be started. */
  readonly tools: readonly string[];
}

/** The runtime makes the session. */
export function launchDetached({ argv: [program = "", ...args] }: LaunchRequest): Launch {
  return { program, args, detached: true };
}

/** A process for a reader. */
export function identityText(
  { pid, startTime, bootId, command }: ProcessIdentity & { command?: string },
): string {
  const parts = [`pid ${pid}`, `started ${startTime}`, ...bootId === "" ? [] : [`boot ${bootId}`]];
  return `${parts.join(", ")}${command === undefined ? "" : `: ${command}`}`;
}
