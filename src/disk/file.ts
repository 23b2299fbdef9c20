const encoder = new TextEncoder();
let counter = 0;

/** Whether an error carries the system's code, such as `ENOSPC`. */
export function hasCode(error: unknown, code: string): boolean {
  return error instanceof Error && (error as { code?: unknown }).code === code;
}

/**
 * Replaces a small file as a whole: temporary file in the same folder, file sync, rename, folder sync. A reader
 * sees the old text or the new one. The temporary file is removed when anything fails.
 *
 * @throws whatever the file system answers; the old file is then untouched.
 */
export function replaceFile(folder: string, name: string, text: string): void {
  const temporary = writeTemporary(folder, name, text);
  try {
    Deno.renameSync(temporary, `${folder}/${name}`);
  } catch (error) {
    removeQuietly(temporary);
    throw error;
  }
  syncFolder(folder);
}

/**
 * Makes a small file that is complete from the moment it appears. The first writer wins.
 *
 * @returns `false` where something already has the name.
 * @throws whatever else the file system answers; the name is then still free.
 */
export function createOnce(folder: string, name: string, text: string): boolean {
  const temporary = writeTemporary(folder, name, text);
  try {
    Deno.linkSync(temporary, `${folder}/${name}`);
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return false;
    throw error;
  } finally {
    removeQuietly(temporary);
  }
  syncFolder(folder);
  return true;
}

/**
 * Reads a small text file. What is no file is refused before it is opened: a pipe would keep the reader waiting.
 *
 * @throws whatever the file system answers, or that it is no file.
 */
export function readSmallFile(path: string): string {
  if (!Deno.statSync(path).isFile) throw new Error("it is not a file");
  return Deno.readTextFileSync(path);
}

/**
 * Opens a file that Skein has made, to read it. A link, a pipe or a folder in its place is refused: whoever put it there
 * would choose what is read, or keep the reader waiting.
 *
 * @throws whatever the file system answers, or that it is no file.
 */
export async function openOwnFile(path: string): Promise<Deno.FsFile> {
  const { isFile, dev, ino } = Deno.lstatSync(path);
  if (!isFile) throw new Error(`"${path}" is not a file`);
  const file = await Deno.open(path, { read: true });
  const opened = file.statSync();
  if (opened.dev === dev && opened.ino === ino) return file;
  file.close();
  throw new Error(`"${path}" was replaced while it was opened`);
}

/** Makes the names in a folder durable. Where a folder cannot be opened (Windows) the system does it by itself. */
export function syncFolder(folder: string): void {
  let handle: Deno.FsFile;
  try {
    handle = Deno.openSync(folder, { read: true });
  } catch (error) {
    if (error instanceof Deno.errors.PermissionDenied || hasCode(error, "EISDIR")) return;
    throw error;
  }
  try {
    handle.syncSync();
  } finally {
    handle.close();
  }
}

function writeTemporary(folder: string, name: string, text: string): string {
  const { path, file } = openTemporary(folder, name);
  try {
    writeAll(file, encoder.encode(text));
    file.syncSync();
    file.close();
    return path;
  } catch (error) {
    file.close();
    removeQuietly(path);
    throw error;
  }
}

function openTemporary(folder: string, name: string): { path: string; file: Deno.FsFile } {
  for (;;) {
    const path = `${folder}/.${name.toLowerCase()}-${Deno.pid}-${counter++}`;
    try {
      return { path, file: Deno.openSync(path, { write: true, createNew: true, mode: 0o600 }) };
    } catch (error) {
      if (!(error instanceof Deno.errors.AlreadyExists)) throw error;
    }
  }
}

function writeAll(file: Deno.FsFile, bytes: Uint8Array): void {
  for (let written = 0; written < bytes.length;) written += file.writeSync(bytes.subarray(written));
}

function removeQuietly(path: string): void {
  try {
    Deno.removeSync(path);
  } catch {
    // A stray temporary file is ignored by every reader.
  }
}
