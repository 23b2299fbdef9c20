/** The codes of the catalogue that the machines and the verdict give. The catalogue must have each of them. */
export type MachineReason =
  | "TASK_FAILED_EXECUTOR_LOST"
  | "TASK_SKIPPED_NEED_FAILED"
  | "TASK_CANCELLED"
  | "TASK_CANCELLED_OPERATOR"
  | "TASK_CANCELLED_RUN_TIMEOUT"
  | "TASK_CANCELLED_RUN_FAILED"
  | "TASK_CANCELLED_RUN_POISON"
  | "TASK_STOPPED"
  | "TASK_DEFERRED_RETRY"
  | "RUN_FAILED_TASKS"
  | "RUN_FAILED_TIMEOUT"
  | "RUN_FAILED_ENVIRONMENT"
  | "RUN_FAILED_POISON"
  | "RUN_CANCELLED"
  | "RUN_CANCELLED_OPERATOR"
  | "RUN_STOPPED"
  | "RUN_STOPPED_QUEUED"
  | "RUN_DEFERRED_CRASHED"
  | "RUN_DEFERRED_LOST"
  | HandBackReason
  | "WRITE_REFUSED_STALE"
  | "WRITE_REFUSED_STOPPED";

/** Why the end of a run cancels its pending tasks. */
export type CancelReason = Extract<MachineReason, `TASK_CANCELLED_${string}`>;

/** Why a claimed run is handed back. */
export type HandBackReason = "RUN_HANDED_BACK_DRAIN" | "RUN_HANDED_BACK_ENVIRONMENT";

const HAND_BACKS: readonly string[] = [
  "RUN_HANDED_BACK_DRAIN",
  "RUN_HANDED_BACK_ENVIRONMENT",
] satisfies HandBackReason[];

/** Whether a code says why a run is handed back. */
export function isHandBackReason(code: string): code is HandBackReason {
  return HAND_BACKS.includes(code);
}
