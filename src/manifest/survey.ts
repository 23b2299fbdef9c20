/** Deeper nesting than any manifest has; it keeps readers that recurse from overflowing. */
export const DEEPEST = 64;

/** What one pass over a JSON text shows without parsing it. */
export interface Survey {
  /** Colons outside strings and comments: the members of all objects, if the text is JSON. */
  readonly colons: number;
  /** Where the nesting first exceeds {@linkcode DEEPEST}, or -1. */
  readonly tooDeepAt: number;
}

const QUOTE = 0x22;
const SLASH = 0x2f;
const COLON = 0x3a;
const OPEN_BRACKET = 0x5b;
const CLOSE_BRACKET = 0x5d;
const OPEN_BRACE = 0x7b;
const CLOSE_BRACE = 0x7d;

/** Counts the colons and measures the nesting of a text that may be JSON, with or without comments. */
export function survey(text: string): Survey {
  let colons = 0;
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === QUOTE) i = endOfString(text, i);
    else if (code === COLON) colons++;
    else if (code === OPEN_BRACE || code === OPEN_BRACKET) {
      if (++depth > DEEPEST) return { colons, tooDeepAt: i };
    } else if (code === CLOSE_BRACE || code === CLOSE_BRACKET) depth--;
    else if (code === SLASH) i = endOfComment(text, i);
  }
  return { colons, tooDeepAt: -1 };
}

/** Where the string that opens at `start` ends: at its quote, or at the line break that cuts it off. */
function endOfString(text: string, start: number): number {
  for (let i = start + 1; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 0x5c) i++;
    else if (code === QUOTE || code === 0x0a || code === 0x0d) return i;
  }
  return text.length;
}

function endOfComment(text: string, start: number): number {
  const kind = text[start + 1];
  if (kind === "/") {
    for (let i = start + 2; i < text.length; i++) {
      const code = text.charCodeAt(i);
      if (code === 0x0a || code === 0x0d) return i;
    }
    return text.length;
  }
  if (kind !== "*") return start;
  const end = text.indexOf("*/", start + 2);
  return end < 0 ? text.length : end + 1;
}

/**
 * The members of all objects in a parsed value. Fewer than the colons of its text: a key stands twice, and the
 * parser kept the last one only.
 */
export function countMembers(value: unknown): number {
  if (typeof value !== "object" || value === null) return 0;
  let count = 0;
  if (Array.isArray(value)) {
    for (const item of value) {
      if (typeof item === "object") count += countMembers(item);
    }
    return count;
  }
  for (const key in value) count += 1 + countMembers((value as Record<string, unknown>)[key]);
  return count;
}

/** Line and column, from 1, of an offset; columns count UTF-16 units, as editors do. */
export function placeAt(text: string, offset: number): { line: number; column: number } {
  let line = 1;
  let start = 0;
  for (let i = 0; i < offset; i++) {
    const code = text.charCodeAt(i);
    if (code !== 0x0a && (code !== 0x0d || text.charCodeAt(i + 1) === 0x0a)) continue;
    line++;
    start = i + 1;
  }
  return { line, column: offset - start + 1 };
}
