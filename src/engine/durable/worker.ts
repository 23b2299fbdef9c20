import { type Clock, systemClock, systemRng } from "../../clock/mod.ts";
import { absolutePath } from "../../disk/mod.ts";
import { SkeinError } from "../../model/mod.ts";
import { OVER } from "../over.ts";
import { StopNotice } from "../stop_notice.ts";
import type { Begun, Engine, OngoingRun } from "./engine.ts";
import type { Executed } from "./executed.ts";
import { Leader } from "./leader.ts";
import { isOutage } from "./patience.ts";
import { keepPulse } from "./pulse.ts";
import { Wake } from "./wake.ts";
import {
  DEFAULT_DRAIN_GRACE_MS,
  DEFAULT_KEEP_RUNS,
  type WorkerEnd,
  type WorkerNotice,
  type WorkerOptions,
} from "./worker_options.ts";
import { type Entry, WorkerSite } from "./worker_site.ts";

/** The longest pause after trouble. */
const LONGEST_PAUSE_MS = 60_000;

/**
 * A service that executes queued runs: claims as many as it may hold, renews them, notices cancellations, drains and
 * stops, and sweeps for lost ones where it leads. It holds LOCK from before its first claim until nothing of it is alive.
 */
export class Worker {
  readonly #options: WorkerOptions;
  readonly #clock: Clock;
  readonly #concurrency: number;
  readonly #ongoing = new Set<OngoingRun>();
  readonly #wake: Wake;
  readonly #over = new AbortController();
  readonly #stopped = Promise.withResolvers<null>();
  readonly #done = Promise.withResolvers<WorkerEnd>();
  #starting: Promise<void> | null = null;
  #site: WorkerSite | null = null;
  #ending: WorkerEnd["why"] | "failed" | null = null;
  #error: unknown = null;
  #executed = 0;
  #last: Executed | null = null;
  #troubles = 0;
  /** When the next claim may be tried after trouble, on the monotonic clock. */
  #claimAt = -Infinity;

  /**
   * Makes a worker. Nothing starts.
   *
   * @throws {SkeinError} `usage` where an option is out of its range.
   */
  constructor(options: WorkerOptions) {
    const { clock = systemClock, concurrency = 1 } = options;
    if (!Number.isSafeInteger(concurrency) || concurrency < 1) {
      throw new SkeinError("usage", `Cannot hold ${concurrency} runs at once: it must be above 0`);
    }
    this.#options = options;
    this.#clock = clock;
    this.#concurrency = concurrency;
    this.#wake = new Wake(clock);
    // Whoever waits for it hears of it; nobody has to.
    this.#done.promise.catch(() => {});
  }

  /** The name that claims are made under; empty before the start. */
  get owner(): string {
    return this.#site?.engine.owner ?? "";
  }

  /** Settles when it has ended and everything of it is dead. Rejects with what kept it from going on. */
  get done(): Promise<WorkerEnd> {
    return this.#done.promise;
  }

  /**
   * Enters the fence, opens the queue, registers and begins to claim. Starting again does nothing.
   *
   * @throws {StoppedError} when the swarm is stopped.
   * @throws {SkeinError} when the state directory or the queue cannot be used.
   */
  start(): Promise<void> {
    return this.#starting ??= this.#start();
  }

  /** The first call drains within the grace and hands back, the second kills. Resolves when it has ended. */
  stop(): Promise<WorkerEnd> {
    if (this.#starting === null) this.#done.resolve(this.#end("drained"));
    else if (this.#ending === null) this.#drain("process");
    else for (const run of this.#ongoing) run.kill();
    return this.done;
  }

  async #start(): Promise<void> {
    try {
      const site = this.#site = await WorkerSite.enter(this.#entry());
      void this.#run(site);
    } catch (error) {
      this.#done.reject(error);
      throw error;
    }
  }

  #entry(): Entry {
    const { rng = systemRng, stateDir } = this.#options;
    return {
      ...this.#options,
      stateDir: absolutePath(stateDir),
      clock: this.#clock,
      rng,
      concurrency: this.#concurrency,
      onNotice: (notice) => this.#tell(notice),
    };
  }

  /** Claims until it ends, then waits for what runs, and leaves. */
  async #run(site: WorkerSite): Promise<void> {
    const services = this.#serve(site.engine);
    {
      using _notice = new StopNotice(site.fence, () => this.#onStop());
      try {
        while (this.#ending === null) {
          const pauseMs = await this.#claim(site.engine);
          if (pauseMs > 0 && this.#ending === null) await this.#wake.sleep(pauseMs);
        }
      } catch (error) {
        this.#error = error;
        this.#ending = "failed";
        for (const run of this.#ongoing) run.kill();
      }
      while (this.#ongoing.size > 0) {
        await Promise.all(Array.from(this.#ongoing, ({ done }) => done));
      }
    }
    this.#over.abort(OVER);
    if (this.#ending === "stopped") await site.leaveStopped();
    await services;
    if (this.#ending !== "stopped") await site.leave();
    if (this.#ending === "failed") this.#done.reject(this.#error);
    else this.#done.resolve(this.#end(this.#ending ?? "drained"));
  }

  #serve(engine: Engine): Promise<unknown> {
    const { signal } = this.#over;
    const { keep = { keepRuns: DEFAULT_KEEP_RUNS } } = this.#options;
    const onPruned = (runIds: readonly string[]) => this.#tell({ kind: "pruned", runIds });
    return Promise.all([
      engine.runLeaseRenewals(signal),
      keepPulse(engine.settings, signal, () => this.#drain("request")),
      new Leader(engine, { keep, onPruned }).run(signal),
    ]);
  }

  /** Claims a run, if it may hold one more. Returns how long to wait before the next claim; 0: not at all. */
  async #claim(engine: Engine): Promise<number> {
    const { pollIntervalMs } = engine.settings;
    const { until = "stopped" } = this.#options;
    const held = [...this.#ongoing];
    if (held.length >= this.#concurrency || held.some(({ claimed }) => claimed.alone)) {
      return pollIntervalMs;
    }
    const pauseMs = this.#claimAt - this.#clock.mono();
    if (pauseMs > 0) return pauseMs;
    let begun: Begun | null;
    try {
      begun = await Promise.race([this.#begin(engine), this.#stopped.promise]);
    } catch (error) {
      if (!isOutage(error) || until === "once") throw error;
      this.#tell({ kind: "trouble", action: "claim a run", error });
      this.#pause(pollIntervalMs);
      return 0;
    }
    switch (begun?.kind) {
      case "begun":
        if (until === "once") await this.#finishOnce(begun.run);
        return 0;
      case "none": {
        this.#troubles = 0;
        if (until === "once") this.#ending ??= "once";
        const { nextAt, at } = begun;
        if (until === "idle" && nextAt === null && await this.#nothingRuns(engine)) {
          this.#ending ??= "idle";
        }
        return Math.min(pollIntervalMs, Math.max(1, (nextAt ?? Infinity) - at));
      }
      case "refused":
        this.#last = begun;
        this.#ending ??= "once";
        return 0;
      default:
        this.#onStop();
        return 0;
    }
  }

  /** What another executor holds may come back to the queue. */
  async #nothingRuns({ settings: { store } }: Engine): Promise<boolean> {
    if (this.#ongoing.size > 0) return false;
    try {
      return (await store.runs({ states: ["running"], limit: 1 })).length === 0;
    } catch {
      return false;
    }
  }

  async #begin(engine: Engine): Promise<Begun> {
    const { until, runId } = this.#options;
    const wanted = until === "once" && runId !== undefined ? { runId } : {};
    const begun = await engine.begin(wanted);
    if (begun.kind === "begun") this.#track(begun.run, engine.settings.pollIntervalMs);
    return begun;
  }

  #track(run: OngoingRun, pollIntervalMs: number): void {
    this.#ongoing.add(run);
    void run.done.then((executed) => {
      this.#ongoing.delete(run);
      this.#executed++;
      this.#last = executed;
      if (executed.kind === "finished") this.#troubles = 0;
      if (executed.kind === "handed-back" && executed.error !== null) this.#pause(pollIntervalMs);
      this.#wake.ring();
    });
    // What it was asked meanwhile holds for what it has claimed meanwhile.
    if (this.#ending === "stopped") run.stop();
    else if (this.#ending === "drained") run.drain(this.#drainGraceMs);
    else if (this.#ending === "failed") run.kill();
  }

  async #finishOnce({ done }: OngoingRun): Promise<void> {
    await done;
    this.#ending ??= "once";
  }

  /** What did not work is not tried again at once, and each time later. */
  #pause(pollIntervalMs: number): void {
    const doublings = Math.min(this.#troubles++, 16);
    const pauseMs = Math.min(LONGEST_PAUSE_MS, pollIntervalMs * 2 ** doublings);
    this.#claimAt = this.#clock.mono() + pauseMs;
  }

  get #drainGraceMs(): number {
    return this.#options.drainGraceMs ?? DEFAULT_DRAIN_GRACE_MS;
  }

  #drain(by: "process" | "request"): void {
    if (this.#ending !== null) return;
    this.#ending = "drained";
    this.#tell({ kind: "draining", by });
    for (const run of this.#ongoing) run.drain(this.#drainGraceMs);
    this.#wake.ring();
  }

  #onStop(): void {
    if (this.#ending === "stopped") return;
    this.#ending = "stopped";
    this.#stopped.resolve(null);
    for (const run of this.#ongoing) run.stop();
    this.#wake.ring();
  }

  #end(why: WorkerEnd["why"]): WorkerEnd {
    return { why, executed: this.#executed, last: this.#last };
  }

  #tell(notice: WorkerNotice): void {
    // Once it has been stopped and let go of the store, that is no trouble.
    if (notice.kind === "trouble" && this.#ending === "stopped" && this.#over.signal.aborted) {
      return;
    }
    try {
      this.#options.onNotice?.(notice);
    } catch {
      // Talk never ends or blocks a worker.
    }
  }
}
