import type { ProcessIdentity } from "../model/mod.ts";
import { runTool } from "./children.ts";
import {
  type Finder,
  launchDetached,
  type Leftovers,
  type Platform,
  type Sweep,
} from "./platform.ts";
import { parseTaskList } from "./windows_tasks.ts";

/**
 * Windows: a tree is what `taskkill /T` follows by parent. Another process's environment cannot be read, so a search
 * finds only what was named to it, and is never conclusive.
 */
export const windows: Platform = {
  self: () => identify(Deno.pid),
  identify,
  blind: true,
  isAlive: (process) => isListed(process.pid),
  finder: () => new NamedFinder(),
  openers: () => [],
  launch: launchDetached,
  leftovers: () => none,
  reapInherited: () => null,
  signal: (process, signal) => signal === "SIGKILL" && taskkill(process.pid),
  signalTree: (leader) => killTree(leader),
  signalGroup: () => {},
  tools: ["taskkill", "tasklist"],
};

/** The tree was killed with its leader, or cannot be told any more. */
const none: Leftovers = {
  began() {},
  endPass: () => Promise.resolve(0),
  endRun: () => Promise.resolve([]),
};

class NamedFinder implements Finder {
  readonly #named: ProcessIdentity[] = [];

  include(process: ProcessIdentity): void {
    this.#named.push(process);
  }

  async sweep(): Promise<Sweep> {
    const { text } = await runTool("tasklist", ["/NH", "/FO", "CSV"]);
    const listed = parseTaskList(text);
    const found = this.#named.filter(({ pid }) => listed.has(pid))
      .map((process) => ({ ...process, command: listed.get(process.pid) ?? "", segment: null }));
    const problems = [
      "Windows shows no process's environment: what has left its tree cannot be found",
    ];
    return { found, complete: true, conclusive: false, problems };
  }
}

/** Kills a tree, and again until its leader is no longer listed. */
function killTree(leader: number): void {
  for (let round = 0; round < 5; round++) {
    if (!taskkill(leader) && !isListed(leader)) return;
  }
}

function identify(pid: number): ProcessIdentity {
  return { bootId: "", pidNamespace: "", pid, startTime: "" };
}

function taskkill(pid: number): boolean {
  return command("taskkill", ["/T", "/F", "/PID", String(pid)]).success;
}

function isListed(pid: number): boolean {
  const { stdout } = command("tasklist", ["/NH", "/FO", "CSV", "/FI", `PID eq ${pid}`]);
  return parseTaskList(new TextDecoder().decode(stdout)).has(pid);
}

function command(program: string, args: string[]): Deno.CommandOutput {
  return new Deno.Command(program, { args, stdin: "null", stderr: "null" }).outputSync();
}
