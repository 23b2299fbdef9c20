import type { EngineSettings } from "./options.ts";

/**
 * Says in the store that an executor lives, as often as claims are renewed, and asks every poll interval whether it is
 * to drain, until the signal aborts. An error is told, and never ends it.
 */
export async function keepPulse(
  settings: EngineSettings,
  signal: AbortSignal,
  onDrain: () => void,
): Promise<void> {
  const { store, clock, owner, pollIntervalMs, renewIntervalMs, notify } = settings;
  for (let beatAt = clock.mono() + renewIntervalMs;;) {
    await clock.sleep(Math.min(pollIntervalMs, renewIntervalMs), signal);
    if (signal.aborted) return;
    try {
      if (clock.mono() >= beatAt) {
        beatAt = clock.mono() + renewIntervalMs;
        // Whoever is called ended by the others must not go on.
        if (!await store.heartbeat(owner)) onDrain();
      }
      if (await store.drainRequested(owner)) onDrain();
    } catch (error) {
      notify({ kind: "trouble", action: "say that this worker lives", error });
    }
  }
}
