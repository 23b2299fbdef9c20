import type { EngineSettings } from "./options.ts";
import type { HeldClaims } from "./held_claims.ts";

/** After a tick that failed the next one follows sooner. */
const SOONER = 4;

/** Renews every held claim until the signal aborts. A tick that fails is told, and never ends it. */
export async function keepRenewing(
  held: HeldClaims,
  settings: EngineSettings,
  signal: AbortSignal,
): Promise<void> {
  const { clock, renewIntervalMs } = settings;
  for (let failed = false; !signal.aborted;) {
    await clock.sleep(failed ? renewIntervalMs / SOONER : renewIntervalMs, signal);
    if (!signal.aborted) failed = !await renewOnce(held, settings);
  }
}

/** One tick: all held claims in one transaction. Returns `false` where it failed. */
export async function renewOnce(
  held: HeldClaims,
  { store, leaseTtlMs, notify }: EngineSettings,
): Promise<boolean> {
  const refs = held.refs();
  if (refs.length === 0) return true;
  const sent = held.now();
  try {
    const { renewed, lost } = await store.renew(refs, leaseTtlMs);
    for (const ref of renewed) held.renewed(ref, sent);
    for (const ref of lost) held.lose(ref);
    return true;
  } catch (error) {
    notify({ kind: "trouble", action: "renew the claims", error });
    return false;
  }
}
