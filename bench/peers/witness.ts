/**
 * Whether a neighbour on the same host shares the core at the moment. No counter of a virtual machine shows it: code
 * that does much at once takes half as long again, while code that waits for each of its own results, or another clock,
 * goes on as fast as before. So code of the first kind is timed beside each sample.
 *
 * @module
 */
const STEPS = 300_000;
const TRIES = 5;
/** How many times its fastest the witness may take where nobody shares the core. */
const QUIET = 1.25;

/** Milliseconds that additions take of which eight can be done at once: no memory, no garbage; the best of five tries. */
export function witness(): number {
  let best = Infinity;
  for (let tried = 0; tried < TRIES; tried++) {
    const started = performance.now();
    kept = chains(STEPS);
    best = Math.min(best, performance.now() - started);
  }
  return best;
}

/** What keeps the compiler from leaving it all out. */
let kept = 0;

function chains(steps: number): number {
  let [a, b, c, d, e, f, g, h] = [1, 2, 3, 4, 5, 6, 7, kept & 1];
  for (let step = 0; step < steps; step++) {
    a = (a + step) | 0;
    b = (b ^ step) | 0;
    c = (c + 3) | 0;
    d = (d ^ 5) | 0;
    e = (e - step) | 0;
    f = (f + 7) | 0;
    g = (g ^ step) | 0;
    h = (h + step) | 0;
  }
  return a + b + c + d + e + f + g + h;
}

/** Judges what the witness of one process says, by the fastest that it was there. */
export class Witnessed {
  #fastest = Infinity;

  /** Whether the core was shared; a process that gives no witness is taken to have had it alone. */
  isShared(ms: unknown): boolean {
    if (typeof ms !== "number") return false;
    this.#fastest = Math.min(this.#fastest, ms);
    return ms > QUIET * this.#fastest;
  }
}
