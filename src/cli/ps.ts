import { absolutePath } from "../disk/path.ts";
import { findRun } from "../engine/history.ts";
import { killRun, listProcesses, type RunProcess } from "../engine/tracked.ts";
import { columns } from "../view/report.ts";
import type { Command, Invocation } from "./command.ts";
import { EXIT } from "./exit.ts";
import { answer, say } from "./output.ts";

/** `skein ps`. */
export const command: Command = {
  name: "ps",
  summary: "List the living processes of every run, orphans marked",
  usage: "",
  words: [0, 0],
  description: [
    "Lists what is alive of each run on this machine. A process whose run has lost its orchestrator is an orphan: the",
    "next `run` ends it, and so does `--kill`, which touches no other run.",
  ].join("\n"),
  flags: { kill: { type: "text", value: "RUN", summary: "Kill every process of this run" } },
  examples: [
    ["skein ps", "what is alive"],
    ["skein ps --kill latest", "end what the last run has left"],
  ],
  exits: [0, 1, 2],
  run: ps,
};

async function ps(invocation: Invocation): Promise<number> {
  const stateDir = absolutePath(invocation.stateDir);
  const name = invocation.text("kill");
  if (name !== undefined) return await kill(invocation, stateDir, name);
  const processes = await listProcesses(stateDir);
  answer(invocation, processes.map(row), () => {
    return processes.length === 0 ? "No processes" : columns(processes.map(cells)).join("\n");
  });
  return EXIT.ok;
}

async function kill(invocation: Invocation, stateDir: string, name: string): Promise<number> {
  const { runId } = findRun(stateDir, name);
  const { killed, survivors, failed } = await killRun(stateDir, runId);
  answer(invocation, { runId, killed, survivors, failed }, () => {
    return `Killed ${killed} of run ${runId}, ${survivors.length} survive`;
  });
  for (const problem of failed) say(`skein: ${problem}`);
  return survivors.length === 0 && failed.length === 0 ? EXIT.ok : EXIT.error;
}

function row(
  { runId, pid, startTime, orphan, segment, command }: RunProcess,
): Record<string, unknown> {
  const { epoch = null, sequence = null } = segment ?? {};
  return { runId, pid, startTime, orphan, epoch, sequence, command };
}

function cells({ runId, pid, orphan, segment, command }: RunProcess): string[] {
  return [runId, String(pid), orphan ? "orphan" : "", `epoch ${segment?.epoch ?? "?"}`, command];
}
