import { SkeinError } from "../../../src/model/mod.ts";
import type { Store } from "../../../src/store/mod.ts";

/** What becomes of a call: it never arrives, its answer is lost, or it waits until it is let go. */
export type Fault = "unreachable" | "answer-lost" | { readonly until: Promise<void> };

/** A store whose calls a test makes fail. */
export class FaultyStore {
  /** Faults by method: each call takes the first one that is left. */
  readonly #faults = new Map<string, Fault[]>();
  /** Whether nothing arrives. */
  isDown = false;
  /** The store as an engine is given it. */
  readonly store: Store;

  /** Stands before a store. */
  constructor(store: Store) {
    this.store = new Proxy(store, {
      get: (target, name: keyof Store) => {
        const method = target[name] as ((...args: unknown[]) => Promise<unknown>) | undefined;
        if (method === undefined) return undefined;
        return (...args: unknown[]) => this.#call(name, () => method.apply(target, args));
      },
    });
  }

  /** Makes the next calls of a method fail. */
  fail(method: keyof Store, ...faults: Fault[]): void {
    this.#faults.set(method, [...this.#faults.get(method) ?? [], ...faults]);
  }

  async #call(method: string, call: () => Promise<unknown>): Promise<unknown> {
    const fault = this.isDown ? "unreachable" : this.#faults.get(method)?.shift();
    if (fault === "unreachable") throw outage(method);
    if (typeof fault === "object") await fault.until;
    const answer = await call();
    if (fault === "answer-lost") throw outage(method);
    return answer;
  }
}

function outage(method: string): SkeinError {
  return new SkeinError("state-unusable", `Cannot use the store: ${method} failed`);
}
