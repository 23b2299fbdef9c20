import { plural } from "../view/progress.ts";
import { columns } from "../view/report.ts";
import type { Command, Invocation } from "./command.ts";
import type { Check } from "./doctor_check.ts";
import { EXIT } from "./exit.ts";
import { answer, say } from "./output.ts";

/** `skein doctor`. */
export const command: Command = {
  name: "doctor",
  summary: "Check this machine, and say what will not work on it",
  usage: "",
  words: [0, 0],
  description: [
    "Tries what Skein relies on where the state directory is, or would be made: locks, hard links, syncs, process groups,",
    "the search for processes, the clock, room. Then it looks at the state directory's own files and its queue. Says of",
    "each thing how it stands, what will not work, why, and what to do. Exits with 1 where something failed. Leaves nothing",
    "behind, and may be used while runs and workers go on.",
  ].join("\n"),
  flags: {
    witness: { type: "text", summary: "", hidden: true },
  },
  examples: [
    ["skein doctor", "before you rely on a machine"],
    ["skein doctor --state /mnt/shared/.skein", "is that a place for a state directory"],
  ],
  exits: [0, 1, 2, 129, 130, 143],
  run: doctor,
};

async function doctor(invocation: Invocation): Promise<number> {
  const lock = invocation.text("witness");
  if (lock !== undefined) {
    const { bearWitness } = await import("./doctor_witness.ts");
    return await bearWitness(lock);
  }
  const { examine } = await import("./doctor_examination.ts");
  const { Signals } = await import("./signals.ts");
  using signals = new Signals();
  const { promise: killed, resolve: kill } = Promise.withResolvers<null>();
  signals.kill.addEventListener("abort", () => kill(null));
  const examined = examine(invocation.stateDir, { signal: signals.cancel });
  const checks = await Promise.race([examined, killed]);
  if (checks === null || signals.code !== null) {
    say("skein: the examination was not finished");
    return signals.code ?? EXIT.error;
  }
  answer(invocation, checks, () => describe(checks));
  return checks.some(({ status }) => status === "failed") ? EXIT.error : EXIT.ok;
}

/** The checks as a person reads them: what to do stands below what is wrong. */
function describe(checks: readonly Check[]): string {
  const rows = checks.flatMap(({ status, check, message, next }) => [
    [status === "failed" ? "FAILED" : status, check, message],
    ...next === null ? [] : [["", "", `→ ${next}`]],
  ]);
  return [...columns(rows), "", summaryOf(checks)].join("\n");
}

function summaryOf(checks: readonly Check[]): string {
  const count = (status: Check["status"]) => checks.filter((each) => each.status === status).length;
  const parts = (["failed", "warning", "unknown", "ok"] as const)
    .filter((status) => count(status) > 0)
    .map((status) => `${count(status)} ${status}`);
  return `${plural(checks.length, "check")}: ${parts.join(", ")}`;
}
