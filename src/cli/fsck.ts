import type { Violation } from "../store/mod.ts";
import { columns } from "../view/report.ts";
import { plural } from "../view/progress.ts";
import type { Command, Invocation } from "./command.ts";
import { EXIT } from "./exit.ts";
import { answer } from "./output.ts";
import { withQueue } from "./queue.ts";

/** `skein fsck`. */
export const command: Command = {
  name: "fsck",
  summary: "Look for broken invariants in the queue",
  usage: "",
  words: [0, 0],
  description: [
    "Checks every promise that the queue can be checked for: claims, leases, attempts, verdicts, the audit, and that each",
    "settled output is on the disk with its size and digest. Changes nothing, and may be used while workers work. Names",
    "what it finds, and then exits with 1.",
  ].join("\n"),
  flags: {},
  examples: [["skein fsck", "after a crash of the machine, or a restored backup"]],
  exits: [0, 1, 2],
  run: fsck,
};

function fsck(invocation: Invocation): Promise<number> {
  return withQueue(invocation.stateDir, async (store, stateDir) => {
    let violations: Violation[] = [];
    if (store !== null) {
      const { Engine, outsideFence } = await import("../engine/durable/mod.ts");
      violations = await new Engine({ store, fence: outsideFence(stateDir) }).fsck();
    }
    const healthy = violations.length === 0;
    answer(invocation, { healthy, violations }, () => {
      if (healthy) return store === null ? "Healthy: there is no queue" : "Healthy";
      const rows = violations.map(({ check, id, message }) => [check, id, message]);
      return [plural(violations.length, "violation"), ...columns(rows)].join("\n");
    });
    return healthy ? EXIT.ok : EXIT.error;
  });
}
