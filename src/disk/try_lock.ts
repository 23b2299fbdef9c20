import { SkeinError } from "../model/error.ts";

/** Tries to lock an open file, and never waits; `false` where somebody else's lock is in the way. */
export type TryLock = (file: Deno.FsFile, exclusive: boolean) => boolean;

const LOCK_SHARED = 1;
const LOCK_EXCLUSIVE = 2;
const LOCK_AT_ONCE = 4;
const SEEK_CURRENT = 1;
const EINTR = 4;
const EWOULDBLOCK = 11;

/** More files than this a process does not have open. */
const MOST_FILES = 65_536;
/** A place within every file system's limits; each search for a file takes the next two. */
const FIRST_MARK = 1_500_000_000;

const SYMBOLS = {
  flock: { parameters: ["i32", "i32"], result: "i32" },
  lseek: { parameters: ["i32", "i64", "i32"], result: "i64" },
  __errno_location: { parameters: [], result: "pointer" },
  memcpy: { parameters: ["buffer", "pointer", "usize"], result: "void" },
} as const;

/** The functions of the C library that lock a file. */
export type LockLibrary = Deno.DynamicLibrary<typeof SYMBOLS>;

let marks = 0;

/**
 * Runtimes before Deno 2.7.1 cannot try a lock: the one thing that Skein needs and they lack. The C library does it
 * there, with the same locks; it is loaded at once, since a command may give up the permission for it. Where there is
 * none, nothing is locked: no run starts, and no stop is proven.
 */
export const tryLock: TryLock = "tryLockSync" in Deno.FsFile.prototype
  ? (file, exclusive) => file.tryLockSync(exclusive)
  : tryLockThrough(openLockLibrary());

/** The C library of Linux; `null` where it is not to be had. */
export function openLockLibrary(): LockLibrary | null {
  try {
    return Deno.dlopen("libc.so.6", SYMBOLS);
  } catch {
    return null;
  }
}

/** Locks by way of the C library, or refuses every lock where there is none. */
export function tryLockThrough(library: LockLibrary | null): TryLock {
  return library === null ? refuse : (file, exclusive) => flock(library, file, exclusive);
}

function refuse(): never {
  throw new SkeinError(
    "state-unusable",
    `Cannot lock a file: Deno ${Deno.version.deno} cannot try a lock without waiting for it`,
    { next: "Run Skein on Deno 2.7.1 or later" },
  );
}

function flock({ symbols }: LockLibrary, file: Deno.FsFile, exclusive: boolean): boolean {
  const descriptor = descriptorOf(symbols, file);
  const operation = (exclusive ? LOCK_EXCLUSIVE : LOCK_SHARED) | LOCK_AT_ONCE;
  while (symbols.flock(descriptor, operation) !== 0) {
    const error = lastError(symbols);
    if (error === EWOULDBLOCK) return false;
    if (error !== EINTR) throw new Error(`The system refuses the lock with error ${error}`);
  }
  return true;
}

/** The number that the system knows an open file by: the one whose position follows the file's. */
function descriptorOf(symbols: LockLibrary["symbols"], file: Deno.FsFile): number {
  const before = file.seekSync(0, Deno.SeekMode.Current);
  const follows = (descriptor: number, mark: number) =>
    Number(symbols.lseek(descriptor, 0n, SEEK_CURRENT)) === mark;
  try {
    const [first, second] = [FIRST_MARK + ++marks, FIRST_MARK + ++marks];
    file.seekSync(first, Deno.SeekMode.Start);
    for (let descriptor = 0; descriptor < MOST_FILES; descriptor++) {
      if (!follows(descriptor, first)) continue;
      // Another file may stand at the first place by chance, but does not move along.
      file.seekSync(second, Deno.SeekMode.Start);
      if (follows(descriptor, second)) return descriptor;
      file.seekSync(first, Deno.SeekMode.Start);
    }
    throw new Error("Cannot find an open file among those of this process");
  } finally {
    file.seekSync(before, Deno.SeekMode.Start);
  }
}

/** The library copies it: to look at a place in memory needs a permission that may be given up by now. */
function lastError(symbols: LockLibrary["symbols"]): number {
  const error = new Int32Array(1);
  symbols.memcpy(error, symbols.__errno_location(), BigInt(error.byteLength));
  return error[0] ?? 0;
}
