import { type Refusal, SkeinError } from "../../model/mod.ts";
import type { Latch } from "../store.ts";
import type { Connection } from "./connection.ts";

/** What every transaction stands on. */
export interface Ground {
  /** The database. */
  readonly connection: Connection;
  /** The fence. */
  readonly latch: Latch;
}

/**
 * The check, as it is made inside a write transaction.
 *
 * @param epoch the epoch that the caller read, `null` where it read none of its own.
 */
export function check(
  { latch }: Ground,
  epoch: number | null,
): { readonly latched: boolean; readonly epoch: number } {
  // In this order: a stop that comes after the first look has changed what the second one reads.
  const clear = latch.isClear();
  const current = latch.epoch();
  return { latched: !clear || (epoch !== null && epoch !== current), epoch: current };
}

/** A refusal that no caller can cause: the caller of the store, or the store itself, is wrong. */
export function unexpected(action: string, why: Refusal): SkeinError {
  return new SkeinError("internal", `Cannot ${action}: the machine answers "${why}"`, {
    next: "Report it, with the output of `skein fsck`",
  });
}

/** Demands that a fenced write changed its one row. */
export function demandOne(changed: number, action: string): void {
  if (changed === 1) return;
  throw new SkeinError("internal", `Cannot ${action}: ${changed} rows match, and one must`, {
    next: "Report it, with the output of `skein fsck`",
  });
}
