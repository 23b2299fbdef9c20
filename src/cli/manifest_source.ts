import type { Decoded } from "../manifest/decode.ts";
import { ManifestError } from "../manifest/error.ts";
import { loadManifest } from "../manifest/load.ts";
import { parseManifest } from "../manifest/parse.ts";
import { readManifestFile, readManifestStream } from "../manifest/load.ts";
import { folderOf } from "../disk/resolve.ts";
import { isSpecialRefused } from "./give_up.ts";
import { type Manifest, SkeinError } from "../model/mod.ts";

/** Standard input, as a manifest's name. */
const STANDARD_INPUT = "-";

/** Reads a manifest from a file, or from standard input where the name is `-`. */
export async function readManifest(name: string): Promise<Manifest> {
  if (name !== STANDARD_INPUT) return await fromFile(name, () => loadManifest(name));
  const decoded = await decodeStandardInput();
  if (decoded.ok) return decoded.manifest;
  throw new ManifestError(STANDARD_INPUT, decoded.diagnostics);
}

/** Decodes a manifest, with a draft of one whose references are wrong. */
export async function decodeManifest(name: string): Promise<Decoded> {
  if (name === STANDARD_INPUT) return await decodeStandardInput();
  const bytes = await fromFile(name, () => readManifestFile(name));
  return await parseManifest(bytes, { file: name, folder: await folderOf(name) });
}

/**
 * Reads a file. Of those of the system, such as `/dev/stdin`, the runtime opens none for who has given up anything.
 *
 * @throws {SkeinError} `manifest-unreadable`, with what helps there.
 */
async function fromFile<T>(name: string, read: () => Promise<T>): Promise<T> {
  try {
    return await read();
  } catch (error) {
    if (!(error instanceof SkeinError) || !isSpecialRefused(error)) throw error;
    throw new SkeinError(error.code, `Cannot read "${name}": it is a file of the system`, {
      where: name,
      next: "Write `-` in its place to read standard input, or name a file elsewhere",
    });
  }
}

async function decodeStandardInput(): Promise<Decoded> {
  const bytes = await readManifestStream(STANDARD_INPUT, Deno.stdin);
  return await parseManifest(bytes, { file: STANDARD_INPUT, folder: Deno.cwd() });
}
