import type { Clock } from "../clock/mod.ts";
import { identify, SETTLED_MS } from "./identity.ts";
import type { Look } from "./record.ts";
import { lookAtStop } from "./state.ts";

/** What a folder's times say is trusted for so long: not every file system keeps them. */
const TRUST_MS = 20;
const NOTHING: Look = { at: "nothing" };

/**
 * Looks at STOP over and over. Nothing can appear in a folder that is the very folder that it was: one look at it takes
 * the place of two for what is not there, each of which costs an error. A folder that was changed a moment ago is not
 * trusted, as a change within one tick of the file system's clock leaves no trace.
 */
export class StopReader {
  readonly #stateDir: string;
  readonly #clock: Clock;
  #clear: { readonly folder: string; readonly until: number } | null = null;

  /** Binds a state directory. */
  constructor(stateDir: string, clock: Clock) {
    this.#stateDir = stateDir;
    this.#clock = clock;
  }

  /** What is at STOP, as {@linkcode lookAtStop} tells it. */
  read(): Look {
    const clear = this.#clear;
    const before = identify(this.#stateDir);
    const now = this.#clock.mono();
    if (clear !== null && now < clear.until && before?.text === clear.folder) return NOTHING;
    const look = lookAtStop(this.#stateDir);
    const settled = before !== null && this.#clock.wall() - before.changedAt > SETTLED_MS;
    this.#clear = settled && look.at === "nothing"
      ? { folder: before.text, until: now + TRUST_MS }
      : null;
    return look;
  }
}
