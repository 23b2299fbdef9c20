import type { EngineFence } from "../../src/engine/durable/mod.ts";
import { type Lease, leaseValid } from "../../src/model/mod.ts";
import type { Latch } from "../../src/store/mod.ts";

/** STOP and EPOCH, as everybody sees them at once. */
export class SwarmFence implements Latch {
  #epoch = 1;
  #isStopped = false;
  readonly #listeners = new Set<() => void>();

  /** Whether nothing is at STOP. */
  isClear(): boolean {
    return !this.#isStopped;
  }

  /** The current epoch. */
  epoch(): number {
    return this.#epoch;
  }

  /** Whether work of an epoch may go on. */
  lets(epoch: number): boolean {
    return !this.#isStopped && epoch === this.#epoch;
  }

  /** Enters, with the epoch as it is now. */
  enter(stateDir: string): EngineFence {
    const check = (lease: Lease) => !this.#isStopped && leaseValid(lease, this.#epoch);
    const isClear = () => this.isClear();
    return { stateDir, swarm: "simulated", epoch: this.#epoch, check, recheck: check, isClear };
  }

  /** Calls back at every stop, until it is taken back. */
  onStop(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Latches, at the next epoch. */
  stop(): void {
    this.#isStopped = true;
    this.#epoch++;
    for (const listener of [...this.#listeners]) listener();
  }

  /** Clears the latch; the epoch stays. */
  reset(): void {
    this.#isStopped = false;
  }
}
