/**
 * The entry `@skein/cli/manifest` by its own name, for the examples in the documentation.
 *
 * @module
 */
export * from "../../src/manifest.ts";
