import type { Diagnostic, Manifest } from "../model/mod.ts";
import { canonical } from "./canonical.ts";
import { plainCopy } from "./plain.ts";
import { type Problem, withoutPlace } from "./problem.ts";
import { checkReferences } from "./references.ts";
import { readStructure, type Structure } from "./structure.ts";

/** A manifest, or everything that is wrong with the document. */
export type Decoded =
  | { readonly ok: true; readonly manifest: Manifest }
  | {
    readonly ok: false;
    /** Every problem, in the order of the document. */
    readonly diagnostics: readonly Diagnostic[];
    /** The manifest as far as it goes, where only names or the graph are wrong: good to draw, not to run. */
    readonly draft: Manifest | null;
  };

/** What checking a value gives. */
export interface Checked {
  /** Its structure, if that is right. */
  readonly structure: Structure | null;
  /** Every problem of structure, names and graph. */
  readonly problems: readonly Problem[];
}

/** Checks a value that a JSON text could have said: all problems at once. */
export function checkValue(value: unknown): Checked {
  const { structure, problems } = readStructure(value);
  return { structure, problems: [...problems, ...checkReferences(value)] };
}

/**
 * Decodes a manifest that is a value and not a text, as strictly as a text: plain objects and lists only, no
 * unknown keys. Line and column of the diagnostics are 0. Relative paths are resolved against `folder`, by
 * default the current one.
 */
export function validateManifest(value: unknown, { folder }: { folder?: string } = {}): Decoded {
  const { copy, problems: strange } = plainCopy(value);
  const { structure, problems } = checkValue(copy);
  if (strange.length === 0 && problems.length === 0 && structure !== null) {
    return { ok: true, manifest: canonical(structure, folder) };
  }
  // What was not copied looks missing or of a wrong type: it is named once, for what it is.
  const places = new Set(strange.map(withoutPlace).map(({ path }) => path));
  const diagnostics = [
    ...strange.map(withoutPlace),
    ...problems.map(withoutPlace).filter(({ path }) => !places.has(path)),
  ];
  const draft = structure !== null && strange.length === 0 ? canonical(structure, folder) : null;
  return { ok: false, diagnostics, draft };
}
