/**
 * Manifests alone: read one, check a value that a program made, print what is wrong with it. For editors, generators and
 * checks before a merge; nothing here starts anything, and neither the engine nor the fence is loaded.
 *
 * @example
 * ```ts
 * import { formatDiagnostic, validateManifest } from "@skein/cli/manifest";
 *
 * const decoded = await validateManifest({
 *   version: 1,
 *   blocks: { hello: { argv: ["echo", "hello"] } },
 *   tasks: [{ id: "a", block: "helo" }],
 * });
 * const problems = decoded.ok ? [] : decoded.diagnostics.map((one) => formatDiagnostic("made", one));
 * // made: Task "a" runs block "helo", which is not defined …
 * if (problems.length !== 1) throw new Error("The misspelt block is a problem");
 * ```
 *
 * @module
 */
import type { Decoded } from "./manifest/decode.ts";
import type { Manifest } from "./model/manifest.ts";

export type { Decoded } from "./manifest/decode.ts";
export { formatDiagnostic, ManifestError } from "./manifest/error.ts";
export type {
  BlockInput,
  LimitsInput,
  ManifestInput,
  RetryInput,
  TaskInput,
} from "./manifest/input.ts";
export { SkeinError, type SkeinErrorCode, type SkeinErrorDetail } from "./model/error.ts";
export type { Block, Diagnostic, Limits, Manifest, Retry, Task } from "./model/manifest.ts";

/**
 * Reads and decodes the manifest in a file. Comments are allowed in a file that ends in `.jsonc`; relative paths are
 * resolved against the file's folder.
 *
 * @throws {ManifestError} if the document is no manifest; it has every problem.
 * @throws {SkeinError} `manifest-unreadable` if the file cannot be read.
 */
export async function loadManifest(path: string): Promise<Manifest> {
  const manifest = await import("./manifest/load.ts");
  return await manifest.loadManifest(path);
}

/**
 * Decodes a manifest that is a value and not a text, as strictly as a text: plain objects and lists only, no unknown
 * keys. Line and column of the diagnostics are 0. Relative paths are resolved against `folder`, by default the current
 * one.
 */
export async function validateManifest(
  value: unknown,
  options: { readonly folder?: string } = {},
): Promise<Decoded> {
  const manifest = await import("./manifest/decode.ts");
  return manifest.validateManifest(value, options);
}
