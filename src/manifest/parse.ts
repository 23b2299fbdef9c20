import type { Diagnostic, Manifest } from "../model/mod.ts";
import { resolverFrom } from "../disk/resolve.ts";
import { accepts } from "./accepts.ts";
import { canonical } from "./canonical.ts";
import type { Decoded } from "./decode.ts";
import { checkReferences, type References } from "./references.ts";
import type { ManifestShape } from "./schema.ts";
import { countMembers, DEEPEST, placeAt, survey } from "./survey.ts";

/** Longer documents are refused before they are parsed. */
export const LONGEST_TEXT = 268_435_456;

/** Where a text comes from and how it is to be read. */
export interface ParseOptions {
  /** What the document is called, such as `swarm.jsonc`. */
  readonly file?: string;
  /** The folder, absolute, that relative paths are resolved against; by default the current one. */
  readonly folder?: string;
  /** Whether comments and trailing commas are allowed; by default in a file that ends in `.jsonc`. */
  readonly comments?: boolean;
}

/** A value and what is wrong with its text. */
interface ReadText {
  readonly value: unknown;
  readonly whole: boolean;
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Decodes a manifest from a text, or from the bytes of one: every problem at once, with line, column and path.
 * Never throws for what the document says.
 */
export async function parseManifest(
  source: string | Uint8Array,
  { file = "", folder = Deno.cwd(), comments = file.toLowerCase().endsWith(".jsonc") }:
    ParseOptions = {},
): Promise<Decoded> {
  const decoded = typeof source === "string" ? source : textOf(source);
  if (typeof decoded !== "string") return refusal([decoded]);
  const text = decoded.startsWith("\uFEFF") ? decoded.slice(1) : decoded;
  const read = await readText(text, comments);
  if (!read.whole) return refusal(read.diagnostics);
  const { shape, problems, links } = await check(read.value);
  const manifest = shape === null || read.diagnostics.length > 0
    ? null
    : canonical(shape, problems.length === 0 ? links : null, await resolverFrom(folder));
  if (manifest !== null && problems.length === 0) return { ok: true, manifest };
  const { locate } = await import("./locate.ts");
  return refusal([...read.diagnostics, ...locate(text, problems)], manifest);
}

/** What checking a value gives: a manifest with its defaults if its structure is right, and every problem. */
interface Checked extends References {
  readonly shape: ManifestShape | null;
}

/** The library of the definition is loaded only for what is refused, to say why. */
async function check(value: unknown): Promise<Checked> {
  const { problems, links } = checkReferences(value);
  if (accepts(value)) return { shape: value, problems, links };
  const { structureProblems } = await import("./structure_problems.ts");
  return { shape: null, problems: [...structureProblems(value), ...problems], links };
}

function refusal(diagnostics: readonly Diagnostic[], draft: Manifest | null = null): Decoded {
  const sorted = diagnostics.toSorted((a, b) => a.line - b.line || a.column - b.column);
  return { ok: false, diagnostics: sorted, draft };
}

/** The runtime's parser reads what is right; the library that explains is loaded only for what is not. */
async function readText(text: string, comments: boolean): Promise<ReadText> {
  if (text.length > LONGEST_TEXT) return hopeless(tooLong(text.length));
  const { colons, tooDeepAt } = survey(text);
  if (tooDeepAt >= 0) {
    const message = `Expected at most ${DEEPEST} levels of lists and objects, found more`;
    return hopeless({ code: "too-deep", message, path: "$", ...placeAt(text, tooDeepAt) });
  }
  const parsed = parseStrictly(text);
  if ("value" in parsed && countMembers(parsed.value) === colons) {
    return { value: parsed.value, whole: true, diagnostics: [] };
  }
  const { readTolerantly } = await import("./explain.ts");
  const read = readTolerantly(text, { comments });
  // The two parsers agree on what JSON is; should they not, the stricter one has the last word.
  const unexplained = !comments && "error" in parsed && read.diagnostics.length === 0;
  return unexplained ? hopeless({ ...START, code: "syntax", message: parsed.error }) : read;
}

const START = { path: "$", line: 1, column: 1 } as const;

function parseStrictly(text: string): { value: unknown } | { error: string } {
  try {
    return { value: JSON.parse(text) };
  } catch (error) {
    if (error instanceof SyntaxError) return { error: error.message };
    throw error;
  }
}

function hopeless(diagnostic: Diagnostic): ReadText {
  return { value: undefined, whole: false, diagnostics: [diagnostic] };
}

function tooLong(length: number): Diagnostic {
  const message = `Expected at most ${LONGEST_TEXT} bytes, found ${length}`;
  return { ...START, code: "too-long", message };
}

/** The text of bytes that are UTF-8, or where they are not. */
function textOf(bytes: Uint8Array): string | Diagnostic {
  if (bytes.length > LONGEST_TEXT) return tooLong(bytes.length);
  // The lenient decoder is several times faster than the fatal one, and marks what is wrong.
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
  if (!text.includes("\uFFFD")) return text;
  // Encoded again, the text differs from the first wrong byte on, unless the mark itself was in the bytes.
  const again = new TextEncoder().encode(text);
  const wrongAt = bytes.findIndex((byte, index) => byte !== again[index]);
  if (wrongAt < 0) return text;
  const before = new TextDecoder().decode(bytes.subarray(0, wrongAt));
  const message = `Expected UTF-8 text, found byte 0x${bytes[wrongAt]?.toString(16)}`;
  return { code: "not-utf8", message, path: "$", ...placeAt(before, before.length) };
}
