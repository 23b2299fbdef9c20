/**
 * The graphs that are timed: what every candidate is given is the same list of tasks.
 *
 * @module
 */
import { validateManifest } from "../src/manifest/mod.ts";
import type { Manifest } from "../src/model/mod.ts";

/** A shape of graph. */
export type Shape = "independent" | "chain" | "fan-out-join";

/** Every shape. */
export const SHAPES: readonly Shape[] = ["independent", "chain", "fan-out-join"];

/** Tasks at the same time, for every candidate that has such a bound. */
export const WORKERS = 8;

/** A manifest of `count` tasks. */
export function manifestOf(shape: Shape, count: number): Manifest {
  const decoded = validateManifest({
    version: 1,
    workers: WORKERS,
    blocks: { work: { argv: ["work"] } },
    tasks: Array.from({ length: count }, (_, index) => ({
      id: `t${index}`,
      block: "work",
      needs: needsOf(shape, index, count).map((need) => `t${need}`),
    })),
  });
  if (decoded.ok) return decoded.manifest;
  throw new Error(decoded.diagnostics[0]?.message);
}

/** The numbers of a task's needs. In a fan-out-join the first task feeds all, and the last one needs all. */
export function needsOf(shape: Shape, index: number, count: number): number[] {
  if (shape === "independent" || index === 0) return [];
  if (shape === "chain") return [index - 1];
  return index < count - 1 ? [0] : Array.from({ length: count - 2 }, (_, each) => each + 1);
}
