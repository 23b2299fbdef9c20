import { SkeinError } from "../../model/mod.ts";
import type { EngineSettings } from "./options.ts";

const SHORTEST_MS = 20;
const LONGEST_MS = 1_000;
const GROWTH = 2;

/** What ends the patience with a store that fails. */
export interface PatienceEnd {
  /** Whether asking again is still worth it: what is asked about is still the caller's. */
  isWorthIt(): boolean;
  /** Aborts when nothing is asked any more. */
  readonly over: AbortSignal;
}

/**
 * Asks the store, and again after growing waits where it cannot be used: every write of it may be asked for twice.
 *
 * @param ask is told whether it was asked before, so that an answer may have been lost.
 * @returns `null` where the patience came to its end first.
 * @throws what is no outage.
 */
export async function askPatiently<T>(
  action: string,
  ask: (again: boolean) => Promise<T>,
  end: PatienceEnd,
  { clock, rng, notify }: Pick<EngineSettings, "clock" | "rng" | "notify">,
): Promise<T | null> {
  for (let bound = SHORTEST_MS, again = false;; bound = Math.min(LONGEST_MS, bound * GROWTH)) {
    try {
      return await ask(again);
    } catch (error) {
      if (!isOutage(error)) throw error;
      notify({ kind: "trouble", action, error });
    }
    if (end.over.aborted || !end.isWorthIt()) return null;
    await clock.sleep(bound * (1 + rng.next()) / 2, end.over);
    if (end.over.aborted || !end.isWorthIt()) return null;
    again = true;
  }
}

/** Whether an error may pass by itself. */
export function isOutage(error: unknown): boolean {
  return error instanceof SkeinError && error.code === "state-unusable";
}
