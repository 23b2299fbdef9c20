/**
 * Processes: start one, carry its streams, kill its tree and look whether it is gone. Owns sessions, groups and the
 * search for a tree; refuses to call dead what it could not look at; holds promise G4.
 *
 * @module
 */
export { addEntries, BASE_VARIABLES, checkInherited, grantedEnv, ownEnv } from "./environment.ts";
export { registerChild } from "./children.ts";
export { findAny, killUntilGone } from "./kill.ts";
export type { Machine, Mount, ProcSeen, Standing, ToolSeen } from "./machine.ts";
export type {
  Belongs,
  EndedPass,
  Finder,
  Leftovers,
  Platform,
  RunMark,
  Sweep,
  TrackedProcess,
} from "./platform.ts";
export { identityText } from "./platform.ts";
export { platform } from "./select.ts";
export { type Ending, type ProcessRequest, runProcess } from "./spawn.ts";
export type { Stdin } from "./streams.ts";
export { missingTools } from "./tools.ts";
