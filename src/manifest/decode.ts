import type { Diagnostic, Manifest } from "../model/mod.ts";
import { resolve } from "@std/path";
import { accepts } from "./accepts.ts";
import { canonical } from "./canonical.ts";
import { plainCopy } from "./plain.ts";
import { withoutPlace } from "./problem.ts";
import { checkReferences } from "./references.ts";
import { structureProblems } from "./structure_problems.ts";

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

/**
 * Decodes a manifest that is a value and not a text, as strictly as a text: plain objects and lists only, no
 * unknown keys. Line and column of the diagnostics are 0. Relative paths are resolved against `folder`, by
 * default the current one.
 */
export function validateManifest(
  value: unknown,
  { folder = Deno.cwd() }: { folder?: string } = {},
): Decoded {
  const { copy, problems: strange } = plainCopy(value);
  const shape = accepts(copy) ? copy : null;
  const { problems: wrongNames, links } = checkReferences(copy);
  const problems = [...shape === null ? structureProblems(copy) : [], ...wrongNames];
  const manifest = shape === null || strange.length > 0
    ? null
    : canonical(shape, problems.length === 0 ? links : null, (path) => resolve(folder, path));
  if (manifest !== null && problems.length === 0) return { ok: true, manifest };
  // What was not copied looks missing or of a wrong type: it is named once, for what it is.
  const places = new Set(strange.map(withoutPlace).map(({ path }) => path));
  const diagnostics = [
    ...strange.map(withoutPlace),
    ...problems.map(withoutPlace).filter(({ path }) => !places.has(path)),
  ];
  return { ok: false, diagnostics, draft: manifest };
}
