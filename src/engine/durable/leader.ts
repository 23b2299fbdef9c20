import type { PruneRequest } from "../../store/mod.ts";
import { removeRunFolders } from "./artifacts.ts";
import { Calm } from "./calm.ts";
import type { Engine } from "./engine.ts";
import type { Moment } from "./held_claims.ts";
import type { EngineSettings } from "./options.ts";

/** The role that one worker at a time has. */
export const LEADER_ROLE = "leader";

/** How many ticks a leader may miss before another takes its role. */
const TICKS = 3;

/** What a leader does besides. */
export interface LeaderOptions {
  /** Which ended runs are kept; `null`: all. */
  readonly keep: Pick<PruneRequest, "keepRuns" | "keepMs"> | null;
  /** Told which runs were removed. */
  readonly onPruned: (runIds: readonly string[]) => void;
}

/**
 * Takes the runs of executors that died, in whichever worker has the role: a sweep every interval. Besides it ends the
 * entries of executors that are gone, prunes, and keeps the store's log short.
 */
export class Leader {
  readonly #engine: Engine;
  readonly #settings: EngineSettings;
  readonly #options: LeaderOptions;
  readonly #calm: Calm;
  readonly #roleTtlMs: number;
  #token: number | null = null;

  /** Makes a candidate. */
  constructor(engine: Engine, options: LeaderOptions) {
    const { leaseTtlMs, reapIntervalMs, clockSkewAllowanceMs } = engine.settings;
    this.#engine = engine;
    this.#settings = engine.settings;
    this.#options = options;
    this.#roleTtlMs = Math.min(leaseTtlMs, TICKS * reapIntervalMs);
    this.#calm = new Calm({
      waitMs: leaseTtlMs,
      lateMs: reapIntervalMs,
      jumpMs: clockSkewAllowanceMs,
    });
  }

  /** Leads, as long as it may, until the signal aborts. An error never ends it. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, reapIntervalMs } = this.#settings;
    while (!signal.aborted) {
      await this.tick();
      await clock.sleep(reapIntervalMs, signal);
    }
    await this.#resign();
  }

  /** One tick. */
  async tick(): Promise<void> {
    const { notify, reapIntervalMs } = this.#settings;
    this.#calm.begin(this.#now(), reapIntervalMs);
    try {
      if (await this.#leads()) {
        if (this.#calm.isAt(this.#now())) await this.#engine.reapExpiredRuns();
        await this.#tidy();
      }
    } catch (error) {
      this.#calm.disturb(this.#now());
      notify({ kind: "trouble", action: "look for expired claims", error });
    }
    this.#calm.end(this.#now());
  }

  async #leads(): Promise<boolean> {
    const { store, owner, clock, reapIntervalMs } = this.#settings;
    const asked = clock.mono();
    this.#token = await store.acquireRole(LEADER_ROLE, owner, this.#roleTtlMs);
    if (clock.mono() - asked > reapIntervalMs) this.#calm.disturb(this.#now());
    return this.#token !== null;
  }

  async #tidy(): Promise<void> {
    const { store, notify } = this.#settings;
    try {
      await this.#engine.endGoneExecutors();
      await this.#prune();
      await store.checkpoint();
    } catch (error) {
      notify({ kind: "trouble", action: "tidy the queue", error });
    }
  }

  async #prune(): Promise<void> {
    const { store, logRoot } = this.#settings;
    const { keep, onPruned } = this.#options;
    if (keep === null) return;
    const { runIds } = await store.prune(keep);
    if (runIds.length === 0) return;
    if (logRoot !== null) removeRunFolders(logRoot, runIds);
    onPruned(runIds);
  }

  async #resign(): Promise<void> {
    const { store, owner, notify } = this.#settings;
    if (this.#token === null) return;
    try {
      await store.releaseRole(LEADER_ROLE, owner, this.#token);
    } catch (error) {
      notify({ kind: "trouble", action: "give up the lead", error });
    }
  }

  #now(): Moment {
    const { clock } = this.#settings;
    return { mono: clock.mono(), wall: clock.wall() };
  }
}
