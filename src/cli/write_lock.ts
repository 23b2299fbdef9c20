import { readProc } from "../proc/linux_files.ts";

/** The byte of a database's shared memory that whoever writes to it locks, with SQLite's write-ahead log. */
const WRITE_BYTE = 120;

/**
 * The pid of whoever holds the write lock of a database, `null` where nobody does, or it cannot be known: only Linux
 * tells, to a process that may read `/proc`, and not of a process in another pid namespace.
 */
export function writerOf(database: string): number | null {
  try {
    const { dev, ino } = Deno.statSync(`${database}-shm`);
    const locks = readProc("/proc/locks");
    return ino === null || locks === null ? null : holderIn(locks, `${deviceOf(dev)}:${ino}`);
  } catch {
    return null;
  }
}

/** Reads lines such as `3: POSIX  ADVISORY  WRITE 4242 fd:01:123456 120 120`. */
export function holderIn(locks: string, file: string): number | null {
  const line =
    /^\d+: (?:POSIX|OFDLCK)\s+\S+\s+WRITE\s+(-?\d+) ([0-9a-f]+:[0-9a-f]+:\d+) (\d+) (\d+|EOF)$/gm;
  for (const [, pid = "", at, first, last] of locks.matchAll(line)) {
    const covers = Number(first) <= WRITE_BYTE && (last === "EOF" || Number(last) >= WRITE_BYTE);
    if (at === file && covers && Number(pid) > 0) return Number(pid);
  }
  return null;
}

/** A device's number as the kernel writes it there: major and minor, in hexadecimal digits. */
function deviceOf(dev: number): string {
  const high = Math.floor(dev / 2 ** 32);
  const major = ((dev >>> 8) & 0xfff) + (high & 0xfffff000);
  const minor = (dev & 0xff) + ((dev >>> 12) & 0xfff00);
  return [major, minor].map((part) => part.toString(16).padStart(2, "0")).join(":");
}
