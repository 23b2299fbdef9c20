import { isRetryable, type Outcome } from "../../model/mod.ts";
import type { TaskVerdict } from "../../store/mod.ts";
import { OUTPUT_CHANGED, OWN_ABORT } from "../outcomes.ts";
import { verdictOf } from "../tally.ts";
import type { Completed } from "./queue_stage.ts";

/** Why a claimed run ends before its last task. A later one overrides an earlier one. */
export const QUEUE_CAUSES = [
  "drain",
  "run-timeout",
  "operator",
  "failed",
  "lost",
  "stop",
] as const;

/** Why a claimed run ends before its last task. */
export type QueueCause = typeof QUEUE_CAUSES[number];

/** What an attempt that succeeded is settled as. */
export function verdictOfSuccess(completed: Completed, leftovers: number): TaskVerdict {
  if (completed.kind === "changed") return verdictOfFailure(OUTPUT_CHANGED, leftovers);
  return { kind: "succeeded", output: completed.output, exitCode: 0, leftovers };
}

/**
 * What an attempt that did not succeed is settled as; `null` where it was cut short by something that counts against
 * nothing.
 */
export function verdictOfTry(
  outcome: Exclude<Outcome, { kind: "succeeded" }>,
  cause: QueueCause | null,
): TaskVerdict | null {
  const { leftovers = 0 } = outcome;
  if (outcome.kind !== "aborted") return verdictOfFailure(outcome, leftovers);
  switch (cause) {
    case null:
      return verdictOfFailure(OWN_ABORT, leftovers);
    case "operator":
      return { kind: "cancelled", reason: "TASK_CANCELLED_OPERATOR", message: null, leftovers };
    case "run-timeout":
      return { kind: "cancelled", reason: "TASK_CANCELLED_RUN_TIMEOUT", message: null, leftovers };
    case "drain":
    case "failed":
    case "lost":
    case "stop":
      return null;
  }
}

function verdictOfFailure(
  outcome: Exclude<Outcome, { kind: "succeeded" | "aborted" }>,
  leftovers: number,
): TaskVerdict {
  const { reason, message } = verdictOf(outcome);
  return {
    kind: "failed",
    reason: reason ?? "TASK_FAILED_ENVIRONMENT",
    message,
    retryable: isRetryable(outcome),
    exitCode: outcome.kind === "exited" ? outcome.code : null,
    signal: outcome.kind === "signalled" ? outcome.signal : null,
    leftovers,
  };
}
