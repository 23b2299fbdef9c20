import { createOnce, FileLock, hasCode } from "../disk/mod.ts";
import { messageOf } from "../model/error.ts";
import { demandExecutable } from "./executable.ts";
import type { FolderFacts, LinkFacts, LockFacts, RoomFacts } from "./doctor_disk_verdicts.ts";

/** Its permission bits. */
const PERMISSIONS = 0o777;

/** A folder of its own for the checks, removed at the end of a `using` block. */
export class Probe implements Disposable {
  /** Its path without links, `null` where it could not be made. */
  readonly path: string | null;
  /** What was found of the state directory on the way. */
  readonly facts: FolderFacts;

  /**
   * Makes it in the state directory, or where that is not there in the folder that it would be made in.
   *
   * @param stateDir absolute.
   */
  constructor(stateDir: string) {
    const found = lookAtFolder(stateDir);
    const probedIn = found.is === "nothing" ? ancestorOf(stateDir) : stateDir;
    let problem = found.problem;
    let path: string | null = null;
    if (problem === null && found.is !== "something-else") {
      try {
        // What is in it is to be read too: a folder that is only written to cannot be searched.
        for (const _ of Deno.readDirSync(probedIn)) break;
        const prefix = found.is === "nothing" ? ".skein-doctor-" : ".doctor-";
        path = Deno.realPathSync(Deno.makeTempDirSync({ dir: probedIn, prefix }));
      } catch (error) {
        problem = messageOf(error);
      }
    }
    this.path = path;
    this.facts = { ...found, probedIn, problem };
  }

  /** Removes it, with all that is in it. */
  [Symbol.dispose](): void {
    if (this.path !== null) Deno.removeSync(this.path, { recursive: true });
  }
}

/** Makes a small file twice: the first writer is to win. */
export function tryLinks(folder: string): LinkFacts {
  const first = createOnce(folder, "LINK", "first\n");
  const second = createOnce(folder, "LINK", "second\n");
  return { first, second, kept: Deno.readTextFileSync(`${folder}/LINK`) === "first\n" };
}

/** Syncs a folder. */
export function trySync(folder: string): "synced" | "cannot-be-opened" {
  let handle: Deno.FsFile;
  try {
    handle = Deno.openSync(folder, { read: true });
  } catch (error) {
    // Windows does not open folders.
    if (error instanceof Deno.errors.PermissionDenied || hasCode(error, "EISDIR")) {
      return "cannot-be-opened";
    }
    throw error;
  }
  try {
    handle.syncSync();
    return "synced";
  } finally {
    handle.close();
  }
}

/** Takes locks by two handles of this process. */
export function tryLocks(folder: string): LockFacts {
  const path = `${folder}/handles`;
  return {
    excludes: !holdTogether(path, "exclusive", "exclusive"),
    shares: holdTogether(path, "shared", "shared"),
    sharedExcludes: !holdTogether(path, "shared", "exclusive"),
  };
}

/** How much room there is for this user. */
export async function lookAtRoom(folder: string): Promise<RoomFacts> {
  await demandExecutable();
  const { statfs } = await import("node:fs/promises");
  const { bsize, bavail, files, ffree } = await statfs(folder);
  // A file system without a limit says that it has none at all.
  return { bytes: bsize * bavail, files: files === 0 ? null : ffree };
}

/**
 * When files of the state directory were last changed, and one that is made now in a folder, which is the file system's
 * own clock. What is not there, or not to be looked at, is left out.
 */
export function changesIn(
  stateDir: string,
  folder: string | null,
): { readonly path: string; readonly at: number }[] {
  const names = ["ID", "EPOCH", "EPOCH.high", "STOP", "queue.db"];
  const paths = names.map((name) => `${stateDir}/${name}`);
  const now = folder === null ? null : makeEmptyFile(`${folder}/now`);
  return [...now === null ? [] : [now], ...paths].flatMap((path) => {
    const at = changedAt(path);
    return at === null ? [] : [{ path, at }];
  });
}

/** `null` where there is no room for one: another check tells. */
function makeEmptyFile(path: string): string | null {
  try {
    Deno.writeTextFileSync(path, "");
    return path;
  } catch {
    return null;
  }
}

function changedAt(path: string): number | null {
  try {
    return Deno.lstatSync(path).mtime?.getTime() ?? null;
  } catch {
    return null;
  }
}

function holdTogether(
  path: string,
  one: "shared" | "exclusive",
  other: "shared" | "exclusive",
): boolean {
  using first = FileLock.tryAcquire(path, one);
  if (first === null) throw new Error("a lock that nobody holds is refused");
  using second = FileLock.tryAcquire(path, other);
  return second !== null;
}

function lookAtFolder(path: string): Omit<FolderFacts, "probedIn"> {
  const user = userId();
  const nobody = { path, mode: null, owner: null, user };
  try {
    Deno.lstatSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return { ...nobody, is: "nothing", problem: null };
    return { ...nobody, is: "folder", problem: messageOf(error) };
  }
  try {
    const { isDirectory, mode, uid } = Deno.statSync(path);
    if (!isDirectory) return { ...nobody, is: "something-else", problem: null };
    const bits = mode === null ? null : mode & PERMISSIONS;
    return { path, is: "folder", mode: bits, owner: uid, user, problem: null };
  } catch (error) {
    // A link to nothing.
    if (error instanceof Deno.errors.NotFound) {
      return { ...nobody, is: "something-else", problem: null };
    }
    return { ...nobody, is: "folder", problem: messageOf(error) };
  }
}

/** The nearest folder above a path that is there. */
function ancestorOf(path: string): string {
  for (let at = path;;) {
    const above = at.replace(/[/\\]+[^/\\]*$/, "");
    if (above === at || above === "") return "/";
    at = above;
    try {
      Deno.lstatSync(at);
      return at;
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) return at;
    }
  }
}

/** Who this process runs as; `null` where there is no such number, or it may not be asked for. */
function userId(): number | null {
  try {
    return Deno.uid();
  } catch (error) {
    if (error instanceof Deno.errors.NotCapable) return null;
    throw error;
  }
}
