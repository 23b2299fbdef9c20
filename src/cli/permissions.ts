import { TREE_WORD } from "./tree.ts";

/** What the runtime grants or refuses a process. */
export type PermissionKind = Deno.PermissionDescriptor["name"];

/** Every kind. */
export const KINDS: readonly PermissionKind[] = [
  "read",
  "write",
  "env",
  "sys",
  "run",
  "net",
  "ffi",
  "import",
];

/** What a command uses. */
export interface Keeps {
  /** The kinds of permissions that it keeps, as far as they were granted. The others it gives up at its start. */
  readonly kinds: readonly PermissionKind[];
  /** Whether it looks at processes: see `proc/sight.ts`. */
  readonly sight: Sight;
}

/** Not at all; all the time; or late, after what must not wait. */
export type Sight = "none" | "always" | "late";

/** Files to read, and modules that are loaded when they are asked for. */
const READS: Keeps = { kinds: ["read"], sight: "none" };
/** The state directory, whose locks and database are opened for writing by whoever reads them. */
const STATE: Keeps = { kinds: ["read", "write"], sight: "none" };
/** The same on behalf of a person, whose name goes into the audit. */
const OPERATOR: Keeps = { kinds: ["read", "write", "env", "sys"], sight: "none" };
/** The state directory, and processes to look at and to end. */
const PROCESSES: Keeps = { kinds: ["read", "write", "run"], sight: "always" };
/** The same, and what a process is told by who has started it. */
const LOCAL: Keeps = { kinds: ["read", "write", "env", "run"], sight: "always" };
/** The same, and who and where this is. */
const SWARM: Keeps = { kinds: ["read", "write", "env", "sys", "run"], sight: "always" };

/** What each command keeps; nothing keeps `net`, `ffi` or `import`. */
export const KEEPS: Readonly<Record<string, Keeps>> = {
  run: LOCAL,
  validate: READS,
  graph: READS,
  schema: READS,
  stop: { ...SWARM, sight: "late" },
  status: { kinds: ["read", "write", "sys"], sight: "late" },
  reset: LOCAL,
  runs: STATE,
  show: STATE,
  logs: STATE,
  ps: PROCESSES,
  lease: { ...LOCAL, sight: "none" },
  submit: STATE,
  work: SWARM,
  cancel: OPERATOR,
  retry: OPERATOR,
  recover: { kinds: ["read", "write", "sys", "run"], sight: "always" },
  drain: STATE,
  fsck: STATE,
  explain: { kinds: ["read", "write", "sys"], sight: "none" },
  prune: PROCESSES,
  prove: SWARM,
  doctor: SWARM,
  completions: READS,
  version: { kinds: [], sight: "none" },
  help: READS,
  [TREE_WORD]: { kinds: ["read", "write", "run"], sight: "none" },
};
