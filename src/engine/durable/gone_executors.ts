import { readHolders } from "../../fence/mod.ts";
import type { ExecutorRow } from "../../store/mod.ts";

/** How an executor is judged from here. */
export interface GoneTerms {
  /** The state directory of this machine. */
  readonly stateDir: string;
  /** This machine, as the executors on it name it. */
  readonly host: string;
  /** For how long an executor on another machine must have said nothing, in milliseconds. */
  readonly silenceMs: number;
}

/**
 * The executors that are verifiably gone: those whose holder file nobody locks any more, as a process that is only
 * suspended still does; on another machine, where that file cannot be seen, those that have been silent for long. What
 * cannot be looked at is not gone. The last heartbeat of all is as late as the store's clock can be proved to be.
 */
export function goneExecutors(
  executors: readonly ExecutorRow[],
  { stateDir, host, silenceMs }: GoneTerms,
): ExecutorRow[] {
  const { live, dead, problems } = readHolders(stateDir);
  const locked = new Set(live.map(({ id }) => id));
  const free = new Set(dead);
  const latest = Math.max(...executors.map(({ seenAt }) => seenAt));
  return executors.filter((one) => {
    if (one.endedAt !== null || locked.has(one.holderId)) return false;
    if (free.has(one.holderId)) return true;
    return one.host === host ? problems.length === 0 : latest - one.seenAt > silenceMs;
  });
}

/** This machine's name; empty where it may not be asked for. */
export function hostName(): string {
  try {
    return Deno.hostname();
  } catch {
    return "";
  }
}
