import type { FoundProcess, LineageSegment, ProcessIdentity } from "../model/mod.ts";

/** Which processes a search is for: those with a segment that this accepts. */
export type Belongs = (segment: LineageSegment) => boolean;

/** What one look over the machine found. */
export interface Sweep {
  /** Living processes that belong, and all of their trees. */
  readonly found: readonly FoundProcess[];
  /** `false` where a process appeared or could not be read while it was looked at. */
  readonly conclusive: boolean;
  /** What could not be looked at, for a reader. */
  readonly problems: readonly string[];
}

/** A search that remembers what it has found, so that what it has found once it finds again. */
export interface Finder {
  /** Looks over the machine once. */
  sweep(): Sweep;
}

/** What a platform can do to processes. */
export interface Platform {
  /** This process. */
  self(): ProcessIdentity;
  /** Whether the very process is still running. */
  isAlive(process: ProcessIdentity): boolean;
  /** Searches for the processes that belong. */
  finder(belongs: Belongs): Finder;
  /** Signals one process if it still is the same one. `false` where it is gone. */
  signal(process: ProcessIdentity, signal: Deno.Signal): boolean;
  /** Signals a tree by the process that leads it: its group, then itself. */
  signalTree(leader: number, signal: Deno.Signal): void;
  /** Signals what is left of the group of a process that has ended. */
  signalGroup(leader: number, signal: Deno.Signal): void;
}
