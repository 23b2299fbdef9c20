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

/** A member that an outcome of some kind must have. */
interface Member {
  readonly name: string;
  readonly what: string;
  readonly isRight: (value: unknown) => boolean;
}

const CODE: Member = {
  name: "code",
  what: "a whole number other than 0",
  isRight: (value) => Number.isSafeInteger(value) && value !== 0,
};
const SIGNAL: Member = {
  name: "signal",
  what: "the name of a signal",
  isRight: (value) => typeof value === "string" && value !== "",
};
const MESSAGE: Member = {
  name: "message",
  what: "text",
  isRight: (value) => typeof value === "string",
};

/** What each kind must have besides. */
const MEMBERS: Readonly<Record<OutcomeKind["kind"], Member | null>> = {
  "succeeded": null,
  "exited": CODE,
  "signalled": SIGNAL,
  "timed-out": null,
  "output-limit": null,
  "program-missing": MESSAGE,
  "program-not-executable": MESSAGE,
  "program-refused": MESSAGE,
  "folder-missing": MESSAGE,
  "failed": MESSAGE,
  "aborted": null,
};

/** What keeps a value from being an outcome, `null` where nothing does: an executor of another program may return anything. */
export function outcomeProblem(value: unknown): string | null {
  if (typeof value !== "object" || value === null) return "it is no object";
  const { kind, leftovers, written } = value as Readonly<Record<string, unknown>>;
  if (!isCount(leftovers)) return "its `leftovers` is not a whole number from 0";
  if (!isCount(written)) return "its `written` is not a whole number from 0";
  if (kind === "succeeded") return null;
  if (!isKind(kind)) return "its `kind` is not one of those that are known";
  const member = MEMBERS[kind];
  if (member === null || member.isRight((value as Record<string, unknown>)[member.name])) {
    return null;
  }
  return `it is "${kind}", and its \`${member.name}\` is not ${member.what}`;
}

function isKind(value: unknown): value is OutcomeKind["kind"] {
  return typeof value === "string" && Object.hasOwn(MEMBERS, value);
}

/** Whether a count is one, or is left out. */
function isCount(value: unknown): boolean {
  return value === undefined || Number.isSafeInteger(value) && (value as number) >= 0;
}
