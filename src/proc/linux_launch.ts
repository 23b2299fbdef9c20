import { isStatic } from "./linux_elf.ts";
import { type Launch, launchDetached, type LaunchRequest } from "./platform.ts";

/** Words that start a program which makes a session, and then becomes another program. */
type Wrapper = readonly [program: string, ...args: string[]];

/** The program, and the applet of the program that has many. */
const SETSID = "setsid";
const BUSYBOX = "busybox";
/** Where the system keeps its programs. */
const FOLDERS: readonly string[] = ["/usr/bin", "/bin"];

/** Whether a process is one that has not become its program yet. */
export function isWrapper(name: string, command: () => string): boolean {
  return name === SETSID || name === BUSYBOX && command().split(" ")[1] === SETSID;
}

/**
 * Starts programs by way of `setsid`, which makes the session and then becomes the program. The runtime's own way
 * copies the page tables of this process for every start, which takes the longer the more memory it has. Where there is
 * a `busybox` that needs no libraries, that is executed sooner.
 *
 * The first start of a program goes the runtime's way, which tells exactly why a program cannot be executed; `setsid`
 * does not, and would hand to a shell what the system refuses. What has been executed once and has not changed since
 * goes by `setsid`.
 */
export class SetsidLauncher {
  readonly #folders: readonly string[];
  /** Looked for when it is needed first. */
  #wrapper: Wrapper | null | undefined;
  /** The file that a name stands for, by the name and the path that is searched. */
  readonly #files = new Map<string, string>();
  /** What a file was when it was executed last. */
  readonly #executed = new Map<string, string>();

  /** Makes a launcher; the folders are where the system keeps its programs. */
  constructor(folders: readonly string[] = FOLDERS) {
    this.#folders = folders;
  }

  /** How to start a program. */
  launch(request: LaunchRequest): Launch {
    const [program = "", ...args] = request.argv;
    const file = this.#wrapper === null ? null : this.#fileOf(program, request);
    const identity = file === null ? null : identify(file);
    if (file === null || identity === null) return launchDetached(request);
    if (this.#executed.get(file) === identity) {
      if (this.#wrapper === undefined) this.#wrapper = findWrapper(this.#folders);
      if (this.#wrapper === null) return launchDetached(request);
      const [wrapper, ...before] = this.#wrapper;
      return { program: wrapper, args: [...before, file, ...args], detached: false };
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
function findWrapper(folders: readonly string[]): Wrapper | null {
  if (Deno.permissions.querySync({ name: "run" }).state !== "granted") return null;
  const busybox = findProgram(BUSYBOX, folders);
  if (busybox !== null && isStatic(busybox) && hasSetsid(busybox)) return [busybox, SETSID];
  const setsid = findProgram(SETSID, folders);
  return setsid === null ? null : [setsid];
}

function findProgram(name: string, folders: readonly string[]): string | null {
  return folders.map((folder) => `${folder}/${name}`).find((file) => identify(file) !== null) ??
    null;
}

/** Not every build of it has every applet. */
function hasSetsid(busybox: string): boolean {
  try {
    const command = new Deno.Command(busybox, {
      args: ["--list"],
      clearEnv: true,
      stdin: "null",
      stderr: "null",
    });
    return new TextDecoder().decode(command.outputSync().stdout).split("\n").includes(SETSID);
  } catch {
    return false;
  }
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
