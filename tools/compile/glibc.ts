/**
 * Which C library a Linux binary needs, read from the binary: the newest version of glibc that one of its symbols
 * asks for.
 *
 * @module
 */

/** "\x7fELF", 64 bits, little-endian. */
const MAGIC = [0x7f, 0x45, 0x4c, 0x46, 2, 1];
const PT_LOAD = 1;
const PT_DYNAMIC = 2;
const DT_STRTAB = 5n;
const DT_VERNEED = 0x6fff_fffen;
const DT_VERNEEDNUM = 0x6fff_ffffn;
const LITTLE_ENDIAN = true;
const GLIBC = /^GLIBC_(\d+(?:\.\d+)+)$/;

/** The part of a file that is loaded at an address. */
interface Segment {
  readonly type: number;
  readonly offset: number;
  readonly address: number;
  readonly size: number;
}

/**
 * The least glibc that a binary needs, such as `2.27`; `null` where it needs none.
 *
 * @throws where it is no ELF file for 64 bits.
 */
export function glibcNeeded(bytes: Uint8Array): string | null {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  if (MAGIC.some((byte, index) => bytes[index] !== byte)) throw new Error("It is no ELF file");
  const segments = readSegments(view);
  const dynamic = segments.find(({ type }) => type === PT_DYNAMIC);
  if (dynamic === undefined) return null;
  const tags = readTags(view, dynamic);
  const place = (tag: bigint) => toOffset(segments, tags.get(tag) ?? 0);
  const names = place(DT_STRTAB);
  const versions: string[] = [];
  let file = place(DT_VERNEED);
  for (let left = tags.get(DT_VERNEEDNUM) ?? 0; left > 0; left--) {
    const count = view.getUint16(file + 2, LITTLE_ENDIAN);
    let version = file + view.getUint32(file + 8, LITTLE_ENDIAN);
    for (let index = 0; index < count; index++) {
      const name = readText(bytes, names + view.getUint32(version + 8, LITTLE_ENDIAN));
      const [, glibc] = GLIBC.exec(name) ?? [];
      if (glibc !== undefined) versions.push(glibc);
      version += view.getUint32(version + 12, LITTLE_ENDIAN);
    }
    file += view.getUint32(file + 12, LITTLE_ENDIAN);
  }
  return versions.sort(compareVersions).at(-1) ?? null;
}

/** Compares two versions number by number, for a sort. */
export function compareVersions(a: string, b: string): number {
  const [left, right] = [a, b].map((version) => version.split(".").map(Number));
  for (let at = 0; at < Math.max(left?.length ?? 0, right?.length ?? 0); at++) {
    const difference = (left?.[at] ?? 0) - (right?.[at] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}

function readSegments(view: DataView): Segment[] {
  const table = number(view, 32);
  const size = view.getUint16(54, LITTLE_ENDIAN);
  return Array.from({ length: view.getUint16(56, LITTLE_ENDIAN) }, (_, index) => {
    const at = table + index * size;
    return {
      type: view.getUint32(at, LITTLE_ENDIAN),
      offset: number(view, at + 8),
      address: number(view, at + 16),
      size: number(view, at + 32),
    };
  });
}

function readTags(view: DataView, { offset, size }: Segment): Map<bigint, number> {
  const tags = new Map<bigint, number>();
  for (let at = offset; at < offset + size; at += 16) {
    const tag = view.getBigUint64(at, LITTLE_ENDIAN);
    if (tag === 0n) break;
    tags.set(tag, number(view, at + 8));
  }
  return tags;
}

function toOffset(segments: readonly Segment[], address: number): number {
  const segment = segments.find((one) =>
    one.type === PT_LOAD && address >= one.address && address < one.address + one.size
  );
  if (segment === undefined) throw new Error(`Nothing of the file is loaded at ${address}`);
  return address - segment.address + segment.offset;
}

function number(view: DataView, at: number): number {
  return Number(view.getBigUint64(at, LITTLE_ENDIAN));
}

function readText(bytes: Uint8Array, at: number): string {
  return new TextDecoder().decode(bytes.subarray(at, bytes.indexOf(0, at)));
}
