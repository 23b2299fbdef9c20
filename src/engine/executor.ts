import { SkeinError } from "../model/error.ts";
import type { Block, Lease, Manifest, Outcome, Task } from "../model/mod.ts";

const encoder = new TextEncoder();
/** Up to so many units a text is short. */
const SHORT = 256;

/** The run that an execution belongs to. */
export interface RunContext {
  /** The run. */
  readonly runId: string;
  /** The epoch of all of its leases. */
  readonly epoch: number;
  /** The swarm's id; empty for a run in memory. */
  readonly swarm: string;
  /** The state directory, absolute; empty for a run in memory. */
  readonly stateDir: string;
  /** Whether the run's processes are the only children of this one, so that it may adopt their orphans. */
  readonly ownsProcess: boolean;
  /** For queued runs: the claim's fencing token. */
  readonly token?: number;
  /** What runs. */
  readonly manifest: Manifest;
}

/** What a pass reads. */
export interface PassInput {
  /** The file that holds it, `null` where there is none: then it is in memory, or empty. */
  readonly path: string | null;
  /** All of it. */
  bytes(): Promise<Uint8Array>;
  /** All of it, as UTF-8 text. */
  text(): Promise<string>;
}

/** What a pass writes. The output of the last pass is published. */
export interface PassOutput {
  /** The file for its standard output, `null` for a run in memory. */
  readonly path: string | null;
  /** The file for its standard error, `null` for a run in memory. */
  readonly errorPath: string | null;
  /** Adds to the output. */
  write(chunk: string | Uint8Array): void;
}

/** Everything that an executor is handed for one attempt of one pass. */
export interface Execution {
  /** The right to run it. */
  readonly lease: Lease;
  /** The task. */
  readonly task: Task;
  /** Its block. */
  readonly block: Block;
  /** What it reads. */
  readonly input: PassInput;
  /** What it writes. */
  readonly output: PassOutput;
  /** Aborts when the attempt is to end; its reason is an {@linkcode Ending}. */
  readonly signal: AbortSignal;
  /** Aborts when the grace is over: end now. */
  readonly kill: AbortSignal;
  /** The run. */
  readonly run: RunContext;
  /** Whether the lease is still worth anything: asked after a start, before an effect. */
  leaseHolds(): boolean;
}

/** Why an attempt's signal was aborted. */
export interface Ending {
  /** What ends it. */
  readonly cause: "timeout" | "stop" | "cancel" | "run-timeout" | "run-failed";
  /** Milliseconds that it may take to end by itself; 0: none. */
  readonly graceMs: number;
}

/** Runs one attempt of one pass. The scheduler runs whatever implements this. */
export interface Executor {
  /**
   * Runs it to its end. An error that it throws is the outcome `failed`.
   *
   * @returns what became of it; `aborted` where the signal ended it.
   */
  execute(execution: Execution): Promise<Outcome> | Outcome;
  /**
   * Whether an attempt that goes on after its signal and the grace may be left alone, and its result dropped. An
   * executor that starts processes must not: it ends when they are gone.
   */
  readonly abandonable?: boolean;
  /**
   * Called once, when every task has ended: ends whatever is left of the run.
   *
   * @returns what could not be ended, for a reader.
   */
  finish?(run: RunContext): Promise<readonly string[]>;
}

/**
 * Refuses what is no executor, before anything starts.
 *
 * @throws {SkeinError} `usage`.
 */
export function checkExecutor(executor: unknown): void {
  const { execute } = (executor ?? {}) as { execute?: unknown };
  if (typeof execute === "function") return;
  throw new SkeinError("usage", "Cannot run with this executor: it has no function `execute`", {
    next: typeof executor === "function"
      ? "Make an executor of the function: `functionExecutor(call)`"
      : "Pass `processExecutor`, or what `functionExecutor` makes",
  });
}

/** What a function may return: text or bytes are its output. */
export type FunctionResult = void | string | Uint8Array;

/**
 * An executor that calls a function of the embedding program. What it returns is added to the output, what it throws
 * fails the attempt. A function that goes on after its signal and the grace is left alone, and its result is dropped.
 *
 * @example
 * ```ts
 * import { functionExecutor, run, validateManifest } from "@skein/cli";
 *
 * const decoded = await validateManifest({
 *   version: 1,
 *   blocks: { greet: { argv: ["greet"] } },
 *   tasks: [{ id: "a", block: "greet" }, { id: "b", block: "greet", needs: ["a"] }],
 * });
 * if (decoded.ok) {
 *   const greet = functionExecutor(({ task }) => `hello from ${task.id}`);
 *   const report = await run(decoded.manifest, { inMemory: true, executor: greet });
 *   report.status; // "succeeded"
 * }
 * ```
 */
export function functionExecutor(
  call: (execution: Execution) => FunctionResult | Promise<FunctionResult>,
): Executor {
  return {
    abandonable: true,
    execute(execution) {
      const result = call(execution);
      return isThenable(result)
        ? Promise.resolve(result).then((late) => succeed(execution, late))
        : succeed(execution, result);
    },
  };
}

const SUCCEEDED: Outcome = { kind: "succeeded" };

function isThenable(value: unknown): value is PromiseLike<FunctionResult> {
  return typeof value === "object" && value !== null &&
    typeof (value as { then?: unknown }).then === "function";
}

/** What a function has returned is its output, under the same limit as that of a process. */
function succeed(execution: Execution, result: FunctionResult): Outcome {
  if (result === undefined) return SUCCEEDED;
  const isOutput = typeof result === "string" || result instanceof Uint8Array;
  if (!isOutput) return { kind: "failed", message: "Its function returned neither text nor bytes" };
  if (byteLengthOf(result) > execution.run.manifest.limits.maxOutputBytes) {
    return { kind: "output-limit" };
  }
  execution.output.write(result);
  return SUCCEEDED;
}

/** How long a text or some bytes are in UTF-8. A short text is mostly ASCII: to look costs less than to encode it. */
export function byteLengthOf(content: string | Uint8Array): number {
  if (typeof content !== "string") return content.length;
  return content.length <= SHORT && isAscii(content)
    ? content.length
    : encoder.encode(content).length;
}

function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at++) if (text.charCodeAt(at) >= 0x80) return false;
  return true;
}
