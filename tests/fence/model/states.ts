/** Halfwords of one state: its world, then its actors. */
const WIDTH = 8;

/**
 * The states that were reached, packed: a world's number and the numbers of its actors, which stand in no order, so
 * that two runs that changed places are one state.
 */
export class StateSet {
  #size = 0;
  #cells = new Uint16Array(WIDTH << 12);
  #from = new Int32Array(1 << 12);
  #slots = new Int32Array(1 << 13).fill(-1);
  readonly #next = new Uint16Array(WIDTH);

  /** How many there are. */
  get size(): number {
    return this.#size;
  }

  /** Adds a state that was reached from another one, unless it is known; sorts the actors. */
  add(world: number, actors: readonly number[], from: number): void {
    if (world > 0xffff || actors.length >= WIDTH) throw new RangeError("The model is too large");
    this.#pack(world, actors);
    let slot = this.#hash();
    for (
      let known;
      (known = this.#slots[slot] ?? -1) >= 0;
      slot = (slot + 1) & (this.#slots.length - 1)
    ) {
      if (this.#isNext(known)) return;
    }
    this.#slots[slot] = this.#size;
    for (let place = 0; place < WIDTH; place++) {
      this.#cells[this.#size * WIDTH + place] = this.#next[place] ?? 0;
    }
    this.#from[this.#size++] = from;
    if (this.#size * 2 >= this.#slots.length) this.#grow();
  }

  /** The world of a state. */
  world(state: number): number {
    return this.#cells[state * WIDTH] ?? 0;
  }

  /** The actors of a state, sorted. */
  actors(state: number): number[] {
    const actors = [];
    for (let place = state * WIDTH + 1; place < (state + 1) * WIDTH; place++) {
      const actor = this.#cells[place] ?? 0;
      if (actor > 0) actors.push(actor - 1);
    }
    return actors;
  }

  /** The state from which a state was reached first, −1 for a beginning. */
  from(state: number): number {
    return this.#from[state] ?? -1;
  }

  #pack(world: number, actors: readonly number[]): void {
    const next = this.#next;
    next.fill(0);
    next[0] = world;
    for (let count = 0; count < actors.length; count++) {
      const actor = (actors[count] ?? 0) + 1;
      if (actor > 0xffff) throw new RangeError("The model is too large");
      let place = count + 1;
      for (; place > 1 && (next[place - 1] ?? 0) > actor; place--) {
        next[place] = next[place - 1] ?? 0;
      }
      next[place] = actor;
    }
  }

  #hash(): number {
    let hash = 0;
    for (let place = 0; place < WIDTH; place++) {
      hash = Math.imul(hash ^ (this.#next[place] ?? 0), 0x9e3779b1);
      hash ^= hash >>> 15;
    }
    return hash & (this.#slots.length - 1);
  }

  #isNext(state: number): boolean {
    for (let place = 0; place < WIDTH; place++) {
      if (this.#cells[state * WIDTH + place] !== this.#next[place]) return false;
    }
    return true;
  }

  #grow(): void {
    const cells = new Uint16Array(this.#cells.length * 2);
    cells.set(this.#cells);
    this.#cells = cells;
    const from = new Int32Array(this.#from.length * 2);
    from.set(this.#from);
    this.#from = from;
    this.#slots = new Int32Array(this.#slots.length * 2).fill(-1);
    for (let state = 0; state < this.#size; state++) {
      this.#next.set(this.#cells.subarray(state * WIDTH, (state + 1) * WIDTH));
      let slot = this.#hash();
      while ((this.#slots[slot] ?? -1) >= 0) slot = (slot + 1) & (this.#slots.length - 1);
      this.#slots[slot] = state;
    }
  }
}
