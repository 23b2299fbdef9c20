/** Which process: a pid alone may be somebody else by now. */
export interface ProcessIdentity {
  /** The machine's boot; empty where the platform has no such id. */
  readonly bootId: string;
  /** The pid namespace; empty where the platform has none. */
  readonly pidNamespace: string;
  /** The process id in that namespace. */
  readonly pid: number;
  /** When it started, in the platform's own unit; empty where it is not known. */
  readonly startTime: string;
}

/** A process that was found, with its command for a reader. */
export interface FoundProcess extends ProcessIdentity {
  /** The command line, shortened. */
  readonly command: string;
}

/** What a kill came to. */
export interface KillReport {
  /** Processes that were killed and are gone. */
  readonly killed: number;
  /** Processes that are still there. */
  readonly survivors: readonly FoundProcess[];
  /** What could not be done or looked at. Not empty: the answer is inconclusive. */
  readonly failed: readonly string[];
}
