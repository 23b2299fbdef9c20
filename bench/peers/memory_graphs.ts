/**
 * The process of a candidate in memory: makes a graph ready when it is sent one, and runs it when it is asked for a
 * sample.
 *
 * @module
 */
import { bytesHeld, collectGarbage } from "../in_use.ts";
import { type Message, serve } from "./lines.ts";

/** A graph that is ready: runs it once, and rejects where not every task ran. */
export type Run = () => Promise<unknown>;

const WARM_UP_MS = 500;
/** After a collection: with the last object of a kind goes what was compiled for it, which no run that goes on meets. */
const AFTER_COLLECTION_MS = 100;
/** The same for a large graph: memory that the engine has given back meanwhile is asked for again. */
const LARGE_AFTER_COLLECTION_MS = 500;
const LARGE = 100_000;

/** Answers until standard input ends. */
export async function serveGraphs(prepare: (graph: Message) => Run | Promise<Run>): Promise<void> {
  let run: Run = () => Promise.reject(new Error("No graph was sent"));
  let count = 0;
  await serve(async (message) => {
    if (typeof message.inner === "number") {
      const untimedMs = count < LARGE ? AFTER_COLLECTION_MS : LARGE_AFTER_COLLECTION_MS;
      const ms = await time(run, message.inner, untimedMs);
      return { ms, bytes: message.memory === true ? await bytesHeld(run) / count : null };
    }
    count = typeof message.count === "number" ? message.count : (message.needs as unknown[]).length;
    run = await prepare(message);
    await runFor(run, WARM_UP_MS);
    return {};
  });
}

async function time(run: Run, rounds: number, untimedMs: number): Promise<number> {
  collectGarbage();
  await runFor(run, untimedMs);
  const started = performance.now();
  for (let round = 0; round < rounds; round++) await run();
  return (performance.now() - started) / rounds;
}

/** Runs it again and again for some time, at least once. */
async function runFor(run: Run, ms: number): Promise<void> {
  const until = performance.now() + ms;
  do await run(); while (performance.now() < until);
}
