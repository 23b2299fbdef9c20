/**
 * The floor: a straightforward scheduler of leases, written once as what this benchmark compares with. An indegree
 * array, adjacency arrays, a ring buffer, eight slots, an awaited executor, a lease made and checked twice, a result
 * record with two clock reads; no report, no events, no timeouts, no retries, no signals. It is no lower bound: Skein
 * keeps numbers instead of a record of a plain task, reads the clock less often and uses its arrays again.
 *
 * @module
 */
import type { Graph } from "../src/manifest/graph.ts";
import { type Lease, leaseValid } from "../src/model/mod.ts";
import { WORKERS } from "./graphs.ts";

/** A result. */
export interface FloorResult {
  readonly ok: boolean;
  readonly startedAt: number;
  readonly endedAt: number;
}

/** Runs a graph; the caller has the names of the tasks. */
export async function runFloor(
  graph: Graph,
  ids: readonly string[],
  execute: (lease: Lease) => Promise<boolean>,
): Promise<FloorResult[]> {
  const { size, dependents, dependentsStart } = graph;
  const missing = graph.indegree.slice();
  const ring = new Int32Array(size);
  const results = new Array<FloorResult>(size);
  let head = 0;
  let tail = 0;
  let sequence = 0;
  let running = 0;
  for (let task = 0; task < size; task++) if (missing[task] === 0) ring[tail++] = task;
  await new Promise<void>((resolve) => {
    const fill = () => {
      while (running < WORKERS && head < tail) {
        running++;
        void slot();
      }
      if (running === 0) resolve();
    };
    const slot = async () => {
      while (head < tail) {
        const task = ring[head++] ?? 0;
        const startedAt = performance.now();
        const lease: Lease = {
          runId: "floor",
          taskId: ids[task] ?? "",
          pass: 1,
          attempt: 1,
          epoch: 1,
          sequence: ++sequence,
          issuedAt: "",
        };
        const ok = leaseValid(lease, 1) && await execute(lease) && leaseValid(lease, 1);
        results[task] = { ok, startedAt, endedAt: performance.now() };
        const end = dependentsStart[task + 1] ?? 0;
        for (let edge = dependentsStart[task] ?? 0; edge < end; edge++) {
          const dependent = dependents[edge] ?? 0;
          const left = (missing[dependent] ?? 0) - 1;
          missing[dependent] = left;
          if (left === 0) ring[tail++] = dependent;
        }
        if (tail - head > 1 && running < WORKERS) fill();
      }
      running--;
      if (running === 0) fill();
    };
    fill();
  });
  return results;
}
