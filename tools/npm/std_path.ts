/**
 * `@std/path` from npm, with the signatures of what this project uses.
 *
 * @module
 */
import * as path from "npm:deno-std@1.4.0/path/mod.js";

/** Joins path segments and normalises the result. */
export const join: (...paths: string[]) => string = path.join;
/** Resolves path segments to an absolute path. */
export const resolve: (...paths: string[]) => string = path.resolve;
/** The folder part of a path. */
export const dirname: (path: string) => string = path.dirname;
/** The last part of a path. */
export const basename: (path: string, suffix?: string) => string = path.basename;
/** Whether a path is absolute. */
export const isAbsolute: (path: string) => boolean = path.isAbsolute;
/** The path from one place to another. */
export const relative: (from: string, to: string) => string = path.relative;
/** The path of a `file:` address. */
export const fromFileUrl: (url: string | URL) => string = path.fromFileUrl;
/** The `file:` address of a path. */
export const toFileUrl: (path: string) => URL = path.toFileUrl;
