import type { Clock } from "../clock/mod.ts";

/** A moment at which something happens unless it is taken back. */
export interface Deadline {
  /** On the monotonic clock. */
  readonly at: number;
  /** What happens. */
  readonly due: () => void;
  /** Whether it was taken back, or has happened. */
  over: boolean;
}

/**
 * Many deadlines on one timer: a binary heap by time. Taking one back marks it; it leaves the heap when its time
 * comes, or when more than half of the heap is marked.
 */
export class Deadlines {
  readonly #clock: Clock;
  #heap: Deadline[] = [];
  #cancelled = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #armedFor = Infinity;

  /** Makes an empty set. */
  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Adds a deadline. */
  after(ms: number, due: () => void): Deadline {
    const deadline = { at: this.#clock.mono() + ms, due, over: false };
    this.#push(deadline);
    this.#arm();
    return deadline;
  }

  /** Takes a deadline back; one that has happened stays as it is. */
  cancel(deadline: Deadline): void {
    if (deadline.over) return;
    deadline.over = true;
    this.#cancelled++;
    if (this.#cancelled * 2 > this.#heap.length && this.#cancelled > 64) this.#compact();
    if (this.#cancelled === this.#heap.length) this.close();
  }

  /** Ends the timer and forgets every deadline. */
  close(): void {
    clearTimeout(this.#timer);
    this.#armedFor = Infinity;
    this.#heap = [];
    this.#cancelled = 0;
  }

  #arm(): void {
    const first = this.#heap[0];
    if (first === undefined || first.at >= this.#armedFor) return;
    clearTimeout(this.#timer);
    this.#armedFor = first.at;
    this.#timer = setTimeout(() => this.#fire(), Math.max(0, first.at - this.#clock.mono()));
  }

  #fire(): void {
    this.#armedFor = Infinity;
    const now = this.#clock.mono();
    for (
      let first = this.#heap[0];
      first !== undefined && (first.at <= now || first.over);
      first = this.#heap[0]
    ) {
      this.#pop();
      if (first.over) {
        this.#cancelled--;
      } else {
        first.over = true;
        first.due();
      }
    }
    this.#arm();
  }

  #compact(): void {
    const live = this.#heap.filter((deadline) => !deadline.over);
    this.#heap = [];
    this.#cancelled = 0;
    for (const deadline of live) this.#push(deadline);
  }

  #push(deadline: Deadline): void {
    const heap = this.#heap;
    let hole = heap.length;
    heap.push(deadline);
    for (let parent = (hole - 1) >> 1; hole > 0; parent = (hole - 1) >> 1) {
      const above = heap[parent] ?? deadline;
      if (above.at <= deadline.at) break;
      heap[hole] = above;
      hole = parent;
    }
    heap[hole] = deadline;
  }

  #pop(): void {
    const heap = this.#heap;
    const moved = heap.pop();
    if (moved === undefined || heap.length === 0) return;
    let hole = 0;
    for (let child = 1; child < heap.length; child = 2 * hole + 1) {
      const right = heap[child + 1];
      let smaller = heap[child] ?? moved;
      if (right !== undefined && right.at < smaller.at) {
        smaller = right;
        child++;
      }
      if (moved.at <= smaller.at) break;
      heap[hole] = smaller;
      hole = child;
    }
    heap[hole] = moved;
  }
}
