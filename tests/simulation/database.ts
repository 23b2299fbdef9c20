import { messageOf } from "../../src/model/mod.ts";
import { type Latch, openStore, type Store, type StoreOptions } from "../../src/store/mod.ts";
import { Audit, type AuditGround } from "./audit.ts";
import type { Machine } from "./machine.ts";
import { Rows } from "./rows.ts";
import type { Call } from "./rules.ts";
import type { Variant } from "./variants.ts";

/** What the database stands on. */
export interface DatabaseGround extends Omit<AuditGround, "rows"> {
  /** The folder of its file. */
  readonly folder: string;
  /** How it is opened. */
  readonly options: Omit<StoreOptions, "path">;
  /** What is broken in it; nothing by default. */
  readonly variant: Variant | null;
  /** Told of every call, with its answer. */
  onCall(machine: Machine, call: Call, answer: unknown): void;
}

/** The real store on a real database, with an audit of every call that reaches it. */
export class Database implements AsyncDisposable {
  /** What is known of it from outside. */
  readonly audit: Audit;
  /** The store as it is asked: a broken one, where that is wanted. */
  readonly #store: Store;
  readonly #opened: readonly Store[];
  readonly #rows: Rows;
  readonly #ground: DatabaseGround;

  private constructor(ground: DatabaseGround, opened: Store[], rows: Rows, store: Store) {
    this.#ground = ground;
    this.#opened = opened;
    this.#rows = rows;
    this.#store = store;
    this.audit = new Audit({ ...ground, rows });
  }

  /** Makes an empty one. */
  static async make(ground: DatabaseGround): Promise<Database> {
    const path = `${ground.folder}/queue.db`;
    const opened: Store[] = [];
    const behind = async (latch: Latch) => {
      const store = await openStore({ ...ground.options, latch, path });
      opened.push(store);
      return store;
    };
    const store = await behind(ground.options.latch);
    const rows = new Rows(path);
    const replaced = await ground.variant?.({ store, behind, rows }) ?? {};
    return new Database(ground, opened, rows, overlaid(store, replaced));
  }

  /** Performs a call, and audits it. */
  async perform(machine: Machine, call: Call): Promise<unknown> {
    const before = this.audit.before(call);
    const method = this.#store[call.name] as (...args: readonly unknown[]) => Promise<unknown>;
    let answer: unknown;
    try {
      answer = await method.apply(this.#store, [...call.args]);
    } catch (error) {
      this.#ground.onBreach(`The store answers "${call.name}": ${messageOf(error)}`);
      throw error;
    }
    this.#ground.onCall(machine, call, answer);
    this.audit.after(machine, call, before, answer);
    return answer;
  }

  /** Looks for broken invariants: those that the store knows, and those that can be seen from outside. */
  async check(): Promise<void> {
    for (const { check, id, message } of await this.#store.fsck()) {
      this.#ground.onBreach(`fsck: ${check}: ${id}: ${message}`);
    }
    this.audit.compareRows();
  }

  /** Closes it. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const store of this.#opened) await store.close();
    this.#rows[Symbol.dispose]();
  }
}

function overlaid(store: Store, replaced: Partial<Store>): Store {
  return new Proxy(store, {
    get(target, name: keyof Store) {
      const own = replaced[name];
      return own === undefined ? target[name].bind(target) : own;
    },
  });
}
