/**
 * Figures that were published of what cannot be had here.
 *
 * @module
 */
import { table } from "./tables.ts";

/** The Go original's own figures, and those that it gives of asyncio and of Python's LangGraph. */
export const PUBLISHED: string = `
Not measured here: the Go original of Skein and Python's LangGraph, which the registries within reach do not have. What the original's own README says of version 0.2.0 (Windows 11, Ryzen 9 5950X, medians of 15 interleaved samples), **published, on another machine and another system, and not to be compared with the tables above**:

${
  table(["1,000 tasks, in memory", "the Go original", "asyncio", "Python's LangGraph"], [
    ["independent", "1.580 ms", "3.530 ms", "876.910 ms"],
    ["chain", "3.272 ms", "4.479 ms", "534.907 ms"],
    ["fan-out-join", "2.080 ms", "3.795 ms", "892.522 ms"],
  ])
}

As ratios: the original was 2.2, 1.4 and 1.8 times as fast as its asyncio. At 100 independent tasks asyncio was the faster one (0.740 ms, the original 1.040 ms). 24 cold Python workers, 15 runs, 360 of 360 results verified for each: the original 156.463 ms, asyncio 288.644 ms, Python's LangGraph 998.010 ms. Its stop proof: 160 of 160 trees terminated and 160 of 160 heartbeats frozen, median 141.663 ms of 20 runs.
`.trim();
