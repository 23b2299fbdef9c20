const HEADER_BYTES = 64;
/** "\x7fELF", 64 bits, little-endian. */
const MAGIC = [0x7f, 0x45, 0x4c, 0x46, 2, 1];
/** A program header that names the loader of libraries. */
const PT_INTERP = 3;
const LITTLE_ENDIAN = true;

/** Whether a program needs no libraries: a 64-bit ELF file, little-endian, that names no loader. */
export function isStatic(path: string): boolean {
  try {
    using file = Deno.openSync(path);
    const header = read(file, 0, HEADER_BYTES);
    if (MAGIC.some((byte, index) => header.getUint8(index) !== byte)) return false;
    const offset = Number(header.getBigUint64(32, LITTLE_ENDIAN));
    const [size, count] = [
      header.getUint16(54, LITTLE_ENDIAN),
      header.getUint16(56, LITTLE_ENDIAN),
    ];
    const table = read(file, offset, size * count);
    return Array.from({ length: count }, (_, index) => table.getUint32(index * size, LITTLE_ENDIAN))
      .every((type) => type !== PT_INTERP);
  } catch {
    return false;
  }
}

function read(file: Deno.FsFile, offset: number, length: number): DataView {
  const bytes = new Uint8Array(length);
  file.seekSync(offset, Deno.SeekMode.Start);
  if (file.readSync(bytes) !== length) throw new Error("the file ends early");
  return new DataView(bytes.buffer);
}
