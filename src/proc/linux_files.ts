import { type CLibrary, cLibrary } from "./linux_library.ts";

const decoder = new TextDecoder();

/** Who reads `/proc`: the runtime for this process, the C library in its place, or nobody (`null`). */
type Reader = "runtime" | CLibrary | null;

/** Not known before it is needed. */
let reader: Reader | undefined;
/** Whether this process has given up permissions: the runtime reads nothing for it, and may ask whoever is at the terminal. */
let narrowed = false;

/**
 * Whether this process may read `/proc`: where it may do all, or load the C library and read through that.
 *
 * @throws whatever the system answers but that it is not permitted.
 */
export function mayReadProc(): boolean {
  return (reader ??= findReader()) !== null;
}

/** Called where this process gives up permissions: `/proc` is read through the C library from now on. */
export function readThroughLibrary(): void {
  narrowed = true;
  reader = undefined;
}

function findReader(): Reader {
  if (!narrowed) {
    try {
      Deno.readTextFileSync("/proc/self/stat");
      return "runtime";
    } catch (error) {
      if (!isNotCapable(error)) throw error;
    }
  }
  const library = cLibrary();
  return library?.lists === true ? library : null;
}

/** A file of `/proc`; `null` where the process is gone or belongs to somebody else, or nobody may read it. */
export function readProc(path: string): string | null {
  return read(
    (library) => library.textOf(path),
    () => decoder.decode(Deno.readFileSync(path)),
  );
}

/** The names in a folder of `/proc`; `null` likewise. */
export function namesInProc(path: string): string[] | null {
  return read(
    (library) => library.namesIn(path),
    () => Array.from(Deno.readDirSync(path), ({ name }) => name),
  );
}

/** What a link of `/proc` names; `null` likewise. */
export function linkInProc(path: string): string | null {
  return read((library) => library.linkOf(path), () => Deno.readLinkSync(path));
}

/** Whether Skein's own permissions do not allow it. */
export function isNotCapable(error: unknown): boolean {
  return error instanceof Deno.errors.NotCapable;
}

function read<T>(through: (library: CLibrary) => T | null, byItself: () => T): T | null {
  reader ??= findReader();
  if (reader === null) return null;
  if (reader !== "runtime") return through(reader);
  try {
    return byItself();
  } catch (error) {
    if (isNotCapable(error)) throw error;
    return null;
  }
}
