import { isPositiveInteger } from "../model/lease.ts";

/** Who asked for a stop. */
export interface StopAuthor {
  /** The machine's name; empty where it may not be read. */
  readonly host: string;
  /** The process that asked. */
  readonly pid: number;
  /** Its user; empty where it may not be read. */
  readonly user: string;
}

/** The content of STOP. */
export interface StopRecord {
  /** The format's version. */
  readonly version: 1;
  /** The epoch after the stop; 0 where it could not be known. */
  readonly epoch: number;
  /** Why, in the words of who asked. */
  readonly reason: string;
  /** ISO 8601, UTC. */
  readonly requestedAt: string;
  /** Who asked. */
  readonly by: StopAuthor;
}

/** What a look at STOP found. Anything but `nothing` is a stop. */
export type Look =
  | { readonly at: "nothing" }
  | {
    readonly at: "something";
    /** Tells this STOP from one that replaced it. */
    readonly identity: string;
    /** Its record, `null` where there is none that can be read. */
    readonly record: StopRecord | null;
    /** What is wrong with it, `null` for a record and for an empty file. */
    readonly problem: string | null;
  };

/** What a look at EPOCH found. */
export type EpochSeen =
  | { readonly ok: true; readonly epoch: number }
  | { readonly ok: false; readonly problem: string };

/** Reads the text of EPOCH: digits and at most one newline, from 1 to 2^53−1. */
export function parseEpoch(text: string): EpochSeen {
  if (!/^\d{1,32}\n?$/.test(text)) {
    return { ok: false, problem: `EPOCH is not a number: ${quote(text)}` };
  }
  const epoch = Number(text);
  if (!isPositiveInteger(epoch)) {
    return { ok: false, problem: `EPOCH is outside 1 to 2^53-1: ${quote(text)}` };
  }
  return { ok: true, epoch };
}

/** The text of EPOCH. */
export function formatEpoch(epoch: number): string {
  return `${epoch}\n`;
}

/** Reads the text of STOP; `null` for text that is no record. */
export function parseStop(text: string): StopRecord | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null;
  }
  return isStopRecord(value) ? value : null;
}

/** The text of STOP. */
export function formatStop(record: StopRecord): string {
  return `${JSON.stringify(record)}\n`;
}

function isStopRecord(value: unknown): value is StopRecord {
  if (!isObject(value) || !isObject(value.by)) return false;
  const { version, epoch, reason, requestedAt, by } = value;
  return version === 1 && (epoch === 0 || isPositiveInteger(epoch)) && typeof reason === "string" &&
    typeof requestedAt === "string" && typeof by.host === "string" &&
    Number.isSafeInteger(by.pid) &&
    typeof by.user === "string";
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function quote(text: string): string {
  return JSON.stringify(text.length > 40 ? `${text.slice(0, 40)}…` : text);
}
