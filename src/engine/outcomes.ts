import { messageOf, type Outcome, readOutcome, SkeinError } from "../model/mod.ts";
import type { Attempt } from "./attempt.ts";

/** What an executor came to that gave up without being asked to. */
export const OWN_ABORT = {
  kind: "failed",
  message: "Its executor ended it, and not the run",
} as const satisfies Outcome;

/** What a pass came to whose output is gone, or is not what it wrote. */
export const OUTPUT_CHANGED = {
  kind: "failed",
  message: "Its output file is not what it wrote: something else has changed or removed it",
} as const satisfies Outcome;

/** What is no outcome fails the attempt. */
export function checkedOutcome(returned: Outcome): Outcome {
  const outcome = readOutcome(returned);
  if (typeof outcome !== "string") return outcome;
  return { kind: "failed", message: `Its executor returned no outcome: ${outcome}` };
}

/**
 * An executor's own error fails the attempt; there is no success by default.
 *
 * @throws {SkeinError} the error itself, where it is Skein's own.
 */
export function outcomeOfError(error: unknown): Outcome {
  if (error instanceof SkeinError) throw error;
  return { kind: "failed", message: messageOf(error) };
}

/** What was asked to end has not succeeded, whatever it says; what it had done wrong before counts. */
export function outcomeOfEnding(attempt: Attempt, outcome: Outcome): Outcome {
  if (outcome.kind !== "succeeded" && outcome.kind !== "aborted") return outcome;
  return { ...outcome, kind: attempt.timedOut ? "timed-out" : "aborted" };
}
