/** How serious a reason is. */
export type ReasonLevel = "info" | "warning" | "error";

/** Why a run or a task is in a state: text for a person. */
export interface Reason {
  /** How serious it is. */
  readonly level: ReasonLevel;
  /** A few words. */
  readonly short: string;
  /** What happened. */
  readonly explanation: string;
  /** What to do about it. */
  readonly remedy: string;
}

const catalogue = {
  TASK_FAILED_EXIT: {
    level: "error",
    short: "exited with a code other than 0",
    explanation:
      "The command of a pass ended with an exit code other than 0, in every attempt it had.",
    remedy: "Read its standard error with `skein logs`, mend the command, or give it more attempts",
  },
  TASK_FAILED_SIGNAL: {
    level: "error",
    short: "ended by a signal",
    explanation:
      "The command was ended by a signal that Skein did not send, such as a crash or the system's memory guard.",
    remedy:
      "Read the signal's name in the report; for KILL look for the system's out-of-memory messages",
  },
  TASK_FAILED_TIMEOUT: {
    level: "error",
    short: "did not end in time",
    explanation: "An attempt ran longer than its `timeoutMs` and its process tree was ended.",
    remedy: "Raise `timeoutMs` of the task or the block, or find what the command waits for",
  },
  TASK_FAILED_OUTPUT_LIMIT: {
    level: "error",
    short: "wrote more than it may",
    explanation:
      "An attempt wrote more than `limits.maxOutputBytes` and its process tree was killed.",
    remedy: "Raise `limits.maxOutputBytes`, or let the command write a file and print its name",
  },
  TASK_FAILED_PROGRAM_MISSING: {
    level: "error",
    short: "program not found",
    explanation:
      "There is no program of the name in `argv[0]`, neither as a path nor on the PATH that the task was granted.",
    remedy: "Install the program, name it by its path, or grant the PATH that has it",
  },
  TASK_FAILED_PROGRAM_NOT_EXECUTABLE: {
    level: "error",
    short: "program not executable",
    explanation: "The file that `argv[0]` names is there, but the system does not execute it.",
    remedy: "Set its executable bit (`chmod +x`), or name its interpreter first in `argv`",
  },
  TASK_FAILED_PROGRAM_REFUSED: {
    level: "error",
    short: "program not permitted",
    explanation: "Skein runs with a list of permitted programs and this one is not on it.",
    remedy: "Add the program to `--allow-run`, or take the task out of the manifest",
  },
  TASK_FAILED_FOLDER_MISSING: {
    level: "error",
    short: "folder not found",
    explanation: "The folder in `cwd` does not exist or is no folder.",
    remedy: "Make the folder, or mend `cwd`; it is relative to the manifest's folder",
  },
  TASK_FAILED_ENVIRONMENT: {
    level: "error",
    short: "the machine refused",
    explanation:
      "The attempt could not be started or its artifacts could not be written: a full disk, no more processes, an argument list that is too long.",
    remedy: "Read the message, make room, and run again",
  },
  TASK_SKIPPED_NEED_FAILED: {
    level: "warning",
    short: "a task that it needs did not succeed",
    explanation:
      "A task in `needs`, or one further up, did not succeed, so this one was not started.",
    remedy: "Mend the task that failed and run again",
  },
  TASK_CANCELLED: {
    level: "warning",
    short: "cancelled",
    explanation:
      "The run was cancelled before the task had ended: Ctrl-C, TERM, HUP, or the embedding program's signal.",
    remedy: "Run again",
  },
  TASK_CANCELLED_FAIL_FAST: {
    level: "warning",
    short: "not started after a failure",
    explanation: "Another task failed under `--fail-fast`, which stops admitting tasks.",
    remedy: "Mend the task that failed, or run without `--fail-fast`",
  },
  TASK_CANCELLED_RUN_TIMEOUT: {
    level: "error",
    short: "the run's time was over",
    explanation:
      "The whole run took longer than `limits.runTimeoutMs`; what had not ended was ended.",
    remedy: "Raise `limits.runTimeoutMs`, or give the run more workers",
  },
  TASK_CANCELLED_RUN_FAILED: {
    level: "error",
    short: "the run could not go on",
    explanation:
      "The orchestrator met an error of its own, such as an unwritable state directory, and ended everything.",
    remedy: "Read the run's error, mend it, and run again",
  },
  TASK_STOPPED: {
    level: "warning",
    short: "stopped",
    explanation:
      "The swarm was stopped before the task's result was accepted; nothing of it was published.",
    remedy: "Inspect with `skein status`, then `skein reset`, then run again",
  },
  RUN_FAILED_TASKS: {
    level: "error",
    short: "at least one task failed",
    explanation: "Every task has ended and at least one of them failed.",
    remedy: "Read the failed tasks with `skein show` and `skein logs`",
  },
  RUN_FAILED_TIMEOUT: {
    level: "error",
    short: "did not end in time",
    explanation: "The run took longer than `limits.runTimeoutMs`.",
    remedy: "Raise `limits.runTimeoutMs`, or give the run more workers",
  },
  RUN_FAILED_ENVIRONMENT: {
    level: "error",
    short: "could not go on",
    explanation:
      "The orchestrator met an error of its own, such as a full disk, and ended everything.",
    remedy: "Read the error, make room or mend the permissions, and run again",
  },
  RUN_CANCELLED: {
    level: "warning",
    short: "cancelled",
    explanation: "Ctrl-C, TERM, HUP or the embedding program's signal ended the run.",
    remedy: "Run again",
  },
  RUN_STOPPED: {
    level: "warning",
    short: "stopped",
    explanation: "The swarm was stopped while the run was going on.",
    remedy: "Inspect with `skein status`, then `skein reset`, then run again",
  },
} as const satisfies Record<string, Reason>;

/** A code of the closed catalogue. */
export type ReasonCode = keyof typeof catalogue;

/** Every reason by its code. */
export const REASONS: Readonly<Record<ReasonCode, Reason>> = catalogue;

/** Whether a text is a code of the catalogue. */
export function isReasonCode(text: string): text is ReasonCode {
  return Object.hasOwn(catalogue, text);
}
