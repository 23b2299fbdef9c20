/**
 * The entry `@skein/cli/lease` by its own name, for the examples in the documentation.
 *
 * @module
 */
export * from "../../src/lease.ts";
