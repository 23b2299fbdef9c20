import type { MachineReason } from "../model/mod.ts";

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
    short: "the machine refused, or a function threw",
    explanation:
      "The attempt could not be started or its artifacts could not be written: a full disk, no more processes, an argument list that is too long. Where a function of an embedding program runs it: that has thrown, or has returned what is no output.",
    remedy: "Read the message; make room or mend the function, and run again",
  },
  TASK_FAILED_EXECUTOR_LOST: {
    level: "error",
    short: "lost with its executor",
    explanation:
      "The worker that ran the attempt died, or lost its claim, before it had settled the result, and the pass has no attempt left.",
    remedy:
      "Make sure that the command can run again without harm, then give it more attempts with `retry.maxAttempts`, or reopen the run with `skein retry --failed-only`",
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
  TASK_CANCELLED_OPERATOR: {
    level: "warning",
    short: "cancelled by an operator",
    explanation: "`skein cancel` ended the queued run before the task had ended.",
    remedy: "Reopen the run with `skein retry`, if it is wanted after all",
  },
  TASK_CANCELLED_RUN_POISON: {
    level: "error",
    short: "its run was quarantined",
    explanation:
      "The task had not ended when its run had killed as many executors as it may, and was failed.",
    remedy: "See what the run did to its workers, mend it, and reopen it with `skein retry`",
  },
  TASK_DEFERRED_RETRY: {
    level: "info",
    short: "waits for its next attempt",
    explanation: "The last attempt failed, and the next one is due after a backoff.",
    remedy: "Nothing: a worker starts it when it is due",
  },
  TASK_STOPPED: {
    level: "warning",
    short: "stopped",
    explanation:
      "The swarm was stopped before the task's result was accepted; nothing of it was published.",
    remedy:
      "Inspect with `skein status`, then `skein reset`, then run again, or `skein retry` what was queued",
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
  RUN_FAILED_POISON: {
    level: "error",
    short: "quarantined: its executors died",
    explanation:
      "As many executors as the limit allows have verifiably died while they held the run, so it is not tried again by itself.",
    remedy:
      "Read the run's events and the workers' logs: it may exhaust the memory or kill its parent; mend it, then `skein retry`",
  },
  RUN_CANCELLED: {
    level: "warning",
    short: "cancelled",
    explanation: "Ctrl-C, TERM, HUP or the embedding program's signal ended the run.",
    remedy: "Run again",
  },
  RUN_CANCELLED_OPERATOR: {
    level: "warning",
    short: "cancelled by an operator",
    explanation: "`skein cancel` was asked to end the queued run.",
    remedy: "Reopen it with `skein retry`, if it is wanted after all",
  },
  RUN_STOPPED: {
    level: "warning",
    short: "stopped",
    explanation: "The swarm was stopped while the run was going on.",
    remedy:
      "Inspect with `skein status`, then `skein reset`, then run again, or `skein retry` what was queued",
  },
  RUN_STOPPED_QUEUED: {
    level: "warning",
    short: "invalidated by a stop",
    explanation:
      "The swarm was stopped while the run waited in the queue. What was queued before a stop never starts by itself.",
    remedy: "Inspect with `skein status`, then `skein reset`, then `skein retry` the run",
  },
  RUN_DEFERRED_CRASHED: {
    level: "warning",
    short: "waits after its executor died",
    explanation:
      "The executor that held the run is verifiably gone. The death counts towards the quarantine, and the run is due again after a backoff, alone in its worker.",
    remedy: "Nothing, unless it happens again: then see what the run does to its worker",
  },
  RUN_DEFERRED_LOST: {
    level: "warning",
    short: "waits after its claim was lost",
    explanation:
      "The lease expired without a renewal, and nobody could verify that the executor is gone. It counts as no crash; the run is due again after a backoff.",
    remedy: "See whether the worker was suspended, or could not reach the store",
  },
  RUN_HANDED_BACK_DRAIN: {
    level: "info",
    short: "handed back by a worker that drained",
    explanation:
      "The worker was asked to end (TERM, INT or `skein drain`) and handed the run back. Attempts that were cut short count against nothing.",
    remedy: "Nothing: another worker takes it",
  },
  RUN_HANDED_BACK_ENVIRONMENT: {
    level: "warning",
    short: "handed back by a worker that could not go on",
    explanation:
      "The worker met an error of its own, such as a full disk, and handed the run back. Attempts that were cut short count against nothing.",
    remedy: "Read the worker's error, and make room or mend the permissions",
  },
  WRITE_REFUSED_STALE: {
    level: "warning",
    short: "a write under an outdated claim was refused",
    explanation:
      "An executor whose claim had expired or was taken from it tried to write. Nothing changed, its result was discarded, and it killed its process trees.",
    remedy: "See why it had not renewed: a suspended machine, a busy disk, a short `--lease-ttl`",
  },
  WRITE_REFUSED_STOPPED: {
    level: "warning",
    short: "a write was refused because of a stop",
    explanation:
      "An executor tried to write after the swarm was stopped. Nothing changed and its result was discarded.",
    remedy: "Inspect with `skein status`, then `skein reset`, then `skein retry` the run",
  },
} as const satisfies Record<string, Reason> & Record<MachineReason, Reason>;

/** A code of the closed catalogue. */
export type ReasonCode = keyof typeof catalogue;

/** Every reason by its code. */
export const REASONS: Readonly<Record<ReasonCode, Reason>> = catalogue;

/** Whether a text is a code of the catalogue. */
export function isReasonCode(text: string): text is ReasonCode {
  return Object.hasOwn(catalogue, text);
}
