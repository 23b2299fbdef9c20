/**
 * What two binaries differ in.
 *
 * @module
 */

/** Differences that are so near to each other count as one. */
const NEAR = 16;

/** A part that is not the same. */
export interface Difference {
  /** Where it begins. */
  readonly offset: number;
  /** Bytes from the first to the last that differ. */
  readonly length: number;
  /** What stands around it in the first binary, with a point for each byte that cannot be printed. */
  readonly around: string;
}

/** The parts in which two binaries differ; a length that differs is a part at the end of the shorter one. */
export function differencesOf(a: Uint8Array, b: Uint8Array): Difference[] {
  const found: { offset: number; end: number }[] = [];
  const note = (offset: number, end: number) => {
    const last = found.at(-1);
    if (last !== undefined && offset - last.end < NEAR) last.end = end;
    else found.push({ offset, end });
  };
  const shorter = Math.min(a.length, b.length);
  for (let at = 0; at < shorter; at++) if (a[at] !== b[at]) note(at, at + 1);
  if (a.length !== b.length) note(shorter, Math.max(a.length, b.length));
  return found.map(({ offset, end }) => ({
    offset,
    length: end - offset,
    around: printable(a.subarray(Math.max(0, offset - 40), Math.min(end, offset + 40) + 40)),
  }));
}

function printable(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte >= 32 && byte < 127 ? String.fromCharCode(byte) : ".")
    .join("");
}
