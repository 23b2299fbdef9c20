import type { ProcessIdentity } from "../model/mod.ts";
import { platform, registerChild } from "../proc/mod.ts";
import { treeArgv } from "./tree.ts";

/** Plants a survivor: a process that no run has started, so that the proof must fail and name it. */
export class Planter {
  #child: Deno.ChildProcess | null = null;

  /** Starts it once. */
  readonly plant = (folder: string): Promise<ProcessIdentity> => {
    this.#child ??= start(folder);
    return Promise.resolve(platform.identify(this.#child.pid));
  };

  /** Takes it away. */
  uproot(): void {
    if (this.#child !== null) platform.signalTree(this.#child.pid, "SIGKILL");
  }
}

function start(folder: string): Deno.ChildProcess {
  const [program = "", ...args] = treeArgv("child", folder, "planted", "stays");
  const options = { args, detached: true, stdin: "null", stdout: "null", stderr: "null" } as const;
  const child = new Deno.Command(program, options).spawn();
  registerChild(child);
  return child;
}
