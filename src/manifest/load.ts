import { folderOf } from "../disk/resolve.ts";
import { type Manifest, messageOf, SkeinError } from "../model/mod.ts";
import { ManifestError } from "./error.ts";
import { LONGEST_TEXT, parseManifest } from "./parse.ts";

/** Where the length is not known before, room for so many is made at first. */
const FIRST_BYTES = 65_536;

/**
 * Reads and decodes the manifest in a file. Comments are allowed in a file that ends in `.jsonc`; relative paths
 * are resolved against the file's folder.
 *
 * @throws {ManifestError} if the document is no manifest; it has every problem.
 * @throws {SkeinError} `manifest-unreadable` if the file cannot be read.
 */
export async function loadManifest(path: string): Promise<Manifest> {
  const bytes = await readManifestFile(path);
  const decoded = await parseManifest(bytes, { file: path, folder: await folderOf(path) });
  if (!decoded.ok) throw new ManifestError(path, decoded.diagnostics);
  return decoded.manifest;
}

/**
 * Reads the bytes of a manifest's file, at most as many as a manifest may have.
 *
 * @throws {SkeinError} `manifest-unreadable` if it cannot be read, or is longer.
 */
export async function readManifestFile(path: string): Promise<Uint8Array> {
  return await readable(path, async () => {
    using file = await Deno.open(path);
    const { isDirectory, size } = await file.stat();
    if (isDirectory) throw new Error("it is a folder");
    if (size > LONGEST_TEXT) {
      throw new Error(`it has ${size} bytes, at most ${LONGEST_TEXT} are allowed`);
    }
    return await readChunks(file, size);
  });
}

/** What a manifest is read from. */
export interface ManifestStream {
  /** Fills a part of the buffer and says how much; `null` at the end. */
  read(buffer: Uint8Array): Promise<number | null>;
}

/**
 * Reads the bytes of a manifest from an open stream, at most as many as a manifest may have.
 *
 * @throws {SkeinError} `manifest-unreadable` if it cannot be read, or is longer.
 */
export async function readManifestStream(
  name: string,
  stream: ManifestStream,
): Promise<Uint8Array> {
  return await readable(name, () => readChunks(stream, FIRST_BYTES));
}

async function readable(path: string, read: () => Promise<Uint8Array>): Promise<Uint8Array> {
  try {
    return await read();
  } catch (error) {
    throw new SkeinError("manifest-unreadable", `Cannot read "${path}": ${messageOf(error)}`, {
      where: path,
      next: "Name a file that exists and may be read",
      cause: error,
    });
  }
}

/** Reads to the end; a pipe or a growing file is followed only as far as a manifest may go. */
async function readChunks(file: ManifestStream, size: number): Promise<Uint8Array> {
  let buffer = new Uint8Array(size + 1);
  let length = 0;
  for (;;) {
    const read = await file.read(buffer.subarray(length));
    if (read === null) return buffer.subarray(0, length);
    length += read;
    if (length > LONGEST_TEXT) throw new Error(`it has more than ${LONGEST_TEXT} bytes`);
    if (length < buffer.length) continue;
    const larger = new Uint8Array(
      Math.min(LONGEST_TEXT + 1, Math.max(FIRST_BYTES, buffer.length * 2)),
    );
    larger.set(buffer);
    buffer = larger;
  }
}
