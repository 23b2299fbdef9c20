import type { Clock, Rng } from "../clock/mod.ts";
import type { Graph } from "../manifest/graph.ts";
import type { Manifest, Task } from "../model/mod.ts";
import type { EventLog } from "./events.ts";
import type { Ending, Executor, RunContext } from "./executor.ts";
import type { Stage } from "./stage.ts";

/** Why a run ends before its last task. */
export type EndCause = Exclude<Ending["cause"], "timeout">;

/** What a run consists of. */
export interface Plan {
  /** What runs. */
  readonly manifest: Manifest;
  /** The graph of its tasks. */
  readonly graph: Graph<Task>;
  /** Tasks at the same time. */
  readonly workers: number;
  /** Whether a failure ends the admission of tasks. */
  readonly failFast: boolean;
  /** Milliseconds between the asking and the killing of a process. */
  readonly graceMs: number;
}

/** What a run stands on. */
export interface Ground {
  /** Where it takes place. */
  readonly stage: Stage;
  /** What runs an attempt. */
  readonly executor: Executor;
  /** The run, as the executor sees it. */
  readonly context: RunContext;
  /** Where its events go, `null` where none are kept. */
  readonly events: EventLog | null;
  /** Time. */
  readonly clock: Clock;
  /** What a task's times are read from. */
  readonly stopwatch: Pick<Clock, "mono">;
  /** Chance. */
  readonly rng: Rng;
  /** Called when a task has started or ended. */
  readonly onProgress: (() => void) | null;
}
