/**
 * What a finding about the files of a state directory means. Pure: everything that it judges is handed to it.
 *
 * @module
 */
import type { HoldersSeen } from "../fence/mod.ts";
import type { EpochSeen, Look } from "../fence/record.ts";
import type { Violation } from "../store/mod.ts";
import { plural } from "../view/progress.ts";
import { type Check, failed, ok, type Tried, unknown, warning } from "./doctor_check.ts";

/** The swarm's id. */
export type IdFacts =
  | { readonly is: "there" }
  /** `used`: processes were started from here, and carry an id that is gone. */
  | { readonly is: "missing"; readonly used: boolean }
  | { readonly is: "unreadable"; readonly problem: string };

/** The queue. */
export type QueueFacts =
  | { readonly is: "none" }
  | { readonly is: "open"; readonly highest: number; readonly violations: readonly Violation[] }
  | { readonly is: "unusable"; readonly problem: string; readonly next: string | null }
  /** Somebody else keeps it locked, so that it cannot even be read. */
  | { readonly is: "locked"; readonly waitedMs: number };

/** How many violations are named. */
const MOST_NAMED = 3;

/** The id that every process of the swarm carries. */
export function judgeId(id: IdFacts): Check {
  const check = "id";
  const next =
    "Restore ID from a backup, or use a new state directory once no process of this one is left";
  if (id.is === "there") return ok(check, "The swarm has its id");
  if (id.is === "unreadable") {
    const message = `Nothing can run, and a stop does not know its processes: ${id.problem}`;
    return failed(check, message, next);
  }
  if (!id.used) return ok(check, "The swarm has no id yet; its first run makes it");
  const message =
    "Nothing can run, and a stop does not know its processes: ID is missing in a folder that was used";
  return failed(check, message, next);
}

/** What is at STOP. */
export function judgeStop(look: Look): Check {
  const check = "stop";
  if (look.at === "nothing") return ok(check, "Nothing is at STOP: work may start");
  if (look.problem !== null) {
    const message = `Nothing starts, and why is not known: ${look.problem}`;
    const next =
      "See what is at STOP, then name an epoch above every one that was used: `skein reset --epoch N`";
    return failed(check, message, next);
  }
  const { record } = look;
  const why = record === null || record.reason === "" ? "" : `: ${JSON.stringify(record.reason)}`;
  return warning(
    check,
    `Nothing starts: the swarm was stopped${why}`,
    "See why with `skein status`, then `skein reset`",
  );
}

/** What is in EPOCH. */
export function judgeEpoch(epoch: EpochSeen): Check {
  if (epoch.ok) return ok("epoch", `The epoch is ${epoch.epoch}`);
  const message = `Nothing can run: ${epoch.problem}`;
  const next =
    "Mend the file's permissions; if what it holds is wrong, name an epoch above every one that was used: `skein reset --epoch N`";
  return failed("epoch", message, next);
}

/** Who holds the state directory. */
export function judgeHolders({ live, dead, problems }: HoldersSeen): Check {
  const check = "holders";
  if (problems.length > 0) {
    const message = `A stop cannot tell who lives, and proves nothing: ${problems.join("; ")}`;
    return failed(check, message, "Mend the permissions of the folder and of what is in it");
  }
  const nameless = live.filter(({ record }) => record === null);
  if (nameless.length > 0) {
    const files = nameless.map(({ id }) => `holders/${id}`).join(", ");
    const message =
      `A stop cannot kill who does not let go by itself: the record of ${files} cannot be read`;
    return failed(check, message, "Find the process that has the file open (`lsof`), and end it");
  }
  const alive = live.length === 0
    ? "No run and no worker lives"
    : `Runs and workers that live: ${live.length}`;
  if (dead.length === 0) return ok(check, alive);
  const message = `${alive}; ${
    plural(dead.length, "process has", "processes have")
  } died without an end, and may have left others behind`;
  return warning(
    check,
    message,
    "Look with `skein ps`; the next run ends them, or `skein stop` and `skein reset`",
  );
}

/**
 * The queue.
 *
 * @param epoch what is in EPOCH.
 */
export function judgeQueue(queue: Tried<QueueFacts>, epoch: EpochSeen): Check {
  const check = "queue";
  if (!queue.ok) return unknown(check, `It could not be looked at: ${queue.problem}`);
  const facts = queue.value;
  switch (facts.is) {
    case "none":
      return ok(check, "There is no queue");
    case "unusable":
      return failed(
        check,
        `The queue cannot be used: ${facts.problem}`,
        facts.next ?? "Go back to a backup",
      );
    case "locked": {
      const seconds = Math.round(facts.waitedMs / 1000);
      const message = `The queue cannot be used: somebody has locked queue.db for ${seconds} s`;
      return failed(check, message, "Find the process that has it open (`lsof`), and end it");
    }
    case "open":
      return judgeOpenQueue(facts, epoch);
  }
}

function judgeOpenQueue(
  { highest, violations }: Extract<QueueFacts, { is: "open" }>,
  epoch: EpochSeen,
): Check {
  const check = "queue";
  if (violations.length > 0) {
    const named = violations.slice(0, MOST_NAMED).map(({ check, id }) => `${check} ${id}`);
    const more = violations.length - named.length;
    const message = `${
      plural(violations.length, "promise of the queue is", "promises of the queue are")
    } broken: ${named.join(", ")}${more === 0 ? "" : ` and ${more} more`}`;
    return failed(check, message, "See all of it with `skein fsck`, then docs/operations.md");
  }
  if (epoch.ok && highest > epoch.epoch) {
    const message =
      `The queue is refused: EPOCH is ${epoch.epoch}, but the queue has seen ${highest}`;
    const next = `Inspect the folder, then \`skein reset --epoch ${highest + 1}\``;
    return failed(check, message, next);
  }
  return ok(check, "The database is whole");
}
