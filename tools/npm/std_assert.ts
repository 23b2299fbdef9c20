/**
 * `@std/assert` from npm, with the signatures of what this project uses.
 *
 * @module
 */
import * as asserts from "npm:deno-std@1.4.0/assert/mod.js";

/** The error that a failed assertion throws. */
export const AssertionError: new (message: string) => Error = asserts.AssertionError;
/** Demands a truthy value. */
export const assert: (expr: unknown, msg?: string) => asserts expr = asserts.assert;
/** Demands `false`, `0`, `""`, `null` or `undefined`. */
export const assertFalse: (expr: unknown, msg?: string) => void = asserts.assertFalse;
/** Demands deep equality. */
export const assertEquals: <T>(actual: T, expected: T, msg?: string) => void = asserts.assertEquals;
/** Demands deep inequality. */
export const assertNotEquals: <T>(actual: T, expected: T, msg?: string) => void =
  asserts.assertNotEquals;
/** Demands a value that is neither `null` nor `undefined`. */
export const assertExists: <T>(actual: T, msg?: string) => asserts actual is NonNullable<T> =
  asserts.assertExists;
/** Demands that one text stands in another. */
export const assertStringIncludes: (actual: string, expected: string, msg?: string) => void =
  asserts.assertStringIncludes;
/** Demands that a text matches an expression. */
export const assertMatch: (actual: string, expected: RegExp, msg?: string) => void =
  asserts.assertMatch;
/** Demands that an object has at least the given properties. */
export const assertObjectMatch: (
  // deno-lint-ignore no-explicit-any
  actual: Record<PropertyKey, any>,
  expected: Record<PropertyKey, unknown>,
  msg?: string,
) => void = asserts.assertObjectMatch;
/** Demands an instance of a class. */
// deno-lint-ignore no-explicit-any
export const assertInstanceOf: <T extends abstract new (...args: any[]) => any>(
  actual: unknown,
  expectedType: T,
  msg?: string,
) => asserts actual is InstanceType<T> = asserts.assertInstanceOf;
/** Demands that a function throws, and returns what it threw. */
export const assertThrows: <E extends Error = Error>(
  fn: () => unknown,
  // deno-lint-ignore no-explicit-any
  ErrorClass?: abstract new (...args: any[]) => E,
  msgIncludes?: string,
) => E = asserts.assertThrows;
/** Demands that a promise rejects, and returns what it rejected with. */
export const assertRejects: <E extends Error = Error>(
  fn: () => PromiseLike<unknown>,
  // deno-lint-ignore no-explicit-any
  ErrorClass?: abstract new (...args: any[]) => E,
  msgIncludes?: string,
) => Promise<E> = asserts.assertRejects;
