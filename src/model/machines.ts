/**
 * The state machines of the queue: what may become of a run and of a task, by total tables, and the verdict of a run. An
 * entry of its own, so that a command that touches no run does not load it.
 *
 * @module
 */
export { isHolder, jitteredBackoff, reasonOfRefusal, REFUSALS } from "./machine.ts";
export { isHandBackReason } from "./machine_reason.ts";
export { RUN_EVENT_KINDS, STORE_EVENT_KINDS, TASK_EVENT_KINDS } from "./queue.ts";
export { decideRun } from "./run_machine.ts";
export { decideTask } from "./task_machine.ts";
export { verdictAgrees, verdictOfRun, verdictOfTasks } from "./verdict.ts";
