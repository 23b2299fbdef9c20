/**
 * Virtual time: everything that waits, for whatever it waits, is an entry here, and one entry after another is let go.
 * Which is next depends on the seed alone.
 *
 * @module
 */
import { setImmediate } from "node:timers";
import type { Dice } from "./dice.ts";

/** Whose turn an entry is. */
export interface Player {
  /** Whether it has ended: what it waited for then never comes. */
  readonly isGone: boolean;
  /** When it may go on, on the timeline; long ago where nothing holds it up. */
  readonly heldUntil: number;
}

/** Something that waits. */
interface Entry {
  due: number;
  readonly tie: number;
  readonly player: Player | null;
  readonly run: () => void;
  isCancelled: boolean;
}

/** How often it is looked whether a player that is held up may go on, in milliseconds, and how unevenly. */
const LOOK_MS = 200;
const SPREAD_MS = 20;
/** How late anything may be. */
const LATE_MS = 2;

/** What happens, in its order. */
export class Timeline {
  readonly #dice: Dice;
  readonly #heap: Entry[] = [];
  #now = 0;
  #steps = 0;

  /** Nothing has happened. */
  constructor(dice: Dice) {
    this.#dice = dice;
  }

  /** True time, in milliseconds from the start; no player can read it. */
  get now(): number {
    return this.#now;
  }

  /** Entries that were let go. */
  get steps(): number {
    return this.#steps;
  }

  /**
   * Lets something happen later.
   *
   * @param player who does it; `null`: the world.
   * @returns takes it back.
   */
  after(ms: number, player: Player | null, run: () => void): () => void {
    const late = ms > 0 ? this.#dice.next() * LATE_MS : 0;
    const due = this.#now + Math.max(0, ms) + late;
    const entry: Entry = { due, tie: this.#dice.next(), player, run, isCancelled: false };
    this.#push(entry);
    return () => {
      entry.isCancelled = true;
    };
  }

  /** Waits. Of a player that ends meanwhile it never returns. */
  wait(ms: number, player: Player | null): Promise<void> {
    return new Promise((resolve) => this.after(ms, player, resolve));
  }

  /** Lets everything happen that is due until a moment, or until something holds. */
  async runUntil(end: number, isOver: () => boolean = () => false): Promise<void> {
    for (let next = this.#heap[0]; next !== undefined && next.due <= end; next = this.#heap[0]) {
      this.#pop();
      const { player } = next;
      if (next.isCancelled || player?.isGone) continue;
      this.#now = next.due;
      if (player !== null && player.heldUntil > this.#now) {
        const freeAt = Math.min(player.heldUntil, this.#now + LOOK_MS);
        next.due = freeAt + this.#dice.below(SPREAD_MS);
        this.#push(next);
        continue;
      }
      this.#steps++;
      next.run();
      await settled();
      if (isOver()) return;
    }
    this.#now = Math.max(this.#now, end);
  }

  #push(entry: Entry): void {
    const heap = this.#heap;
    let at = heap.push(entry) - 1;
    while (at > 0) {
      const above = (at - 1) >> 1;
      if (!isBefore(entry, heap[above])) break;
      heap[at] = heap[above] as Entry;
      at = above;
    }
    heap[at] = entry;
  }

  #pop(): void {
    const heap = this.#heap;
    const last = heap.pop();
    if (last === undefined || heap.length === 0) return;
    let at = 0;
    for (;;) {
      let below = 2 * at + 1;
      if (below + 1 < heap.length && isBefore(heap[below + 1], heap[below])) below++;
      if (below >= heap.length || !isBefore(heap[below], last)) break;
      heap[at] = heap[below] as Entry;
      at = below;
    }
    heap[at] = last;
  }
}

function isBefore(a: Entry | undefined, b: Entry | undefined): boolean {
  if (a === undefined || b === undefined) return false;
  return a.due < b.due || (a.due === b.due && a.tie < b.tie);
}

/** Resolves when everything that follows from what has happened has happened: no promise is left to be continued. */
function settled(): Promise<void> {
  return new Promise((resolve) => {
    setImmediate(resolve);
  });
}
