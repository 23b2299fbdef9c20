import type { EpochKeeper } from "../../fence/mod.ts";
import type { Store, StoreWait } from "../../store/mod.ts";
import { openQueue } from "./site.ts";

/** The queue as a reset needs it. It is opened when it is first asked: nobody else then holds the swarm. */
export class QueueEpochs implements EpochKeeper {
  /** Runs that a stop had invalidated, and that were closed. */
  closedRuns = 0;
  readonly #stateDir: string;
  readonly #onWait: (wait: StoreWait) => void;
  #opened: Promise<Store> | null = null;

  /** Binds it to the queue of a state directory, which must be there. */
  constructor(stateDir: string, onWait: (wait: StoreWait) => void) {
    this.#stateDir = stateDir;
    this.#onWait = onWait;
  }

  async highest(): Promise<number> {
    return await (await this.#store()).highestEpoch();
  }

  async raise(epoch: number): Promise<void> {
    const store = await this.#store();
    await store.raiseEpoch(epoch);
    this.closedRuns += (await store.closeStopped(epoch)).length;
  }

  /** Closes the queue. */
  async close(): Promise<void> {
    const store = await this.#opened?.catch(() => null);
    await store?.close();
  }

  #store(): Promise<Store> {
    const onWait = this.#onWait;
    return this.#opened ??= openQueue(this.#stateDir, { durability: "full", onWait });
  }
}
