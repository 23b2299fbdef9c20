import type { HandBackReason, Lease, QueuedRun } from "../../model/mod.ts";
import { SkeinError } from "../../model/mod.ts";
import type { ClaimedRun, LeaseRef } from "../../store/mod.ts";
import type { RunContext } from "../executor.ts";
import { OVER } from "../over.ts";
import type { Turns } from "../turns.ts";
import type { Executed } from "./executed.ts";
import type { HeldClaim, HeldClaims } from "./held_claims.ts";
import { survivorsOf } from "./older_processes.ts";
import type { EngineSettings } from "./options.ts";
import { QueueLoop } from "./queue_loop.ts";
import { QueueFolderStage, QueueMemoryStage, type QueueStage } from "./queue_stage.ts";

/** What an execution stands on. */
export interface ExecutionGround {
  /** The engine's. */
  readonly settings: EngineSettings;
  /** What is held. */
  readonly held: HeldClaims;
  /** The claim, as it was believed in before anything was done under it. */
  readonly claim: HeldClaim;
  /** Whose turn it is. */
  readonly turns: Turns;
  /** Hands the run back. */
  readonly drain: (ref: LeaseRef, code: HandBackReason) => Promise<boolean>;
}

/**
 * The execution of one claimed run: what older claims have left is ended, its tasks are executed, and then, when nothing
 * of it is alive any more, its verdict is written, or it is handed back.
 */
export class RunExecution {
  /** The run, with its claim. */
  readonly claimed: ClaimedRun;
  /** What it comes to. Never rejects. */
  readonly done: Promise<Executed>;
  readonly #ground: ExecutionGround;
  readonly #context: RunContext;
  readonly #stage: QueueStage;
  readonly #loop: QueueLoop;
  readonly #ended = new AbortController();
  readonly #notes: Promise<void>[] = [];

  /** Begins to execute. */
  constructor(claimed: ClaimedRun, ground: ExecutionGround) {
    const { settings, claim, held, turns } = ground;
    const { fence, ownsProcess } = settings;
    const { ref, epoch, manifest } = claimed;
    this.claimed = claimed;
    this.#ground = ground;
    this.#context = {
      runId: ref.runId,
      epoch,
      swarm: fence.swarm,
      stateDir: fence.stateDir,
      ownsProcess,
      token: ref.token,
      manifest,
    };
    const stage = this.#stage = stageOf(ground);
    this.#loop = new QueueLoop({
      claimed,
      claim,
      settings,
      stage,
      context: this.#context,
      turns,
      lose: () => held.lose(ref),
      note: (why, message, lease) => void this.#notes.push(this.#note(why, message, lease)),
    });
    this.done = this.#execute();
  }

  /** The claim is lost: the trees are killed at once. */
  lost(): void {
    this.#loop.end("lost", 0);
  }

  /** Ends it because of a stop: the trees are killed, and nothing is written. */
  stop(): void {
    this.#loop.end("stop", 0);
  }

  /** Ends it at once: the trees are killed, and the run is handed back. */
  kill(): void {
    this.#loop.end("drain", 0);
  }

  /**
   * Ends it cleanly: nothing more starts, what runs may end by itself for the first part of the grace, is asked to for
   * the rest, and is killed after it. What has not ended by then is handed back.
   */
  drain(graceMs: number): void {
    const { clock, graceMs: askedMs } = this.#ground.settings;
    const lastMs = Math.min(askedMs, graceMs / 2);
    if (lastMs <= 0) return this.kill();
    this.#loop.halt("drain");
    void clock.sleep(graceMs - lastMs, this.#ended.signal).then(() => {
      if (!this.#ended.signal.aborted) this.#loop.end("drain", lastMs);
    });
  }

  async #execute(): Promise<Executed> {
    const { runId } = this.claimed.ref;
    try {
      this.#stage.prepare(this.claimed.manifest);
      await this.#endOlder();
      const leftMs = await this.#timeLeft();
      void this.#watchForCancel();
      await this.#loop.run(leftMs);
    } catch (error) {
      this.#loop.fail(error);
    }
    this.#ended.abort(OVER);
    await this.#endProcesses();
    let executed: Executed;
    try {
      executed = await this.#conclude();
    } catch (error) {
      this.#ground.settings.notify({ kind: "trouble", action: `end run "${runId}"`, error });
      executed = this.#loop.cause === "stop" ? this.#stopped() : this.#lost();
    }
    // Whoever stops does not wait for the store.
    if (executed.kind !== "stopped") await Promise.all(this.#notes);
    return executed;
  }

  /** Before the first process: whatever still carries an older token of the run on this machine is ended. */
  async #endOlder(): Promise<void> {
    const { ref: { runId, token }, sequence } = this.claimed;
    if (sequence === 0) return;
    const { processes, fence } = this.#ground.settings;
    const below = new Map([[runId, token]]);
    const left = survivorsOf(await processes.end({ swarm: fence.swarm, below }));
    if (left.length === 0) return;
    throw new SkeinError(
      "state-unusable",
      `Cannot end what an earlier claim of run "${runId}" has left: ${left.join(", ")}`,
      { where: fence.stateDir, next: "Look at `skein ps`, and end it" },
    );
  }

  /** What is left of the run's time, which began when its round was first claimed. */
  async #timeLeft(): Promise<number> {
    const { ref: { runId, token }, manifest, at } = this.claimed;
    const { runTimeoutMs } = manifest.limits;
    if (token === 1) return runTimeoutMs;
    const found = await this.#loop.ask("read a run", () => this.#ground.settings.store.run(runId));
    const run: QueuedRun | null = found?.kind === "found" ? found.run : null;
    return runTimeoutMs - (at - (run?.startedAt ?? at));
  }

  /** Between tasks the store refuses a start; while one runs this asks. */
  async #watchForCancel(): Promise<void> {
    const { store, clock, pollIntervalMs, graceMs, notify } = this.#ground.settings;
    const { signal } = this.#ended;
    for (;;) {
      await clock.sleep(pollIntervalMs, signal);
      if (signal.aborted) return;
      try {
        const cancelled = await store.cancelRequested([this.claimed.ref]);
        if (cancelled.length > 0 && !signal.aborted) return this.#loop.end("operator", graceMs);
      } catch (error) {
        notify({ kind: "trouble", action: "ask for a cancellation", error });
      }
    }
  }

  /** Every attempt has ended: ends whatever else the claim has started. */
  async #endProcesses(): Promise<void> {
    const { executor, notify } = this.#ground.settings;
    const { runId } = this.claimed.ref;
    const action = `end everything that run "${runId}" started`;
    try {
      const left = await executor.finish?.(this.#context) ?? [];
      if (left.length > 0) notify({ kind: "trouble", action, error: new Error(left.join("; ")) });
    } catch (error) {
      notify({ kind: "trouble", action, error });
    }
  }

  async #conclude(): Promise<Executed> {
    const { ref } = this.claimed;
    const { cause } = this.#loop;
    if (cause === "stop") return this.#stopped();
    if (cause === "lost") return this.#lost();
    if (cause === "failed") {
      return await this.#handBack("RUN_HANDED_BACK_ENVIRONMENT", this.#loop.error);
    }
    const request = { timedOut: cause === "run-timeout" };
    const { store } = this.#ground.settings;
    const result = await this.#loop.ask("finish a run", () => store.finishRun(ref, request));
    if (result === null) return this.#loop.cause === "stop" ? this.#stopped() : this.#lost();
    switch (result.kind) {
      case "finished": {
        this.#ground.held.release(ref);
        const { state, reason } = result;
        return { kind: "finished", runId: ref.runId, state, reason };
      }
      case "unsettled": {
        // A cancellation that came up during a drain finds attempts that the drain has left.
        if (cause === "drain" || this.#loop.hasLeft) {
          return await this.#handBack("RUN_HANDED_BACK_DRAIN", null);
        }
        const tasks = result.tasks.join(", ");
        const error = new Error(`Cannot finish run "${ref.runId}": ${tasks} have not ended`);
        return await this.#handBack("RUN_HANDED_BACK_ENVIRONMENT", error);
      }
      case "stale":
      case "stopped":
        this.#notes.push(this.#note(result.kind, "The run's verdict was discarded", null));
        return result.kind === "stopped" ? this.#stopped() : this.#lost();
    }
  }

  async #handBack(reason: HandBackReason, error: unknown): Promise<Executed> {
    const { ref } = this.claimed;
    const taken = await this.#loop.ask("hand a run back", () => this.#ground.drain(ref, reason));
    if (taken === true) return { kind: "handed-back", runId: ref.runId, reason, error };
    return this.#loop.cause === "stop" ? this.#stopped() : this.#lost();
  }

  #stopped(): Executed {
    this.#ground.held.release(this.claimed.ref);
    return { kind: "stopped", runId: this.claimed.ref.runId };
  }

  #lost(): Executed {
    this.#ground.held.lose(this.claimed.ref);
    return { kind: "lost", runId: this.claimed.ref.runId };
  }

  async #note(why: "stale" | "stopped", message: string, lease: Lease | null): Promise<void> {
    const { store, notify } = this.#ground.settings;
    try {
      await store.refuseNote(this.claimed.ref, lease, why, message);
    } catch (error) {
      notify({ kind: "trouble", action: "note that a write was refused", error });
    }
  }
}

function stageOf({ claim, settings }: ExecutionGround): QueueStage {
  const { fence, logRoot, sync } = settings;
  return logRoot === null
    ? new QueueMemoryStage(claim, fence)
    : new QueueFolderStage(claim, fence, { logRoot, sync });
}
