import type { Clock } from "../clock/mod.ts";
import type { EpochSeen } from "./record.ts";
import { readEpoch } from "./state.ts";

/** A file that was changed this recently may be changed again without a trace, in milliseconds. */
const SETTLED_MS = 2000;

/**
 * Reads EPOCH over and over. As long as it and its high-water copy are the very files that they were, they hold what
 * they held: two looks at their names take the place of reading both. What was changed a moment ago is not trusted, as
 * a change within one tick of the file system's clock leaves no trace.
 */
export class EpochReader {
  readonly #stateDir: string;
  readonly #clock: Clock;
  #seen: { readonly epoch: EpochSeen; readonly files: string; readonly hasCopy: boolean } | null =
    null;

  /** Binds a state directory. */
  constructor(stateDir: string, clock: Clock) {
    this.#stateDir = stateDir;
    this.#clock = clock;
  }

  /** What is in EPOCH, as {@linkcode readEpoch} tells it. */
  read(): EpochSeen {
    const seen = this.#seen;
    if (seen !== null && this.#files(seen.hasCopy)?.text === seen.files) return seen.epoch;
    const before = this.#files();
    const epoch = readEpoch(this.#stateDir);
    // A copy appears only after EPOCH itself has changed, so that one that is not there need not be looked for.
    const settled = before !== null && this.#clock.wall() - before.changedAt > SETTLED_MS;
    const trusted = epoch.ok && settled && this.#files()?.text === before.text;
    this.#seen = trusted ? { epoch, files: before.text, hasCopy: before.hasCopy } : null;
    return epoch;
  }

  /** Which files they are; `null` without EPOCH. */
  #files(withCopy = true): { text: string; changedAt: number; hasCopy: boolean } | null {
    const own = identify(`${this.#stateDir}/EPOCH`);
    if (own === null) return null;
    const copy = withCopy ? identify(`${this.#stateDir}/EPOCH.high`) : null;
    return {
      text: `${own.text} ${copy?.text ?? ""}`,
      changedAt: Math.max(own.changedAt, copy?.changedAt ?? 0),
      hasCopy: copy !== null,
    };
  }
}

function identify(path: string): { text: string; changedAt: number } | null {
  try {
    const { dev, ino, size, ctime, mtime } = Deno.lstatSync(path);
    const changedAt = Math.max(ctime?.getTime() ?? Infinity, mtime?.getTime() ?? 0);
    return { text: `${dev}:${ino}:${size}:${changedAt}`, changedAt };
  } catch {
    return null;
  }
}
