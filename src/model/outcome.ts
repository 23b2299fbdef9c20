/** What became of one attempt of one pass. */
export type Outcome = OutcomeKind & {
  /** Processes that it had left behind. */
  readonly leftovers?: number;
  /** Bytes that were written to its output file, where somebody else could have changed it since. */
  readonly written?: number;
};

/** What became of one attempt of one pass. */
export type OutcomeKind =
  /** It succeeded. */
  | { readonly kind: "succeeded" }
  /** Its process ended with a code other than 0. */
  | { readonly kind: "exited"; readonly code: number }
  /** Its process was ended by a signal that Skein did not send. */
  | { readonly kind: "signalled"; readonly signal: string }
  /** It did not end within its time and was killed. */
  | { readonly kind: "timed-out" }
  /** It wrote more than it may and was killed. */
  | { readonly kind: "output-limit" }
  /** There is no such program. */
  | { readonly kind: "program-missing"; readonly message: string }
  /** The program is there but cannot be executed. */
  | { readonly kind: "program-not-executable"; readonly message: string }
  /** Skein's own permissions do not let it start the program. */
  | { readonly kind: "program-refused"; readonly message: string }
  /** The command's folder is not there. */
  | { readonly kind: "folder-missing"; readonly message: string }
  /** The environment failed it: an argument list that is too long, a full disk, no more processes. */
  | { readonly kind: "failed"; readonly message: string }
  /** It ended because its signal was aborted: a stop, a cancellation, fail-fast. */
  | { readonly kind: "aborted" };

/** Whether another attempt can help: after a non-zero exit, a signal or a timeout. */
export function isRetryable(outcome: Outcome): boolean {
  return outcome.kind === "exited" || outcome.kind === "signalled" || outcome.kind === "timed-out";
}

const KINDS: ReadonlySet<unknown> = new Set<OutcomeKind["kind"]>([
  "succeeded",
  "exited",
  "signalled",
  "timed-out",
  "output-limit",
  "program-missing",
  "program-not-executable",
  "program-refused",
  "folder-missing",
  "failed",
  "aborted",
]);

/** Whether a value is an outcome: an executor of another program may return anything. */
export function isOutcome(value: unknown): value is Outcome {
  if (typeof value !== "object" || value === null) return false;
  const { kind } = value as { kind?: unknown };
  return kind === "succeeded" || KINDS.has(kind);
}
