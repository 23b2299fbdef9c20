import { every, systemClock } from "../clock/mod.ts";
import type { Progress } from "../engine/run.ts";
import { progressLine } from "../view/progress.ts";
import { sayPassing, sayRaw } from "./output.ts";

const LIVE_MS = 100;
const PLAIN_MS = 5000;
const CLEAR_LINE = "\r\x1b[2K";

/** Progress on standard error: a live line on a terminal, a plain line now and then elsewhere. */
export class ProgressDisplay implements Disposable {
  readonly #total: number;
  readonly #live: boolean;
  readonly #started = systemClock.mono();
  readonly #timer: Disposable | null;
  #progress: Progress | null = null;
  #shown = false;

  /** Starts to show. */
  constructor(total: number, quiet: boolean) {
    this.#total = total;
    this.#live = !quiet && Deno.stderr.isTerminal();
    this.#timer = quiet ? null : every(this.#live ? LIVE_MS : PLAIN_MS, () => this.#draw());
  }

  /** Takes what is to be shown next. */
  show(progress: Progress): void {
    this.#progress = progress;
  }

  /** Ends, and clears the live line. */
  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    if (this.#shown && this.#live) sayRaw(CLEAR_LINE);
    this.#shown = false;
  }

  #draw(): void {
    const counts = this.#progress?.counts;
    if (counts === undefined) return;
    const { succeeded, failed, skipped, stopped, cancelled } = counts;
    const line = progressLine({
      total: this.#total,
      done: succeeded + failed + skipped + stopped + cancelled,
      running: this.#progress?.running ?? 0,
      failed,
      elapsedMs: systemClock.mono() - this.#started,
    });
    this.#shown = true;
    sayPassing(this.#live ? `${CLEAR_LINE}${line}` : `${line}\n`);
  }
}
