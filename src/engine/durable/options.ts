import { type Clock, type Rng, systemClock, systemRng } from "../../clock/mod.ts";
import { MANIFEST_LIMITS, SkeinError } from "../../model/mod.ts";
import type { ReapedRun, Store } from "../../store/mod.ts";
import { checkExecutor, type Executor } from "../executor.ts";
import { processExecutor } from "../process_executor.ts";
import { DEFAULT_GRACE_MS } from "../run.ts";
import type { EngineFence } from "./site.ts";
import { machineProcesses, type OlderProcesses } from "./older_processes.ts";
import { mintOwner } from "./owner.ts";
import type { Executed } from "./executed.ts";

/** The timing of an engine. Every time is in milliseconds. */
export interface EngineTiming {
  /** How often the cancellation of a run is asked for while a task of it runs; 2,000 by default. */
  readonly pollIntervalMs?: number;
  /** How often expired claims are looked for; 10,000 by default, and at most a third of the ttl. */
  readonly reapIntervalMs?: number;
  /** How long a claim holds without a renewal; 60,000 by default. */
  readonly leaseTtlMs?: number;
  /** How often the held claims are renewed; a third of the ttl by default. */
  readonly renewIntervalMs?: number;
  /** How long past its end a claim is left alone, since clocks disagree; a twelfth of the ttl by default. */
  readonly clockSkewAllowanceMs?: number;
  /** The wait before a lost run is due again: full jitter under a bound that doubles; 1,000 to 60,000 by default. */
  readonly requeueBackoff?: { readonly baseMs: number; readonly maxMs: number };
  /** The bound of an attempt where the manifest sets none; 3,600,000 by default. */
  readonly timeoutDefaultMs?: number;
  /** Milliseconds between the asking and the killing of a process; 5,000 by default. */
  readonly graceMs?: number;
}

/** How an {@linkcode Engine} is made. */
export interface EngineOptions extends EngineTiming {
  /** The queue. */
  readonly store: Store;
  /** The fence: what is executed, is executed behind it. {@linkcode outsideFence} where nothing is. */
  readonly fence: EngineFence;
  /**
   * The folder that holds `runs`; stored paths are relative to it. The state directory by default; `null`: artifacts
   * are kept in memory, for executors that are functions and runs that nobody has to take over.
   */
  readonly logRoot?: string | null;
  /** The name that claims are made under; a new one by default. No two processes may have the same. */
  readonly owner?: string;
  /** The crash count that fails a run instead of requeueing it; 5 by default. */
  readonly maxCrashCount?: number;
  /** Tasks of one run at the same time; the manifest's by default. */
  readonly workers?: number;
  /** What runs an attempt; {@linkcode processExecutor} by default. */
  readonly executor?: Executor;
  /** Whether this process has no children but those of one run at a time: it then may adopt their orphans. */
  readonly ownsProcess?: boolean;
  /** Whether outputs are on the disk before they are settled; they are by default. */
  readonly sync?: boolean;
  /** What ends the trees of lost claims; those of this machine by default. */
  readonly processes?: OlderProcesses;
  /** Time; the machine's by default. */
  readonly clock?: Clock;
  /** Chance; the machine's by default. */
  readonly rng?: Rng;
  /** Told what happens. An error that it throws is dropped. */
  readonly onNotice?: (notice: EngineNotice) => void;
}

/** What an engine or a worker tells a reader. */
export type EngineNotice =
  | {
    /** A run was claimed. */
    readonly kind: "claimed";
    /** The run. */
    readonly runId: string;
    /** Its name. */
    readonly name: string;
    /** Its round. */
    readonly round: number;
    /** Whether it executes alone. */
    readonly alone: boolean;
  }
  | {
    /** The execution of a run has ended. */
    readonly kind: "ended";
    /** How. */
    readonly executed: Executed;
  }
  | {
    /** A run was taken from an executor that lost it. */
    readonly kind: "reaped";
    /** What became of it. */
    readonly run: ReapedRun;
  }
  | {
    /** Something did not work, and is tried again. */
    readonly kind: "trouble";
    /** What, such as `renew the claims`. */
    readonly action: string;
    /** Why not. */
    readonly error: unknown;
  };

/** The options of an engine, with every default filled in. */
export interface EngineSettings extends Required<Omit<EngineOptions, "workers" | "onNotice">> {
  /** Tasks of one run at the same time, `null`: the manifest's. */
  readonly workers: number | null;
  /** Told what happens. */
  readonly notify: (notice: EngineNotice) => void;
}

/** How often the cancellation of a run is asked for. */
export const DEFAULT_POLL_INTERVAL_MS = 2_000;
/** How often expired claims are looked for. */
export const DEFAULT_REAP_INTERVAL_MS = 10_000;
/** How long a claim holds without a renewal. */
export const DEFAULT_LEASE_TTL_MS = 60_000;
/** The crash count that quarantines a run. */
export const DEFAULT_MAX_CRASH_COUNT = 5;
/** The bounds of the wait before a lost run is due again. */
export const DEFAULT_REQUEUE_BACKOFF = { baseMs: 1_000, maxMs: 60_000 } as const;

/** A renewal at each third tolerates two that are lost before ownership is in question. */
const RENEWALS = 3;
const ALLOWANCES = 12;

/**
 * Fills in the defaults.
 *
 * @throws {SkeinError} `usage` where an option is out of its range.
 */
export function settingsOf(options: EngineOptions): EngineSettings {
  const { clock = systemClock, rng = systemRng, leaseTtlMs = DEFAULT_LEASE_TTL_MS } = options;
  const third = leaseTtlMs / RENEWALS;
  const { onNotice } = options;
  if (options.executor !== undefined) checkExecutor(options.executor);
  const settings: EngineSettings = {
    store: options.store,
    fence: options.fence,
    logRoot: options.logRoot === undefined ? options.fence.stateDir : options.logRoot,
    owner: options.owner ?? mintOwner(clock, rng),
    clock,
    rng,
    leaseTtlMs,
    pollIntervalMs: options.pollIntervalMs ?? DEFAULT_POLL_INTERVAL_MS,
    reapIntervalMs: options.reapIntervalMs ?? Math.min(DEFAULT_REAP_INTERVAL_MS, third),
    renewIntervalMs: options.renewIntervalMs ?? third,
    clockSkewAllowanceMs: options.clockSkewAllowanceMs ?? Math.ceil(leaseTtlMs / ALLOWANCES),
    requeueBackoff: options.requeueBackoff ?? DEFAULT_REQUEUE_BACKOFF,
    maxCrashCount: options.maxCrashCount ?? DEFAULT_MAX_CRASH_COUNT,
    timeoutDefaultMs: options.timeoutDefaultMs ?? MANIFEST_LIMITS.timeoutMs.default,
    graceMs: options.graceMs ?? DEFAULT_GRACE_MS,
    workers: options.workers ?? null,
    executor: options.executor ?? processExecutor,
    ownsProcess: options.ownsProcess ?? false,
    sync: options.sync ?? true,
    processes: options.processes ?? machineProcesses,
    notify: (notice) => {
      try {
        onNotice?.(notice);
      } catch {
        // Talk never ends or blocks a run.
      }
    },
  };
  checkRanges(settings);
  return settings;
}

function checkRanges(settings: EngineSettings): void {
  const { leaseTtlMs, renewIntervalMs, requeueBackoff } = settings;
  const positive = {
    leaseTtlMs,
    renewIntervalMs,
    pollIntervalMs: settings.pollIntervalMs,
    reapIntervalMs: settings.reapIntervalMs,
    maxCrashCount: settings.maxCrashCount,
    timeoutDefaultMs: settings.timeoutDefaultMs,
  };
  const wrong = Object.entries(positive).find(([, value]) => !(value > 0 && value < Infinity));
  if (wrong !== undefined) throw outOfRange(wrong[0], wrong[1], "above 0");
  const { clockSkewAllowanceMs, graceMs } = settings;
  for (const [name, value] of Object.entries({ clockSkewAllowanceMs, graceMs })) {
    if (!(value >= 0 && value < Infinity)) throw outOfRange(name, value, "0 or more");
  }
  if (renewIntervalMs > leaseTtlMs / 2) {
    throw outOfRange("renewIntervalMs", renewIntervalMs, "at most half of the ttl");
  }
  const { baseMs, maxMs } = requeueBackoff;
  if (!(baseMs >= 0 && maxMs >= baseMs)) {
    throw outOfRange("requeueBackoff", baseMs, "0 or more, and not above its maximum");
  }
}

function outOfRange(name: string, value: number, needed: string): SkeinError {
  return new SkeinError("usage", `Cannot use "${name}" ${value}: it must be ${needed}`);
}
