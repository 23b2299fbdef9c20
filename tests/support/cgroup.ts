/**
 * A control group: whatever is started in it stays in it, whatever it does to its parents, session and environment.
 *
 * @module
 */
const ROOTS = ["/sys/fs/cgroup/unified", "/sys/fs/cgroup"];

/** The folder of the second version's hierarchy that this user may make groups in, `null` without one. */
const root: string | null = ROOTS.find(canUse) ?? null;

/** Whether this machine has control groups for this user. */
export const HAS_CGROUPS: boolean = root !== null;

let made = 0;

/** A group, empty at first. It is taken away at the end of a `using` block, with whatever is left in it. */
export class ControlGroup implements Disposable {
  /** The file that a process writes `0` into to enter. */
  readonly door: string;
  readonly #path: string;

  /** Makes it. */
  constructor() {
    this.#path = `${root}/skein-test-${Deno.pid}-${++made}`;
    Deno.mkdirSync(this.#path);
    this.door = `${this.#path}/cgroup.procs`;
  }

  /** Who is in it and alive. */
  pids(): number[] {
    return Deno.readTextFileSync(this.door).split("\n").map(Number).filter((pid) => pid > 0);
  }

  /** Kills whoever is left, and takes it away. */
  [Symbol.dispose](): void {
    for (let tries = 0; tries < 1000; tries++) {
      for (const pid of this.pids()) kill(pid);
      try {
        return Deno.removeSync(this.#path);
      } catch {
        // Somebody is about to die.
      }
    }
  }
}

function kill(pid: number): void {
  try {
    Deno.kill(pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

function canUse(folder: string): boolean {
  const path = `${folder}/skein-test-probe-${Deno.pid}`;
  try {
    Deno.mkdirSync(path);
    try {
      return Deno.readTextFileSync(`${path}/cgroup.procs`) === "";
    } finally {
      Deno.removeSync(path);
    }
  } catch {
    return false;
  }
}
