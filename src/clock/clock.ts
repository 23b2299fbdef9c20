/** Reads the time and waits. */
export interface Clock {
  /** Milliseconds since 1970, UTC. It may jump. */
  wall(): number;
  /** Milliseconds since some moment. It never jumps, and means nothing in another process. */
  mono(): number;
  /** Waits; ends early, without an error, when the signal aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** The machine's own clock. */
export const systemClock: Clock = {
  wall: () => Date.now(),
  mono: () => performance.now(),
  sleep,
};

/** Milliseconds with three decimals, as every answer has them. */
export function roundedMs(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

/** A wait that is given up leaves its last leg behind, which keeps nothing alive: no leg is longer than this. */
const LEG_MS = 1000;

/**
 * Of all timers of the runtime this is the one that comes without a part of Node: the first `setTimeout` of a process
 * takes as long as a sixth of an empty one. It lives for as long as somebody listens.
 */
function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const endsAt = performance.now() + ms;
    const walk = (leftMs: number) => {
      const leg = AbortSignal.timeout(Math.min(Math.max(0, Math.ceil(leftMs)), LEG_MS));
      const end = () => {
        leg.removeEventListener("abort", next);
        signal?.removeEventListener("abort", end);
        resolve();
      };
      const next = () => {
        signal?.removeEventListener("abort", end);
        const left = endsAt - performance.now();
        if (left > 0) walk(left);
        else resolve();
      };
      leg.addEventListener("abort", next);
      signal?.addEventListener("abort", end);
    };
    walk(ms);
  });
}

/** Calls back every so often, until it is disposed of. */
export function every(ms: number, call: () => void): Disposable {
  const over = new AbortController();
  const repeat = async () => {
    for (;;) {
      await sleep(ms, over.signal);
      if (over.signal.aborted) return;
      call();
    }
  };
  void repeat();
  return { [Symbol.dispose]: () => over.abort() };
}
