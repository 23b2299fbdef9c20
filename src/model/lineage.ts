import { isPositiveInteger } from "./lease.ts";

/** The environment variable that marks every process of every run. */
export const LINEAGE_VARIABLE = "SKEIN_LINEAGE";

/** One ancestor of a process: which pass of which run started it, or its parent, or theirs. */
export interface LineageSegment {
  /** The swarm's id. */
  readonly swarm: string;
  /** The epoch of the run. */
  readonly epoch: number;
  /** The run. */
  readonly run: string;
  /** The claim's fencing token, 0 for a local run. */
  readonly token: number;
  /** The lease's sequence. */
  readonly sequence: number;
}

/**
 * The marker of a process: its ancestors' segments, an outer Skein's first. Of an outer text that is no marker
 * nothing is passed on.
 */
export function formatLineage(outer: string, segment: LineageSegment): string {
  return [...parseLineage(outer), segment].map(formatSegment).join("");
}

function formatSegment({ swarm, epoch, run, token, sequence }: LineageSegment): string {
  return `/${swarm}/${epoch}/${run}/${token}/${sequence}/`;
}

/** The slash that ends a segment is not taken: it may begin the next one behind a text that is no marker. */
const SEGMENT = /\/([^/]+)\/(\d+)\/([^/]+)\/(\d+)\/(\d+)(?=\/)/g;

/** Reads a marker. Text that is no marker has no segments. */
export function parseLineage(text: string): LineageSegment[] {
  const segments: LineageSegment[] = [];
  for (const match of text.matchAll(SEGMENT)) {
    const [, swarm = "", epoch, run = "", token, sequence] = match;
    const segment = {
      swarm,
      epoch: Number(epoch),
      run,
      token: Number(token),
      sequence: Number(sequence),
    };
    if (isPositiveInteger(segment.epoch)) segments.push(segment);
  }
  return segments;
}
