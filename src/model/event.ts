/** The closed set of kinds of events of a run. */
export const EVENT_KINDS = [
  "run-started",
  "pass-started",
  "pass-retrying",
  "pass-finished",
  "output-published",
  "output-withdrawn",
  "lease-refused",
  "task-finished",
  "stop-noticed",
  "cancel-requested",
  "run-finished",
] as const;

/** A kind of event. */
export type EventKind = typeof EVENT_KINDS[number];

/** One line of `events.jsonl`. */
export interface RunEvent {
  /** From 1, rising by one. */
  readonly seq: number;
  /** ISO 8601, UTC. */
  readonly at: string;
  /** What happened. */
  readonly kind: EventKind;
  /** The run. */
  readonly runId: string;
  /** The task, empty for events of the run. */
  readonly taskId: string;
  /** The pass, 0 for events that have none. */
  readonly pass: number;
  /** The attempt, 0 for events that have none. */
  readonly attempt: number;
  /** The epoch of the run. */
  readonly epoch: number;
  /** The status or outcome after the event. */
  readonly status: string;
  /** Particulars for a reader. */
  readonly message: string;
}
