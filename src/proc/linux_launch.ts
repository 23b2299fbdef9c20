import { type Launch, launchDetached, type LaunchRequest } from "./platform.ts";

/** The program that makes a session, and then becomes another program. */
export const SETSID = "setsid";

/** Where the system keeps it. */
const PLACES = [`/usr/bin/${SETSID}`, `/bin/${SETSID}`];

/**
 * Starts programs by way of `setsid`, which makes the session and then becomes the program. The runtime's own way
 * copies the page tables of this process for every start, which takes the longer the more memory it has.
 *
 * The first start of a program goes the runtime's way, which tells exactly why a program cannot be executed; `setsid`
 * does not, and would hand to a shell what the system refuses. What has been executed once and has not changed since
 * goes by `setsid`.
 */
export class SetsidLauncher {
  readonly #setsid: string | null = findSetsid();
  /** The file that a name stands for, by the name and the path that is searched. */
  readonly #files = new Map<string, string>();
  /** What a file was when it was executed last. */
  readonly #executed = new Map<string, string>();

  /** How to start a program. */
  launch(request: LaunchRequest): Launch {
    const [program = "", ...args] = request.argv;
    const file = this.#setsid === null ? null : this.#fileOf(program, request);
    const identity = file === null ? null : identify(file);
    if (this.#setsid === null || file === null || identity === null) {
      return launchDetached(request);
    }
    if (this.#executed.get(file) === identity) {
      return { program: this.#setsid, args: [file, ...args], detached: false };
    }
    return {
      ...launchDetached(request),
      started: () => void this.#executed.set(file, identity),
    };
  }

  #fileOf(program: string, { cwd, env }: LaunchRequest): string | null {
    if (program.startsWith("/")) return program;
    if (program.includes("/")) return `${cwd}/${program}`;
    const key = `${program}\0${env.PATH ?? ""}`;
    let file = this.#files.get(key) ?? null;
    if (file === null) {
      file = search(program, env.PATH ?? "");
      if (file !== null) this.#files.set(key, file);
    }
    return file;
  }
}

/** Only where every program may be started: what a list does not name is not to be started through another. */
function findSetsid(): string | null {
  if (Deno.permissions.querySync({ name: "run" }).state !== "granted") return null;
  return PLACES.find((place) => identify(place) !== null) ?? null;
}

/** Only absolute folders: what is relative depends on the folder of the process. */
function search(program: string, path: string): string | null {
  const folders = path.split(":");
  if (!folders.every((folder) => folder.startsWith("/"))) return null;
  return folders.map((folder) => `${folder}/${program}`)
    .find((file) => identify(file) !== null) ?? null;
}

/** What a file is now; `null` where it is none that can be executed. */
function identify(file: string): string | null {
  try {
    const { dev, ino, ctime, size, mode, isFile } = Deno.statSync(file);
    if (!isFile || ((mode ?? 0) & 0o111) === 0) return null;
    return `${dev}/${ino}/${ctime?.getTime()}/${size}/${mode}`;
  } catch {
    return null;
  }
}
