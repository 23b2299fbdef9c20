import { walk } from "./leg.ts";

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
    const endsAt = performance.now() + ms;
    const end = () => {
      leave(next);
      signal?.removeEventListener("abort", end);
      resolve();
    };
    const next = () => {
      const left = endsAt - performance.now();
      if (left <= 0) end();
      else leave = walk(left, next);
    };
    let leave = walk(ms, next);
    signal?.addEventListener("abort", end);
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
