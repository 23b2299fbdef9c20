import type { ProcessIdentity } from "../model/mod.ts";

/** A worker that enters. */
export interface Registration {
  /** Its name, new for every process. */
  readonly owner: string;
  /** The machine. */
  readonly host: string;
  /** Its file in the folder `holders`, which it locks as long as it lives. */
  readonly holderId: string;
  /** The process. */
  readonly process: ProcessIdentity;
  /** The epoch that it entered with. */
  readonly epoch: number;
  /** Runs that it holds at the same time. */
  readonly concurrency: number;
}

/** A worker as the store knows it. */
export interface ExecutorRow extends Registration {
  /** When it was registered, on the store's clock. */
  readonly startedAt: number;
  /** Its last heartbeat, on the store's clock. */
  readonly seenAt: number;
  /** When it ended cleanly, `null` where it has not. */
  readonly endedAt: number | null;
  /** When it was asked to drain, `null` where it was not. */
  readonly drainRequestedAt: number | null;
  /** Runs that it holds now. */
  readonly holds: number;
}

/** A role that one executor at a time has. */
export interface RoleRow {
  /** The role. */
  readonly name: string;
  /** Who has it, `null` where it was released. */
  readonly owner: string | null;
  /** Raised by every change of its holder. */
  readonly token: number;
  /** When it ends without a renewal, on the store's clock. */
  readonly expiresAt: number;
}
