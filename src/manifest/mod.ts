/**
 * From a document to a manifest and its graph. Owns the one definition of what a manifest may say, and every
 * diagnostic with its line, column and path; refuses to run, inherit or look up anything that a manifest names;
 * holds the first half of promise G6: what was not asked for (unknown and repeated keys, unknown names, cycles)
 * is refused before anything starts.
 *
 * @module
 */
export { shortestCycle } from "./cycle.ts";
export { type Decoded, validateManifest } from "./decode.ts";
export { formatDiagnostic, ManifestError } from "./error.ts";
export { compileGraph, frozenTasks, type Graph, type GraphNode, graphOf } from "./graph.ts";
export type { BlockInput, LimitsInput, ManifestInput, RetryInput, TaskInput } from "./input.ts";
export { loadManifest } from "./load.ts";
export { LONGEST_TEXT, parseManifest, type ParseOptions } from "./parse.ts";
