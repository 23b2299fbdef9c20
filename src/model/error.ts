/** The codes of the errors that Skein throws. */
export type SkeinErrorCode =
  | "manifest-invalid"
  | "manifest-unreadable"
  | "stopped"
  | "state-corrupt"
  | "state-unusable"
  | "reset-refused"
  | "run-missing"
  | "run-refused"
  | "key-taken"
  | "usage"
  | "input-missing"
  | "internal";

/** Where an error happened and what to do about it. */
export interface SkeinErrorDetail {
  /** The file, folder or document place that the error is about. */
  readonly where?: string;
  /** What the reader can do next. */
  readonly next?: string;
  /** The error underneath. */
  readonly cause?: unknown;
}

/** A broken precondition or a failing environment: what, where, and what to do next. */
export class SkeinError extends Error {
  /** The kind of error, stable across versions. */
  readonly code: SkeinErrorCode;
  /** The file, folder or document place that the error is about. */
  readonly where: string | undefined;
  /** What the reader can do next. */
  readonly next: string | undefined;

  /** Makes an error of a kind. */
  constructor(code: SkeinErrorCode, message: string, detail: SkeinErrorDetail = {}) {
    super(message, detail.cause === undefined ? undefined : { cause: detail.cause });
    this.name = new.target.name;
    this.code = code;
    this.where = detail.where;
    this.next = detail.next;
  }
}

/** Thrown by `run()` when the swarm is stopped: nothing was started. */
export class StoppedError extends SkeinError {
  /** Makes the error for a state directory. */
  constructor(stateDir: string, detail: SkeinErrorDetail = {}, why = "the swarm is stopped") {
    super("stopped", `Cannot start in "${stateDir}": ${why}`, {
      where: stateDir,
      next: "Inspect it with `skein status`, then run `skein reset` before a new run",
      ...detail,
    });
  }
}

/** The text of whatever was thrown. */
export function messageOf(error: unknown): string {
  try {
    return String(error instanceof Error ? error.message : error);
  } catch {
    return "An error that does not say what it is";
  }
}
