/**
 * Takes the place of `src/faults/mod.ts` in the processes that the crash tests start. `SKEIN_FAULT` says what happens
 * where: `run.renamed:kill`, or `run.spawned#3:freeze` (the third time, until it is sent CONT).
 *
 * @module
 */
import type { FaultPoint } from "../../src/faults/mod.ts";

/** What happens at which hit of a point. */
interface Fault {
  readonly name: string;
  readonly hit: number;
  readonly signal: "SIGKILL" | "SIGSTOP";
}

const fault = parse(Deno.env.get("SKEIN_FAULT") ?? "");
let hits = 0;

/** Passes a named point, or does not. */
export function point(name: FaultPoint): void {
  if (fault === null || fault.name !== name || ++hits !== fault.hit) return;
  Deno.kill(Deno.pid, fault.signal);
}

function parse(text: string): Fault | null {
  if (text === "") return null;
  const [, name, hit = "1", action] = /^([a-z.-]+)(?:#(\d+))?:(kill|freeze)$/.exec(text) ?? [];
  if (name === undefined) throw new Error(`Cannot read SKEIN_FAULT "${text}"`);
  return { name, hit: Number(hit), signal: action === "kill" ? "SIGKILL" : "SIGSTOP" };
}
