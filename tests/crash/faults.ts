/**
 * Takes the place of `src/faults/mod.ts` in the processes that the crash tests start. `SKEIN_FAULT` says what happens
 * where: `run.renamed:kill`, `run.spawned#3:freeze` (the third time), `run.renamed:hold:1500` (milliseconds).
 *
 * @module
 */
import type { FaultPoint } from "../../src/faults/mod.ts";

/** What happens at which hit of a point. */
interface Fault {
  readonly name: string;
  readonly hit: number;
  readonly action: string;
  readonly ms: number;
}

const fault = parse(Deno.env.get("SKEIN_FAULT") ?? "");
let hits = 0;

/** Passes a named point, or does not. */
export function point(name: FaultPoint): void {
  if (fault === null || fault.name !== name || ++hits !== fault.hit) return;
  switch (fault.action) {
    case "kill":
      Deno.kill(Deno.pid, "SIGKILL");
      return wait(Infinity);
    case "freeze":
      return Deno.kill(Deno.pid, "SIGSTOP");
    case "hold":
      return wait(fault.ms);
    default:
      throw new Error(`Cannot "${fault.action}" at "${name}": it is kill, freeze or hold`);
  }
}

function parse(text: string): Fault | null {
  if (text === "") return null;
  const match = /^([a-z.-]+)(?:#(\d+))?:([a-z]+)(?::(\d+))?$/.exec(text);
  if (match === null) throw new Error(`Cannot read SKEIN_FAULT "${text}"`);
  const [, name = "", hit = "1", action = "", ms = "0"] = match;
  return { name, hit: Number(hit), action, ms: Number(ms) };
}

/** Blocks the whole thread, as a process that hangs. */
function wait(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
