/**
 * Random graphs and the manifests that have them.
 *
 * @module
 */
import fc from "fast-check";
import { type ManifestInput, validateManifest } from "../../src/manifest/mod.ts";
import type { Manifest } from "../../src/model/mod.ts";

/** A node of a random graph. */
export interface Node {
  /** Its name. */
  readonly id: string;
  /** The names of those that come before it, somewhere in the list. */
  readonly needs: readonly string[];
}

/** Graphs without cycles, whose tasks stand in any order: a need may come later in the list than what needs it. */
export function graphs(most: number): fc.Arbitrary<readonly Node[]> {
  return fc.integer({ min: 1, max: most }).chain((size) => {
    const numbers = Array.from({ length: size }, (_, index) => index);
    const place = fc.nat(size - 1);
    return fc.record({
      order: fc.shuffledSubarray(numbers, { minLength: size, maxLength: size }),
      edges: fc.array(fc.tuple(place, place), { maxLength: size * 3 }),
    }).map(({ order, edges }) => {
      const needs = numbers.map(() => new Set<string>());
      for (const [a, b] of edges) {
        // Only from an earlier to a later place of the order: no cycle.
        if (a < b) needs[order[b] ?? 0]?.add(`t${order[a]}`);
      }
      return needs.map((set, index) => ({ id: `t${index}`, needs: [...set] }));
    });
  });
}

/** A manifest that must be valid. */
export function manifestOf(input: Omit<ManifestInput, "version">): Manifest {
  const decoded = validateManifest({ version: 1, ...input });
  if (decoded.ok) return decoded.manifest;
  throw new Error(decoded.diagnostics.map(({ path, message }) => `${path}: ${message}`).join("; "));
}

/** A manifest of a graph, every task of the block `work`. */
export function manifestOfGraph(
  nodes: readonly Node[],
  more: Partial<Omit<ManifestInput, "version" | "tasks">> = {},
): Manifest {
  return manifestOf({
    blocks: { work: { argv: ["work"] } },
    ...more,
    tasks: nodes.map(({ id, needs }) => ({ id, block: "work", needs: [...needs] })),
  });
}
