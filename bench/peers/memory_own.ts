/**
 * One of `bench/candidates.ts` as a process that is asked for samples.
 *
 * @module
 */
import { prepare } from "../candidates.ts";
import type { Shape } from "../graphs.ts";
import { serveGraphs } from "./memory_graphs.ts";

const [name = ""] = Deno.args;

await serveGraphs(({ shape, count }) => {
  const candidates = prepare(shape as Shape, Number(count));
  return candidates[name as keyof typeof candidates];
});
