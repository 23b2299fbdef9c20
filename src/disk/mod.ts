/**
 * Durable small files and advisory locks. Owns atomic replacement, creation by the first writer, folder
 * synchronisation and file locks; refuses to leave a partial file under a final name; the fence's promises G1
 * and G2 rest on it.
 *
 * @module
 */
export {
  createOnce,
  hasCode,
  openOwnFile,
  readSmallFile,
  replaceFile,
  syncFolder,
} from "./file.ts";
export { absolutePath, isAbsent } from "./path.ts";
export { FileLock, type LockKind } from "./lock.ts";
