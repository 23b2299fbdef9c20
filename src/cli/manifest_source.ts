import { type Decoded, loadManifest, ManifestError, parseManifest } from "../manifest/mod.ts";
import { readManifestFile, readManifestStream } from "../manifest/load.ts";
import type { Manifest } from "../model/mod.ts";

/** Standard input, as a manifest's name. */
const STANDARD_INPUT = "-";

/** Reads a manifest from a file, or from standard input where the name is `-`. */
export async function readManifest(name: string): Promise<Manifest> {
  if (name !== STANDARD_INPUT) return await loadManifest(name);
  const decoded = await decodeStandardInput();
  if (decoded.ok) return decoded.manifest;
  throw new ManifestError(STANDARD_INPUT, decoded.diagnostics);
}

/** Decodes a manifest, with a draft of one whose references are wrong. */
export async function decodeManifest(name: string): Promise<Decoded> {
  if (name === STANDARD_INPUT) return await decodeStandardInput();
  const { dirname, resolve } = await import("@std/path");
  const bytes = await readManifestFile(name);
  return await parseManifest(bytes, { file: name, folder: dirname(resolve(name)) });
}

async function decodeStandardInput(): Promise<Decoded> {
  const bytes = await readManifestStream(STANDARD_INPUT, Deno.stdin);
  return await parseManifest(bytes, { file: STANDARD_INPUT, folder: Deno.cwd() });
}
