import type { HandBackReason } from "../../model/mod.ts";
import type {
  ClaimedRun,
  ExecutorRow,
  LeaseRef,
  LossTerms,
  ReapedRun,
  RecoverResult,
  Violation,
} from "../../store/mod.ts";
import { Turns } from "../turns.ts";
import type { Executed, Unclaimed } from "./executed.ts";
import { goneExecutors, hostName } from "./gone_executors.ts";
import { HeldClaims } from "./held_claims.ts";
import { survivorsOf } from "./older_processes.ts";
import { type EngineOptions, type EngineSettings, settingsOf } from "./options.ts";
import { checkOutputs } from "./outputs_check.ts";
import { keepRenewing } from "./renewals.ts";
import { RunExecution } from "./run_execution.ts";

/** What a claim is asked for. */
export interface ClaimOptions {
  /** The one run that is wanted; the first in the queue otherwise. */
  readonly runId?: string;
}

/** A run that is executed, and how that can be ended from outside. */
export interface OngoingRun {
  /** The run, with its claim. */
  readonly claimed: ClaimedRun;
  /** What it comes to. Never rejects. */
  readonly done: Promise<Executed>;
  /** Ends it cleanly: nothing more starts, what runs may end within the grace, and the run is handed back. */
  drain(graceMs: number): void;
  /** Ends it at once: the trees are killed, and the run is handed back. */
  kill(): void;
  /** Ends it because of a stop: the trees are killed, and nothing is written. */
  stop(): void;
}

/** What a claim came to. */
export type Begun = { readonly kind: "begun"; readonly run: OngoingRun } | Unclaimed;

/** How long transactions may follow one another: each turn of the event loop costs as much as some dozen of them. */
const TURN_MS = 40;
/** For how many ttls an executor elsewhere must have been silent to be called gone. */
const SILENT_TTLS = 5;

/**
 * Executes queued runs under claims. Owns no state but its belief in the claims it holds: every fact is in the store,
 * and every decision about a transition in the model. What is left is the order of things, and running processes, which
 * happens between two transactions and never inside one.
 */
export class Engine {
  /** The options, with every default filled in. */
  readonly settings: EngineSettings;
  readonly #held: HeldClaims;
  readonly #turns: Turns;
  readonly #ongoing = new Set<RunExecution>();
  #claiming = 0;

  /**
   * Makes an engine. Nothing starts.
   *
   * @throws {SkeinError} `usage` where an option is out of its range.
   */
  constructor(options: EngineOptions) {
    this.settings = settingsOf(options);
    const { clock, leaseTtlMs } = this.settings;
    this.#held = new HeldClaims(clock, leaseTtlMs);
    this.#turns = new Turns(clock, TURN_MS, () => clock.sleep(0));
  }

  /** The name that claims are made under. */
  get owner(): string {
    return this.settings.owner;
  }

  /**
   * Claims a run and drives it to its end: the one that is named, or the first of the queue.
   *
   * @throws {SkeinError} where the store cannot be asked for a claim; what was claimed never rejects.
   */
  async executeRun(runId?: string): Promise<Executed> {
    const begun = await this.begin(runId === undefined ? {} : { runId });
    return begun.kind === "begun" ? await begun.run.done : begun;
  }

  /**
   * The first half of {@linkcode Engine.executeRun}: claims a run and begins to execute it.
   *
   * @throws {SkeinError} where the store cannot be asked.
   */
  async begin({ runId }: ClaimOptions = {}): Promise<Begun> {
    const { store, owner, fence, leaseTtlMs } = this.settings;
    const busy = this.#ongoing.size + this.#claiming++ > 0;
    const wanted = runId === undefined ? {} : { runId };
    const sent = this.#held.now();
    try {
      const result = await store.claim({ owner, epoch: fence.epoch, leaseTtlMs, busy, ...wanted });
      switch (result.kind) {
        case "claimed":
          return { kind: "begun", run: this.#execute(result, sent) };
        case "none":
          return result;
        case "refused": {
          const { why, availableAt } = result;
          return { kind: "refused", runId: runId ?? "", why, availableAt };
        }
        case "stopped":
          return { kind: "stopped", runId: null };
      }
    } finally {
      this.#claiming--;
    }
  }

  /** Renews every held claim until the signal aborts. A tick that fails never ends it. */
  async runLeaseRenewals(signal: AbortSignal): Promise<void> {
    await keepRenewing(this.#held, this.settings, signal);
  }

  /** One sweep: takes the runs whose claim has expired, ends their trees on this machine, and returns them. */
  async reapExpiredRuns(): Promise<ReapedRun[]> {
    const { store, notify } = this.settings;
    const reaped = await store.reap(await this.#lossTerms());
    for (const run of reaped) notify({ kind: "reaped", run });
    await this.#endTrees(reaped);
    return reaped;
  }

  /** Ends the entries of executors that are verifiably gone and hold nothing any more. */
  async endGoneExecutors(): Promise<void> {
    for (const { owner, holds } of await this.#gone()) {
      if (holds === 0) await this.settings.store.endExecutor(owner);
    }
  }

  /**
   * Waits for an abandoned claim to expire, closes every attempt that it left running, and queues the run again. A run
   * that is not running is left untouched. A claim that is renewed meanwhile is not abandoned: `alive`.
   */
  async recover(runId: string, signal?: AbortSignal): Promise<RecoverResult> {
    const { store, clock } = this.settings;
    for (let waitedFor: number | null = null;;) {
      const result = await store.recover(runId, await this.#lossTerms());
      if (result.kind === "recovered") await this.#endTrees([result]);
      if (result.kind !== "alive" || signal?.aborted) return result;
      const { expiresAt, at } = result;
      if (waitedFor !== null && expiresAt > waitedFor) return result;
      waitedFor = expiresAt;
      await clock.sleep(Math.max(1, expiresAt - at), signal);
    }
  }

  /**
   * Hands a claimed run back at a clean stop. Whatever the store answers, this process is done answering for the run;
   * only an error keeps the claim, for the next try.
   *
   * @returns whether the store took it.
   */
  async drainRun(_runId: string, ref: LeaseRef, code: HandBackReason): Promise<boolean> {
    const taken = await this.settings.store.handBack(ref, code);
    this.#held.lose(ref);
    return taken;
  }

  /** The claim that this process believes it holds on a run; the store decides what it is worth. */
  heldLease(runId: string): LeaseRef | null {
    return this.#held.leaseOf(runId);
  }

  /** Looks for broken invariants in the store, and for settled outputs that are not on the disk as they were. */
  async fsck(): Promise<Violation[]> {
    const { store, logRoot } = this.settings;
    const violations = await store.fsck();
    return logRoot === null ? violations : [...violations, ...await checkOutputs(store, logRoot)];
  }

  #execute(claimed: ClaimedRun, sent: ReturnType<HeldClaims["now"]>): RunExecution {
    const { settings } = this;
    const { ref, round, alone, manifest: { name } } = claimed;
    let execution: RunExecution | null = null;
    const claim = this.#held.hold(ref, sent, () => execution?.lost());
    const drain = this.drainRun.bind(this, ref.runId);
    const [held, turns] = [this.#held, this.#turns];
    const begun = execution = new RunExecution(claimed, { settings, held, claim, turns, drain });
    this.#ongoing.add(begun);
    settings.notify({ kind: "claimed", runId: ref.runId, name, round, alone });
    void begun.done.then((executed) => {
      this.#ongoing.delete(begun);
      settings.notify({ kind: "ended", executed });
    });
    return begun;
  }

  async #lossTerms(): Promise<LossTerms> {
    const { fence, clockSkewAllowanceMs, maxCrashCount, requeueBackoff } = this.settings;
    const gone = await this.#gone();
    return {
      epoch: fence.epoch,
      allowanceMs: clockSkewAllowanceMs,
      backoff: requeueBackoff,
      maxCrashCount,
      gone: gone.map(({ owner }) => owner),
    };
  }

  async #gone(): Promise<ExecutorRow[]> {
    const { store, fence, leaseTtlMs } = this.settings;
    const silenceMs = SILENT_TTLS * leaseTtlMs;
    return goneExecutors(await store.executors(), {
      stateDir: fence.stateDir,
      host: hostName(),
      silenceMs,
    });
  }

  /** Of a run that was taken from its executor nothing may go on, whether or not it is claimed again. */
  async #endTrees(runs: readonly ReapedRun[]): Promise<void> {
    if (runs.length === 0) return;
    const { processes, fence, notify } = this.settings;
    const below = new Map(runs.map(({ ref: { runId, token } }) => [runId, token + 1]));
    const action = "end what lost claims have left";
    try {
      const left = survivorsOf(await processes.end({ swarm: fence.swarm, below }));
      if (left.length > 0) notify({ kind: "trouble", action, error: new Error(left.join("; ")) });
    } catch (error) {
      // It is taken all the same, and whoever claims it next looks again.
      notify({ kind: "trouble", action, error });
    }
  }
}
