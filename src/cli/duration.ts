import { UsageError } from "./usage_error.ts";

/** Milliseconds of each unit. */
const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** How a duration is written, for the help texts. */
export const DURATION_FORM = "a number with ms, s, min, h, d or w, such as 30d or 12h";

/**
 * Reads a duration, such as `30d`, in milliseconds, for a flag of `skein prune`.
 *
 * @throws {UsageError} where it is none.
 */
export function parseDuration(flag: string, text: string): number {
  const [, number = "", unit = ""] = /^(\d{1,9})(ms|s|min|h|d|w)$/.exec(text) ?? [];
  if (number !== "") return Number(number) * (UNITS[unit] ?? 1);
  throw new UsageError(
    `Flag "--${flag}" must be ${DURATION_FORM}, not "${text}"`,
    "See `skein help prune`",
  );
}
