/** What a progress line shows. */
export interface ProgressView {
  /** Tasks in all. */
  readonly total: number;
  /** Tasks that have ended. */
  readonly done: number;
  /** Tasks that run now. */
  readonly running: number;
  /** Tasks that failed. */
  readonly failed: number;
  /** Since the start, in milliseconds. */
  readonly elapsedMs: number;
}

/** One line: done, running, failed, elapsed. */
export function progressLine({ total, done, running, failed, elapsedMs }: ProgressView): string {
  return `${done}/${total} done, ${running} running, ${failed} failed, ${
    formatDuration(elapsedMs)
  }`;
}

/** A duration as a person reads it: `340 ms`, `2.5 s`, `3 min 20 s`, `2 h 5 min`. */
export function formatDuration(ms: number): string {
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor(seconds % 3600 / 60)} min`;
}

/** A number of bytes as a person reads it. */
export function formatBytes(bytes: number): string {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let value = bytes;
  let unit = 0;
  // What would be written as 1024.0 is one of the next unit.
  while (value >= 1023.95 && unit < units.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${unit === 0 ? value : value.toFixed(1)} ${units[unit] ?? ""}`;
}

/** A number with its noun. */
export function plural(count: number, one: string, many = `${one}s`): string {
  return `${count} ${count === 1 ? one : many}`;
}
