/**
 * The library by its own name, for the examples in the documentation.
 *
 * @module
 */
export * from "../../main.ts";
