import { roundedMs } from "../clock/mod.ts";
import type { Outcome } from "../model/mod.ts";
import {
  emptyRecord,
  noteOutcome,
  SUCCEEDED,
  type Tally,
  type TaskRecord,
  type Verdict,
} from "./tally.ts";

/** What a slot has of the task that it runs. A record is made as soon as there is more to say of it than its time. */
export class Seat {
  /** Its place among what runs. */
  readonly slot: number;
  /** The time, on the stopwatch, when it was last read. */
  now = 0;
  #startedAt = 0;
  #attempts = 0;
  #record: TaskRecord | null = null;

  /** Makes one that is free. */
  constructor(slot: number) {
    this.slot = slot;
  }

  /** Whether nothing has been noted of its task. */
  get isUnnoted(): boolean {
    return this.#record === null;
  }

  /** A task starts, or starts only now. */
  start(): void {
    this.#startedAt = this.now;
  }

  /** An attempt begins. */
  begin(): void {
    this.#attempts++;
  }

  /** Notes what an attempt came to, in the record that it returns. */
  note(outcome: Outcome): TaskRecord {
    const record = this.#record ??= emptyRecord();
    noteOutcome(record, outcome);
    return record;
  }

  /** Its task ends, and it is free. */
  end(tally: Tally, task: number, verdict: Verdict): void {
    const durationMs = this.now - this.#startedAt;
    if (verdict === SUCCEEDED && this.#record === null) tally.succeed(task, durationMs);
    else {
      const record = this.#record ?? emptyRecord();
      record.attempts = this.#attempts;
      record.durationMs = roundedMs(durationMs);
      tally.end(task, verdict, record);
    }
    this.#attempts = 0;
    this.#record = null;
  }
}
