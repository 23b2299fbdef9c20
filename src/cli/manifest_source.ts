import { type Decoded, loadManifest, ManifestError, parseManifest } from "../manifest/mod.ts";
import { type Manifest, messageOf, SkeinError } from "../model/mod.ts";

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
  let bytes: Uint8Array;
  try {
    bytes = await Deno.readFile(name);
  } catch (error) {
    throw new SkeinError("manifest-unreadable", `Cannot read "${name}": ${messageOf(error)}`, {
      where: name,
      next: "Name a file that exists and may be read",
      cause: error,
    });
  }
  return await parseManifest(bytes, { file: name, folder: dirname(resolve(name)) });
}

async function decodeStandardInput(): Promise<Decoded> {
  const bytes = await new Response(Deno.stdin.readable).bytes();
  return await parseManifest(bytes, { file: STANDARD_INPUT, folder: Deno.cwd() });
}
