/** What was changed this recently may be changed again without a trace, in milliseconds. */
export const SETTLED_MS = 2000;

/** What tells that a file or a folder is the very one that it was, with what it held. */
export interface Identity {
  /** The same text, the same thing. */
  readonly text: string;
  /** When it was last changed, in milliseconds. */
  readonly changedAt: number;
}

/** Identifies what is at a path; `null` where that cannot be looked at. */
export function identify(path: string): Identity | null {
  try {
    const { dev, ino, size, ctime, mtime } = Deno.lstatSync(path);
    const changedAt = Math.max(ctime?.getTime() ?? Infinity, mtime?.getTime() ?? 0);
    return { text: `${dev}:${ino}:${size}:${changedAt}`, changedAt };
  } catch {
    return null;
  }
}
