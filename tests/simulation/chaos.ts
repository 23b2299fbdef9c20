import type { Machine } from "./machine.ts";
import { Operators } from "./orders.ts";
import { POISON, type Trouble, TTL_MS } from "./plan.ts";
import type { Process } from "./processes.ts";
import type { SimWorker } from "./sim_worker.ts";
import type { Fate, World } from "./world.ts";

const HOUR_MS = 3_600_000;
/** How long somebody is held up at most. */
const LONGEST_MS = 4 * TTL_MS;
/** How often it is trouble that comes, and how often new workers; otherwise an operator. */
const TROUBLED = 0.6;
const HIRING = 0.1;
/** How often a worker survives a reset. */
const OVERLOOKED = 0.2;
/** How often an attempt of a poisoned run kills its worker, and when at the latest. */
const DEADLY = 0.7;
const DEADLY_MS = 400;

/** What befalls a world: what operators do, and the trouble that its plan has. */
export class Chaos implements Fate {
  readonly #world: World;
  readonly #operators: Operators;
  #fastestMs = 0;
  #isOver = false;

  /** Begins: some runs, some workers, and then one thing after another. */
  constructor(world: World) {
    this.#world = world;
    this.#operators = new Operators(world);
    const { dice, plan } = world;
    for (let count = dice.between(3, 6); count > 0; count--) this.#operators.submit();
    for (let count = plan.workers; count > 0; count--) world.hire();
    void this.#go();
  }

  /** An attempt has begun: where its run is poisoned, it may kill the worker, in quiet times too. */
  begun({ machine, runId }: Process): void {
    const world = this.#world;
    const { dice, timeline, database, workers } = world;
    const isPoisoned = database.audit.books.get(runId)?.manifest.name === POISON;
    if (!isPoisoned || !dice.chance(DEADLY)) return;
    timeline.after(dice.below(DEADLY_MS), machine, () => {
      workers.get(machine.name)?.crash();
      timeline.after(dice.below(TTL_MS), null, () => world.hire());
    });
  }

  /** Trouble likes the moment between a decision and its commit. */
  strike({ name }: Machine, liking: number): number {
    const { dice, plan, workers } = this.#world;
    const trouble = dice.pick(plan.troubles);
    if (trouble === undefined || this.#isOver || !dice.chance(plan.strikes * liking)) return 0;
    this.#trouble(trouble, workers.get(name));
    const isShort = trouble === "stop" || dice.chance(0.5);
    return isShort ? dice.below(300) : dice.between(TTL_MS, 4 * TTL_MS);
  }

  /** Nothing befalls it any more, and what was wrong is mended. */
  end(): void {
    const world = this.#world;
    this.#isOver = true;
    world.setFair();
    for (const { machine } of world.crew) {
      machine.letGo();
      machine.setWrongBy(0);
      machine.lagMs = 0;
      machine.losesRenewals = false;
    }
    // What was written down for a later time comes no later than it was meant.
    this.#setStoreClock(this.#fastestMs);
    if (!world.fence.isClear()) this.#reset();
    this.#operators.end();
    // Those that are left may be about to drain.
    world.hire();
  }

  async #go(): Promise<void> {
    const { dice, plan, timeline } = this.#world;
    for (;;) {
      await timeline.wait(dice.below(plan.everyMs), null);
      if (this.#isOver) return;
      const trouble = dice.chance(TROUBLED) ? dice.pick(plan.troubles) : undefined;
      if (trouble !== undefined) this.#trouble(trouble, dice.pick(this.#world.crew));
      else if (dice.chance(HIRING)) this.#hireMissing();
      else this.#operators.act();
    }
  }

  #trouble(trouble: Trouble, worker: SimWorker | undefined): void {
    const world = this.#world;
    const { dice, timeline, fence } = world;
    const ms = dice.below(LONGEST_MS);
    const wrongByMs = dice.between(-1, 1) * HOUR_MS;
    world.say(
      `--- ${trouble} of ${worker?.machine.name}: ${ms} ms, clock wrong by ${wrongByMs} ms`,
    );
    switch (trouble) {
      case "crash":
        worker?.crash();
        return void timeline.after(ms, null, () => this.#hireMissing());
      case "suspend":
        return worker?.machine.suspend(ms);
      case "sleep":
        return worker?.machine.sleepFor(ms);
      case "wall-clock":
        return worker?.machine.setWrongBy(wrongByMs);
      case "store-clock":
        return this.#setStoreClock(wrongByMs);
      case "lag":
        return this.#lag(worker?.machine);
      case "lost-renewals":
        return this.#loseRenewals(worker?.machine);
      case "outage":
        world.cutOff();
        return void timeline.after(dice.below(1.5 * TTL_MS), null, () => world.reconnect());
      case "stop":
        if (!fence.isClear()) return this.#reset();
        fence.stop();
        return void timeline.after(dice.below(TTL_MS), null, () => this.#reset());
    }
  }

  #lag(machine: Machine | undefined): void {
    const { dice, timeline } = this.#world;
    if (machine === undefined) return;
    machine.lagMs = dice.between(0.5 * TTL_MS, 3 * TTL_MS);
    timeline.after(dice.between(0.5 * TTL_MS, 1.5 * TTL_MS), null, () => {
      machine.lagMs = 0;
    });
  }

  #loseRenewals(machine: Machine | undefined): void {
    const { dice, timeline } = this.#world;
    if (machine === undefined) return;
    machine.losesRenewals = true;
    timeline.after(dice.below(2 * TTL_MS), null, () => {
      machine.losesRenewals = false;
    });
  }

  #setStoreClock(wrongByMs: number): void {
    const world = this.#world;
    if (wrongByMs > world.storeClock.wrongByMs) world.storeClockSetOnAt = world.timeline.now;
    world.storeClock.setWrongBy(wrongByMs);
    this.#fastestMs = Math.max(this.#fastestMs, wrongByMs);
  }

  /** What was stopped is dead, and a new epoch begins. Once in a while a worker is overlooked: the store must not. */
  #reset(): void {
    const world = this.#world;
    const { dice, fence, processes } = world;
    if (fence.isClear()) return;
    for (const worker of world.crew) if (!dice.chance(OVERLOOKED)) worker.crash();
    for (const worker of world.workers.values()) if (worker.machine.isGone) worker.bury();
    processes.kill(() => true);
    world.say(`--- reset at epoch ${fence.epoch()}`);
    fence.reset();
    this.#operators.reset(fence.epoch());
    this.#hireMissing();
  }

  #hireMissing(): void {
    const world = this.#world;
    if (this.#isOver) return;
    for (let missing = world.plan.workers - world.crew.length; missing > 0; missing--) world.hire();
  }
}
