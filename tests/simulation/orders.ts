import type { Store } from "../../src/store/mod.ts";
import { hasEnded } from "./books.ts";
import type { Machine } from "./machine.ts";
import { drawManifest } from "./plan.ts";
import { Outage } from "./store_link.ts";
import type { World } from "./world.ts";

/** What an operator can do. */
type Order = "submit" | "cancel" | "retry" | "recover" | "drain";

/** How often each is done. */
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
];
/** Most runs. */
const RUNS = 10;
/** How often a run is tried again after a reset. */
const RETRIED = 0.6;

/** What operators ask of the queue, each in a process of its own, with its own way to the store. */
export class Operators {
  readonly #world: World;
  readonly #runIds: string[] = [];
  readonly #machines: Machine[] = [];

  /** Nothing was asked. */
  constructor(world: World) {
    this.#world = world;
  }

  /** One of them does something. */
  act(): void {
    const { dice } = this.#world;
    const order = dice.pick(ORDERS) ?? "submit";
    const runId = this.#runFor(order);
    this.#world.say(`--- ${order} ${runId}`);
    switch (order) {
      case "submit":
        return this.submit();
      case "cancel":
        return this.#ask(order, (store) => store.cancel(runId, "operator"));
      case "retry":
        return this.#retry(runId);
      case "recover":
        return this.#recover(runId);
      case "drain":
        return this.#drain();
    }
  }

  /** Submits one more run, and perhaps once more. */
  submit(): void {
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

  /** Closes what a stop has invalidated, and tries some of it again. */
  reset(epoch: number): void {
    this.#ask("reset", async (store) => {
      await store.raiseEpoch(epoch);
      await store.closeStopped(epoch);
    });
    for (const runId of this.#world.dice.some(this.#runIds, RETRIED)) this.#retry(runId);
  }

  /** All of them have gone, whatever they still waited for. */
  end(): void {
    for (const machine of this.#machines) machine.end();
  }

  #retry(runId: string): void {
    const { dice, fence } = this.#world;
    const request = { epoch: fence.epoch(), failedOnly: dice.chance(0.5), by: "operator" };
    this.#ask("retry", (store) => store.retry(runId, request));
  }

  #recover(runId: string): void {
    const { machine, store } = this.#enter("recover");
    this.#ignore(this.#world.engineOf(machine, store).recover(runId));
  }

  #drain(): void {
    const { dice, crew } = this.#world;
    const worker = dice.pick(crew);
    if (dice.chance(0.3)) return worker?.drain();
    const owner = dice.chance(0.5) ? null : worker?.machine.name ?? null;
    this.#ask("drain", (store) => store.requestDrain(owner));
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

  #ask(order: string, ask: (store: Store) => Promise<unknown>): void {
    this.#ignore(ask(this.#enter(order).store));
  }

  #enter(order: string): { readonly machine: Machine; readonly store: Store } {
    const operator = this.#world.operator(`${order}-${this.#machines.length + 1}`);
    this.#machines.push(operator.machine);
    return operator;
  }

  /** An operator who gets no answer asks again some other time. */
  #ignore(asked: Promise<unknown>): void {
    asked.catch((error) => {
      if (!(error instanceof Outage)) this.#world.breach(`An operator is answered: ${error}`);
    });
  }
}
