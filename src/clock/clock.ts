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

function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  if (signal?.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const done = () => {
      clearTimeout(timer);
      signal?.removeEventListener("abort", done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal?.addEventListener("abort", done);
  });
}
