import type { Command } from "./command.ts";

/** The commands in the order of the help, each loaded when it is asked for. */
export const COMMANDS: Readonly<Record<string, () => Promise<{ command: Command }>>> = {
  run: () => import("./run.ts"),
  validate: () => import("./validate.ts"),
  graph: () => import("./graph.ts"),
  schema: () => import("./schema.ts"),
  stop: () => import("./stop.ts"),
  status: () => import("./status.ts"),
  reset: () => import("./reset.ts"),
  runs: () => import("./runs.ts"),
  show: () => import("./show.ts"),
  logs: () => import("./logs.ts"),
  ps: () => import("./ps.ts"),
  submit: () => import("./submit.ts"),
  work: () => import("./work.ts"),
  cancel: () => import("./cancel.ts"),
  retry: () => import("./retry.ts"),
  recover: () => import("./recover.ts"),
  drain: () => import("./drain.ts"),
  fsck: () => import("./fsck.ts"),
  explain: () => import("./explain.ts"),
  prune: () => import("./prune.ts"),
  prove: () => import("./prove.ts"),
  version: () => import("./version.ts"),
  help: () => import("./help.ts"),
};
