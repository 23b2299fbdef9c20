import type { Executed, WorkerNotice } from "../engine/durable/mod.ts";
import { messageOf } from "../model/mod.ts";
import { plural } from "../view/progress.ts";
import { shortOf } from "../view/queued_run.ts";
import { say } from "./output.ts";

/** What a worker says on standard error. */
export class WorkerTalk {
  /** The worker. */
  readonly owner: string;
  readonly #quiet: boolean;
  #begun = false;

  /** Says nothing yet, and where it is quiet only what goes wrong. */
  constructor(owner: string, quiet: boolean) {
    this.owner = owner;
    this.#quiet = quiet;
  }

  /** The worker has started. Said before anything that it does. */
  begin(): void {
    if (!this.#begun && !this.#quiet) say(`skein: ${this.owner} works`);
    this.#begun = true;
  }

  /** Something has happened. */
  tell(notice: WorkerNotice): void {
    if (this.#quiet && notice.kind !== "trouble") return;
    this.begin();
    say(`skein: ${describeNotice(notice)}`);
  }
}

/** What a worker tells, as one line. */
export function describeNotice(notice: WorkerNotice): string {
  switch (notice.kind) {
    case "claimed": {
      const { runId, name, round, alone } = notice;
      const more = [round > 1 ? `round ${round}` : "", alone ? "alone" : ""].filter(Boolean);
      const detail = more.length === 0 ? "" : ` (${more.join(", ")})`;
      return `run ${runId} claimed${name === "" ? "" : `: ${name}`}${detail}`;
    }
    case "ended":
      return describeEnd(notice.executed);
    case "reaped": {
      const { ref, state, reason } = notice.run;
      return `run ${ref.runId} was taken from ${ref.owner}: ${state}${shortOf(reason)}`;
    }
    case "trouble":
      return `cannot ${notice.action}: ${messageOf(notice.error)}`;
    case "draining":
      return notice.by === "request" ? "drains, as it was asked to" : "drains";
    case "closed":
      return `run ${notice.run.runId} closed as stopped: it was ${notice.run.from} before a stop`;
    case "pruned":
      return `${plural(notice.runIds.length, "ended run")} removed`;
  }
}

/** Why the one run that was wanted was not claimed. */
export function reasonUnclaimed(
  { why, availableAt }: Extract<Executed, { kind: "refused" }>,
): string {
  switch (why) {
    case "invalidated":
      return "a stop has invalidated it";
    case "deferred":
      return `it is not due before ${new Date(availableAt ?? 0).toISOString()}`;
    case "alone":
      return "it executes alone, and this worker holds another run";
    case "not-queued":
      return "it is not queued";
    case "unknown":
      return "it is not in the queue any more";
  }
}

function describeEnd(executed: Executed): string {
  switch (executed.kind) {
    case "finished":
      return `run ${executed.runId} ${executed.state}${shortOf(executed.reason)}`;
    case "handed-back": {
      const { runId, error } = executed;
      return `run ${runId} handed back${error === null ? "" : `: ${messageOf(error)}`}`;
    }
    case "lost":
      return `run ${executed.runId} lost: its claim is over, and what it came to was discarded`;
    case "stopped":
      return executed.runId === null ? "stopped" : `run ${executed.runId} stopped`;
    case "none":
      return "nothing is due";
    case "refused":
      return `run ${executed.runId} refused: ${reasonUnclaimed(executed)}`;
  }
}
