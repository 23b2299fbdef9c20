import { emergencyStop, requestStop, type StopAnswer } from "../engine/stop.ts";
import { absolutePath, isAbsent } from "../disk/path.ts";
import { plural } from "../view/progress.ts";
import type { Command, Invocation } from "./command.ts";
import { EXIT } from "./exit.ts";
import { answer, say } from "./output.ts";

/** `skein stop`. */
export const command: Command = {
  name: "stop",
  summary: "Stop everything, and prove it",
  usage: "",
  words: [0, 0],
  description: [
    "Latches the swarm, so that nothing starts until `skein reset`, kills every process of every run, and looks",
    "until a search finds none: only then is the answer `proven`. Works while the orchestrator hangs or is dead, and",
    "without a state directory (it makes one). A second stop keeps the first one's record and repeats the rest.",
  ].join("\n"),
  flags: {
    reason: {
      type: "text",
      value: "TEXT",
      summary: "Why; kept in the record and shown by `status`",
    },
    wait: {
      type: "integer",
      value: "MS",
      summary: "How long runs may take to let go by themselves (5000)",
    },
    "no-wait": {
      type: "boolean",
      summary: "Only latch; nothing is looked for, so nothing is proven",
    },
  },
  examples: [
    ['skein stop --reason "agents loop"', "stop everything"],
    ["skein stop --no-wait", "only keep anything from starting or publishing"],
  ],
  exits: [0, 1, 2],
  run: stop,
};

async function stop(invocation: Invocation): Promise<number> {
  const { stateDir } = invocation;
  const folder = absolutePath(stateDir);
  const wasAbsent = isAbsent(folder);
  const reason = invocation.text("reason") ?? "";
  const waitMs = invocation.integer("wait");
  const options = { reason, ...waitMs === undefined ? {} : { waitMs } };
  const only = invocation.has("no-wait");
  const result = only
    ? await requestStop(stateDir, options)
    : await emergencyStop(stateDir, options);
  // Nothing is said before the stop: nobody may read it.
  if (wasAbsent && !isAbsent(folder)) {
    say(`skein: there was no state directory "${folder}": a new one is made`);
  }
  answer(invocation, { ...result, stateDir: folder }, () => describe(result));
  for (const problem of new Set(result.problems)) say(`skein: ${problem}`);
  return result.stopped && (only || result.proven) ? EXIT.ok : EXIT.error;
}

function describe(result: StopAnswer): string {
  const { stopped, epoch, proven, killed, runs, survivorList, elapsedMs } = result;
  const head = stopped ? `Stopped at epoch ${epoch === 0 ? "unknown" : epoch}` : "NOT STOPPED";
  const proof = proven ? "proven: no process is left" : "NOT PROVEN";
  const survivors = survivorList.map(({ pid, command }) => `  survivor ${pid}: ${command}`);
  const what = `${plural(runs.length, "run")}, ${plural(killed, "process", "processes")} killed`;
  return [`${head}, ${proof} (${what}, ${Math.round(elapsedMs)} ms)`, ...survivors].join("\n");
}
