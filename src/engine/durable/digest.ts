import { createHash } from "node:crypto";

const CHUNK_BYTES = 65_536;

/** The SHA-256 digest of a file, in hexadecimal digits, with its size. */
export async function digestOfFile(path: string): Promise<{ bytes: number; digest: string }> {
  using file = await Deno.open(path, { read: true });
  const hash = createHash("sha256");
  const chunk = new Uint8Array(CHUNK_BYTES);
  let bytes = 0;
  for (;;) {
    const read = await file.read(chunk);
    if (read === null) return { bytes, digest: hash.digest("hex") };
    hash.update(chunk.subarray(0, read));
    bytes += read;
  }
}
