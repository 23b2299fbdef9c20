import { FileLock } from "../../src/disk/mod.ts";
import type { ClaimOptions, Engine, OngoingRun } from "../../src/engine/durable/mod.ts";
import { hostName } from "../../src/engine/durable/gone_executors.ts";
import { Leader } from "../../src/engine/durable/leader.ts";
import { keepPulse } from "../../src/engine/durable/pulse.ts";
import { Wake } from "../../src/engine/durable/wake.ts";
import type { Machine } from "./machine.ts";
import { Outage } from "./store_link.ts";
import type { SwarmFence } from "./swarm_fence.ts";
import type { Timeline } from "./timeline.ts";

/** What a worker stands on. */
export interface WorkerGround {
  /** Its process. */
  readonly machine: Machine;
  /** What executes, with everything that it was made of. */
  readonly engine: Engine;
  /** STOP and EPOCH. */
  readonly fence: SwarmFence;
  /** Time. */
  readonly timeline: Timeline;
  /** Runs that it holds at the same time. */
  readonly concurrency: number;
  /** The one run that it wants next; mostly it takes any. */
  readonly wanted: () => ClaimOptions;
  /** Ended runs that it keeps where it leads; `null`: all. */
  readonly keepRuns: number | null;
  /** How long after a stop it hears of it, in milliseconds. */
  readonly noticesAfterMs: number;
  /** Whether anything that it has started goes on. */
  readonly hasProcesses: () => boolean;
  /** Told when it has ended, in whatever way. */
  readonly onEnd: () => void;
  /** Told of what must not happen. */
  readonly onBreach: (promise: string) => void;
}

/** How long a drain may take. */
const DRAIN_GRACE_MS = 1_500;

/**
 * The worker as it is in `engine/durable/worker.ts`, without the files and signals of the machine: the same engine, the
 * same leader, pulse and renewals, and the same order of what it does when it starts and when it leaves.
 */
export class SimWorker {
  /** Its process. */
  readonly machine: Machine;
  readonly #ground: WorkerGround;
  readonly #holder: FileLock | null;
  readonly #ongoing = new Set<OngoingRun>();
  readonly #over = new AbortController();
  readonly #wake: Wake;
  #ending: "drained" | "stopped" | null = null;
  #isHolding = true;
  #isBuried = false;

  /** Starts. */
  constructor(ground: WorkerGround) {
    this.#ground = ground;
    this.machine = ground.machine;
    this.#wake = new Wake(ground.machine);
    this.#holder = FileLock.tryAcquire(this.#holderPath, "exclusive");
    this.#live().catch((error) => ground.onBreach(`A worker fails: ${error}`));
  }

  /** Whether its holder file is locked: nobody else may call it gone. */
  get isHolding(): boolean {
    return this.#isHolding;
  }

  /** The epoch that it entered with. */
  get epoch(): number {
    return this.#ground.engine.settings.fence.epoch;
  }

  /** Dies. What it has started goes on, and its holder file stays where it is, unlocked. */
  crash(): void {
    this.machine.end();
    this.#letGo();
    this.#ground.onEnd();
  }

  /** Its holder file is taken away. */
  bury(): void {
    this.#letGo();
    if (!this.#isBuried) Deno.removeSync(this.#holderPath);
    this.#isBuried = true;
  }

  /** Is asked to drain. */
  drain(): void {
    if (this.#ending !== null) return;
    this.#ending = "drained";
    for (const run of this.#ongoing) run.drain(DRAIN_GRACE_MS);
    this.#wake.ring();
  }

  get #holderPath(): string {
    const { engine, machine } = this.#ground;
    return `${engine.settings.fence.stateDir}/holders/${machine.name}`;
  }

  #letGo(): void {
    if (this.#isHolding) this.#holder?.close();
    this.#isHolding = false;
  }

  async #live(): Promise<void> {
    const { engine, fence, timeline, machine, noticesAfterMs } = this.#ground;
    try {
      await this.#register(engine);
      await engine.settings.store.closeStopped(this.epoch);
    } catch (error) {
      if (!(error instanceof Outage)) throw error;
      this.bury();
      return this.crash();
    }
    const notice = () => void timeline.after(noticesAfterMs, machine, () => this.#onStop());
    const forget = fence.onStop(notice);
    const services = this.#serve(engine);
    while (this.#ending === null) {
      const pauseMs = await this.#claim(engine);
      if (pauseMs > 0 && this.#ending === null) await this.#wake.sleep(pauseMs);
    }
    await Promise.all(Array.from(this.#ongoing, ({ done }) => done));
    forget();
    await this.#leave(engine, services);
  }

  async #register({ owner, settings }: Engine): Promise<void> {
    const process = { bootId: "", pidNamespace: "", pid: 1, startTime: "" };
    const { concurrency } = this.#ground;
    const [host, holderId, epoch] = [hostName(), owner, this.epoch];
    await settings.store.registerExecutor({ owner, host, holderId, process, epoch, concurrency });
  }

  #serve(engine: Engine): Promise<unknown> {
    const { signal } = this.#over;
    const { keepRuns } = this.#ground;
    const keep = keepRuns === null ? null : { keepRuns };
    const leader = new Leader(engine, { keep, onPruned: () => {} });
    return Promise.all([
      engine.runLeaseRenewals(signal),
      keepPulse(engine.settings, signal, () => this.drain()),
      leader.run(signal),
    ]);
  }

  /** Claims a run, if it may hold one more. Returns how long to wait before the next claim; 0: not at all. */
  async #claim(engine: Engine): Promise<number> {
    const { pollIntervalMs } = engine.settings;
    const held = [...this.#ongoing];
    if (held.length >= this.#ground.concurrency || held.some(({ claimed }) => claimed.alone)) {
      return pollIntervalMs;
    }
    try {
      const begun = await engine.begin(this.#ground.wanted());
      switch (begun.kind) {
        case "none": {
          const { nextAt, at } = begun;
          return Math.min(pollIntervalMs, Math.max(1, (nextAt ?? Infinity) - at));
        }
        case "refused":
          return pollIntervalMs;
        case "begun":
          this.#track(begun.run);
          return 0;
        case "stopped":
          this.#onStop();
          return 0;
      }
    } catch (error) {
      if (!(error instanceof Outage)) throw error;
      return pollIntervalMs;
    }
  }

  #track(run: OngoingRun): void {
    this.#ongoing.add(run);
    void run.done.then(() => {
      this.#ongoing.delete(run);
      this.#wake.ring();
    });
    if (this.#ending === "stopped") run.stop();
    else if (this.#ending !== null) run.drain(DRAIN_GRACE_MS);
  }

  #onStop(): void {
    if (this.#ending === "stopped") return;
    this.#ending = "stopped";
    for (const run of this.#ongoing) run.stop();
    this.#wake.ring();
  }

  /** Nothing of it is alive any more: says so, and lets go of everything. */
  async #leave(engine: Engine, services: Promise<unknown>): Promise<void> {
    const { owner, settings: { store } } = engine;
    const { hasProcesses, onBreach } = this.#ground;
    if (hasProcesses()) onBreach(`A worker leaves when nothing of it is alive (G4): ${owner}`);
    this.#over.abort();
    try {
      if (this.#ending === "stopped") {
        this.bury();
        await store.closeStopped(this.#ground.fence.epoch());
      } else {
        await services;
        await this.#handBackRest(engine);
      }
      await store.endExecutor(owner);
    } catch (error) {
      if (!(error instanceof Outage)) throw error;
    }
    this.bury();
    this.crash();
  }

  async #handBackRest({ owner, settings: { store } }: Engine): Promise<void> {
    for (
      const { id, token, owner: holder } of await store.runs({ states: ["running"], limit: 99 })
    ) {
      if (holder !== owner) continue;
      await store.handBack({ runId: id, owner, token }, "RUN_HANDED_BACK_DRAIN");
    }
  }
}
