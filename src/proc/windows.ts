import type { ProcessIdentity } from "../model/mod.ts";
import type { Finder, Platform } from "./platform.ts";

/**
 * Windows: a tree is what `taskkill /T` follows by parent. Another process's environment cannot be read here, so a
 * search finds nothing by marker and never is conclusive.
 */
export const windows: Platform = {
  self: () => identify(Deno.pid),
  isAlive: (process) => listed(process.pid),
  finder: (): Finder => ({
    sweep: () => ({
      found: [],
      conclusive: false,
      problems: ["Windows shows no process's environment"],
    }),
  }),
  signal: (process, signal) => signal === "SIGKILL" && taskkill(process.pid),
  signalTree: (leader) => void taskkill(leader),
  signalGroup: () => {},
};

function identify(pid: number): ProcessIdentity {
  return { bootId: "", pidNamespace: "", pid, startTime: "" };
}

function taskkill(pid: number): boolean {
  return command("taskkill", ["/T", "/F", "/PID", String(pid)]).success;
}

function listed(pid: number): boolean {
  const { stdout } = command("tasklist", ["/NH", "/FO", "CSV", "/FI", `PID eq ${pid}`]);
  return new TextDecoder().decode(stdout).includes(`"${pid}"`);
}

function command(program: string, args: string[]): Deno.CommandOutput {
  return new Deno.Command(program, { args, stdin: "null", stderr: "null" }).outputSync();
}
