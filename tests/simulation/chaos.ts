import type { Store } from "../../src/store/mod.ts";
import { hasEnded } from "./books.ts";
import type { Machine } from "./machine.ts";
import { drawManifest, POISON, type Trouble, TTL_MS } from "./plan.ts";
import type { Process } from "./processes.ts";
import type { SimWorker } from "./sim_worker.ts";
import { Outage } from "./store_link.ts";
import type { Fate, World } from "./world.ts";

const HOUR_MS = 3_600_000;
/** How often an attempt of a poisoned run kills its worker, and when at the latest. */
const DEADLY = 0.7;
const DEADLY_MS = 400;

/** What an operator does besides. */
type Order = "submit" | "cancel" | "retry" | "recover" | "drain" | "hire";

const ORDERS: readonly Order[] = [
  "submit",
  "submit",
  "submit",
  "cancel",
  "cancel",
  "retry",
  "recover",
  "recover",
  "recover",
  "drain",
  "hire",
  "hire",
];
/** Most runs. */
const RUNS = 10;

/** What befalls a world: an operator's orders, and the trouble that its plan has. */
export class Chaos implements Fate {
  readonly #world: World;
  readonly #runIds: string[] = [];
  readonly #operators: Machine[] = [];
  #fastestMs = 0;
  #isOver = false;

  /** Begins: some runs, some workers, and then one thing after another. */
  constructor(world: World) {
    this.#world = world;
    const { dice, plan } = world;
    for (let count = dice.between(3, 6); count > 0; count--) this.#submit();
    for (let count = plan.workers; count > 0; count--) world.hire();
    void this.#go();
  }

  /** An attempt has begun: where its run is poisoned, it may kill the worker. */
  begun({ machine, runId }: Process): void {
    const { dice, timeline, database, workers } = this.#world;
    const isPoisoned = database.audit.books.get(runId)?.manifest.name === POISON;
    if (!isPoisoned || this.#isOver || !dice.chance(DEADLY)) return;
    timeline.after(dice.below(DEADLY_MS), machine, () => {
      if (!this.#isOver) workers.get(machine.name)?.crash();
    });
    timeline.after(dice.below(TTL_MS), null, () => this.#hireMissing());
  }

  /** Trouble likes the moment between a decision and its commit. */
  strike({ name }: Machine): number {
    const { dice, plan, workers } = this.#world;
    const trouble = dice.pick(plan.troubles);
    if (trouble === undefined || this.#isOver || !dice.chance(plan.strikes)) return 0;
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
    for (const machine of this.#operators) machine.end();
    // Those that are left may be about to drain.
    world.hire();
  }

  async #go(): Promise<void> {
    const { dice, plan, timeline } = this.#world;
    for (;;) {
      await timeline.wait(dice.below(plan.everyMs), null);
      if (this.#isOver) return;
      const trouble = dice.chance(0.6) ? dice.pick(plan.troubles) : undefined;
      if (trouble !== undefined) this.#trouble(trouble, dice.pick(this.#world.crew));
      else this.#order(dice.pick(ORDERS) ?? "submit");
    }
  }

  #trouble(trouble: Trouble, worker: SimWorker | undefined): void {
    const world = this.#world;
    const { dice, timeline, fence } = world;
    world.say(`--- ${trouble} ${worker?.machine.name ?? ""}`);
    switch (trouble) {
      case "crash":
        worker?.crash();
        return void timeline.after(dice.below(TTL_MS), null, () => this.#hireMissing());
      case "suspend":
        return worker?.machine.suspend(dice.below(4 * TTL_MS));
      case "sleep":
        return worker?.machine.sleepFor(dice.below(4 * TTL_MS));
      case "wall-clock":
        return worker?.machine.setWrongBy(dice.between(-1, 1) * HOUR_MS);
      case "store-clock":
        return this.#setStoreClock(dice.between(-1, 1) * HOUR_MS);
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

  /** What was stopped is proved dead, and a new epoch begins. */
  #reset(): void {
    const world = this.#world;
    const { fence, processes } = world;
    if (fence.isClear()) return;
    for (const worker of world.crew) worker.crash();
    for (const worker of world.workers.values()) worker.bury();
    processes.kill(() => true);
    world.say(`--- reset at epoch ${fence.epoch()}`);
    fence.reset();
    this.#ask("reset", async (store) => {
      await store.raiseEpoch(fence.epoch());
      await store.closeStopped(fence.epoch());
    });
    for (const runId of world.dice.some(this.#runIds, 0.6)) this.#retry(runId);
    this.#hireMissing();
  }

  #hireMissing(): void {
    const world = this.#world;
    if (this.#isOver) return;
    for (let missing = world.plan.workers - world.crew.length; missing > 0; missing--) world.hire();
  }

  #order(order: Order): void {
    const world = this.#world;
    const { dice } = world;
    const runId = this.#runFor(order);
    world.say(`--- ${order} ${runId}`);
    switch (order) {
      case "submit":
        return this.#submit();
      case "cancel":
        return this.#ask("cancel", (store) => store.cancel(runId, "operator"));
      case "retry":
        return this.#retry(runId);
      case "recover": {
        const { machine, store } = this.#operator(order);
        return this.#ignore(world.engineOf(machine, store).recover(runId));
      }
      case "drain": {
        const worker = dice.pick(world.crew);
        if (dice.chance(0.3)) return worker?.drain();
        const owner = dice.chance(0.5) ? null : worker?.machine.name ?? null;
        return this.#ask("drain", (store) => store.requestDrain(owner));
      }
      case "hire":
        return this.#hireMissing();
    }
  }

  #retry(runId: string): void {
    const { dice, fence } = this.#world;
    const request = { epoch: fence.epoch(), failedOnly: dice.chance(0.5), by: "operator" };
    this.#ask("retry", (store) => store.retry(runId, request));
  }

  /** Mostly one that the order can mean. */
  #runFor(order: Order): string {
    const { dice, database } = this.#world;
    const isMeant = (runId: string) => {
      const book = database.audit.books.get(runId);
      return order === "retry" ? hasEnded(book) : book?.state === "running";
    };
    const meant = dice.chance(0.8) ? this.#runIds.filter(isMeant) : [];
    return dice.pick(meant) ?? dice.pick(this.#runIds) ?? "";
  }

  #submit(): void {
    const { dice, fence } = this.#world;
    if (this.#runIds.length >= RUNS) return;
    const runId = `r${this.#runIds.length + 1}`;
    const submission = {
      runId,
      key: dice.chance(0.5) ? `key-${runId}` : null,
      priority: dice.between(-1, 1),
      epoch: fence.epoch(),
      manifest: drawManifest(dice),
    };
    this.#runIds.push(runId);
    this.#ask("submit", async (store) => {
      await store.submit(submission);
      if (dice.chance(0.2)) await store.submit(submission);
    });
  }

  #ask(name: string, ask: (store: Store) => Promise<unknown>): void {
    this.#ignore(ask(this.#operator(name).store));
  }

  #operator(order: string): { readonly machine: Machine; readonly store: Store } {
    const operator = this.#world.operator(`${order}-${this.#operators.length + 1}`);
    this.#operators.push(operator.machine);
    return operator;
  }

  /** An operator who gets no answer asks again some other time. */
  #ignore(asked: Promise<unknown>): void {
    asked.catch((error) => {
      if (!(error instanceof Outage)) this.#world.breach(`An operator is answered: ${error}`);
    });
  }
}
