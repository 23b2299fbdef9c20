/**
 * The entry `@skein/cli/lib` by its own name, for the examples in the documentation.
 *
 * @module
 */
export * from "../../src/mod.ts";
