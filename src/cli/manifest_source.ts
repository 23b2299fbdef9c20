import type { Decoded } from "../manifest/decode.ts";
import { ManifestError } from "../manifest/error.ts";
import { loadManifest } from "../manifest/load.ts";
import { parseManifest } from "../manifest/parse.ts";
import { readManifestFile, readManifestStream } from "../manifest/load.ts";
import { folderOf } from "../disk/resolve.ts";
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
  const bytes = await readManifestFile(name);
  return await parseManifest(bytes, { file: name, folder: await folderOf(name) });
}

async function decodeStandardInput(): Promise<Decoded> {
  const bytes = await readManifestStream(STANDARD_INPUT, Deno.stdin);
  return await parseManifest(bytes, { file: STANDARD_INPUT, folder: Deno.cwd() });
}
