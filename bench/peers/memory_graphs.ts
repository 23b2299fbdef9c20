/**
 * The process of a candidate in memory: makes a graph ready when it is sent one, and runs it when it is asked for a
 * sample.
 *
 * @module
 */
import { bytesHeld } from "../in_use.ts";
import { collectAndWarm, runFor } from "../warm.ts";
import { type Message, serve } from "./lines.ts";
import { witness } from "./witness.ts";

/** A graph that is ready: runs it once, and rejects where not every task ran. */
export type Run = () => Promise<unknown>;

const WARM_UP_MS = 500;

/** Answers until standard input ends. A graph that is sent as `first` is run once, and the answer is that run's time. */
export async function serveGraphs(prepare: (graph: Message) => Run | Promise<Run>): Promise<void> {
  let run: Run = () => Promise.reject(new Error("No graph was sent"));
  let count = 0;
  await serve(async (message) => {
    if (typeof message.inner === "number") {
      await collectAndWarm(run, count);
      const before = witness();
      const ms = await time(run, message.inner);
      const witnessMs = Math.max(before, witness());
      const bytes = message.memory === true ? await bytesHeld(run) / count : null;
      return { ms, bytes, witnessMs };
    }
    count = typeof message.count === "number" ? message.count : (message.needs as unknown[]).length;
    run = await prepare(message);
    if (message.first === true) return { ms: await time(run, 1) };
    await runFor(run, WARM_UP_MS);
    return {};
  });
}

/** Milliseconds of a run. */
async function time(run: Run, rounds: number): Promise<number> {
  const started = performance.now();
  for (let round = 0; round < rounds; round++) await run();
  return (performance.now() - started) / rounds;
}
