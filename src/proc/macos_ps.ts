import { LINEAGE_VARIABLE, type LineageSegment, parseLineage } from "../model/mod.ts";

/** One line of `ps -Eww -o pid=,ppid=,pgid=,state=,lstart=,command=`. */
export interface PsRow {
  /** The process id. */
  readonly pid: number;
  /** Its parent. */
  readonly parent: number;
  /** Its process group. */
  readonly group: number;
  /** Its state; a dead one starts with `Z`. */
  readonly state: string;
  /** Such as `Sun Nov 29 17:45:25 2026`. */
  readonly startTime: string;
  /** Its command line, then its environment where that may be seen. */
  readonly command: string;
  /** The marker in it. */
  readonly lineage: readonly LineageSegment[];
}

const ROW = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\w{3}\s+\w{3}\s+\d+\s+[\d:]{8}\s+\d{4})\s*(.*)$/;

/** Reads what `ps` prints. Lines of another form are passed over. */
export function parsePs(text: string): PsRow[] {
  const rows: PsRow[] = [];
  for (const line of text.split("\n")) {
    const match = ROW.exec(line);
    if (match === null) continue;
    const [, pid, parent, group, state = "", startTime = "", command = ""] = match;
    // An argument may look like the marker: every one on the line counts.
    const markers = command.matchAll(new RegExp(`(?<=^| )${LINEAGE_VARIABLE}=(\\S*)`, "g"));
    rows.push({
      pid: Number(pid),
      parent: Number(parent),
      group: Number(group),
      state,
      startTime,
      command,
      lineage: [...markers].flatMap(([, marker = ""]) => parseLineage(marker)),
    });
  }
  return rows;
}
