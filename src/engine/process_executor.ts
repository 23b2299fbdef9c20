import type { Executor } from "./executor.ts";

/**
 * The executor of `skein run`: each pass is a process in a session of its own, its streams are files of the run's
 * folder, and its tree is killed when it has ended.
 */
export const processExecutor: Executor = {
  execute: async (execution) => (await load()).executeProcess(execution),
  finish: async (run) => (await load()).finishProcesses(run),
};

let loaded: Promise<typeof import("./process_pass.ts")> | undefined;

/** A program that brings its own executor never loads this one. */
function load(): Promise<typeof import("./process_pass.ts")> {
  return loaded ??= import("./process_pass.ts");
}
