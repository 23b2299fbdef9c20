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

/** As much of an unknown kind as is quoted. */
const LONGEST_KIND = 40;

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

type Given = Readonly<Record<string, unknown>>;

const SUCCEEDED: Outcome = { kind: "succeeded" };

/**
 * Reads what an executor of another program returned, which may be anything, and may be something else when it is read
 * again: each member is read once.
 *
 * @returns an outcome of its own, or in a text what keeps the value from being one.
 */
export function readOutcome(value: unknown): Outcome | string {
  if (typeof value !== "object" || value === null) return `it is ${typeName(value)}`;
  const { kind, leftovers, written } = value as Given;
  if (kind === "succeeded" && leftovers === undefined && written === undefined) return SUCCEEDED;
  return readParticulars(value as Given, kind, leftovers, written);
}

/** Apart from the success that says no more, which is the outcome of most tasks. */
function readParticulars(
  given: Given,
  kind: unknown,
  leftovers: unknown,
  written: unknown,
): Outcome | string {
  if (!isCount(leftovers)) return "its `leftovers` is not a whole number from 0";
  if (!isCount(written)) return "its `written` is not a whole number from 0";
  if (!isKind(kind)) return problemOfKind(kind);
  const member = MEMBERS[kind];
  const particular = member === null ? undefined : given[member.name];
  if (member !== null && !member.isRight(particular)) {
    return `it is "${kind}", and its \`${member.name}\` is not ${member.what}`;
  }
  return {
    kind,
    ...member === null ? {} : { [member.name]: particular },
    ...leftovers === undefined ? {} : { leftovers },
    ...written === undefined ? {} : { written },
  } as Outcome;
}

function problemOfKind(kind: unknown): string {
  if (kind === undefined) return "it has no `kind`";
  if (typeof kind !== "string") return `its \`kind\` is ${typeName(kind)}`;
  return `its \`kind\` "${kind.slice(0, LONGEST_KIND)}" is not one of those that are known`;
}

function typeName(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  return `a${typeof value === "object" ? "n" : ""} ${typeof value}`;
}

function isKind(value: unknown): value is OutcomeKind["kind"] {
  return typeof value === "string" && Object.hasOwn(MEMBERS, value);
}

/** Whether a count is one, or is left out. */
function isCount(value: unknown): boolean {
  return value === undefined || Number.isSafeInteger(value) && (value as number) >= 0;
}
