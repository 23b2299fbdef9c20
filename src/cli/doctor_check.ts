import { messageOf } from "../model/error.ts";

/** What a check came to. `unknown`: it could not be looked at, so that nothing is promised. */
export type CheckStatus = "ok" | "warning" | "failed" | "unknown";

/** One thing that Skein relies on, and how it stands. */
export interface Check {
  /** What was looked at. */
  readonly check: string;
  /** How it stands. */
  readonly status: CheckStatus;
  /** What was found; where it is not well, what will not work, and why. */
  readonly message: string;
  /** What to do about it, `null` where there is nothing to do. */
  readonly next: string | null;
}

/** It is as it should be. */
export function ok(check: string, message: string): Check {
  return { check, status: "ok", message, next: null };
}

/** Skein works, with a limit that one should know of. */
export function warning(check: string, message: string, next: string): Check {
  return { check, status: "warning", message, next };
}

/** Something of Skein will not work. */
export function failed(check: string, message: string, next: string): Check {
  return { check, status: "failed", message, next };
}

/** It could not be told. */
export function unknown(check: string, message: string, next: string | null = null): Check {
  return { check, status: "unknown", message, next };
}

/** What a look brought, or why it brought nothing. */
export type Tried<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly problem: string };

/** Looks; what is thrown is why it brought nothing. */
export async function tried<T>(look: () => T | Promise<T>): Promise<Tried<T>> {
  try {
    return { ok: true, value: await look() };
  } catch (error) {
    return { ok: false, problem: messageOf(error) };
  }
}
