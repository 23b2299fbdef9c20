/**
 * Time and chance: the only room that reads a clock or draws random numbers. Owns the clocks, the generator and
 * the minting of ids; refuses nothing; lets every other room be tested on a clock that a test turns.
 *
 * @module
 */
export { type Clock, every, roundedMs, systemClock } from "./clock.ts";
export { CoarseClock } from "./coarse.ts";
export { eventTurn } from "./event_turn.ts";
export { mintRunId, mintSwarmId, RUN_ID } from "./ids.ts";
export { isoTime, Timestamps } from "./timestamps.ts";
export { type Rng, seededRng, systemRng } from "./rng.ts";
