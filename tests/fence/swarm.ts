import type { FenceDisk } from "../../src/fence/disk.ts";
import { type Entrant, prepareStateDir, type ProcessControl } from "../../src/fence/mod.ts";
import type { StopDraft } from "../../src/fence/mod.ts";
import type { Step, Steps } from "../../src/fence/protocol.ts";
import { formatStop, type StopRecord } from "../../src/fence/record.ts";
import type { Lease } from "../../src/model/mod.ts";
import { withFolder } from "../disk/folder.ts";

/** Who enters in these tests. */
export const ENTRANT: Entrant = {
  process: { bootId: "boot", pidNamespace: "ns", pid: Deno.pid, startTime: "1" },
  runId: "run",
};

/** A stop's record. */
export const RECORD: StopRecord = {
  version: 1,
  epoch: 2,
  reason: "test",
  requestedAt: "2026-01-01T00:00:00.000Z",
  by: { host: "host", pid: 7, user: "user" },
};

/** A lease of the first epoch. */
export const LEASE: Lease = {
  runId: "run",
  taskId: "task",
  pass: 1,
  attempt: 1,
  epoch: 1,
  sequence: 1,
  issuedAt: "2026-01-01T00:00:00.000Z",
};

/** What a stop is asked for. */
export function draft(reason: string): StopDraft {
  return { reason, by: RECORD.by };
}

const CONCLUSIVE = true;

/** A machine on which no process is ever left. */
export const NO_PROCESSES: ProcessControl = {
  killHolders: () => Promise.resolve(),
  sweep: () => Promise.resolve(CONCLUSIVE),
};

/** A machine on which a process is left that nothing ends. */
export const SURVIVOR: ProcessControl = {
  killHolders: () => Promise.resolve(),
  sweep: () => Promise.resolve(!CONCLUSIVE),
};

/** Calls back with a state directory that is ready for use. */
export async function withState(use: (stateDir: string) => Promise<void> | void): Promise<void> {
  await withFolder(async (folder) => {
    prepareStateDir(`${folder}/state`);
    await use(`${folder}/state`);
  });
}

/** Writes a record to STOP as if a stop had. */
export function writeStop(stateDir: string, record: StopRecord = RECORD): void {
  Deno.writeTextFileSync(`${stateDir}/STOP`, formatStop(record));
}

/** The text of EPOCH. */
export function epochText(stateDir: string): string {
  return Deno.readTextFileSync(`${stateDir}/EPOCH`);
}

/** A protocol that is driven by hand, so that it can stall. */
export class Stepper<T> {
  readonly #disk: FenceDisk;
  readonly #steps: Steps<T>;
  #next: IteratorResult<Step, T>;

  /** Begins. */
  constructor(disk: FenceDisk, steps: Steps<T>) {
    this.#disk = disk;
    this.#steps = steps;
    this.#next = steps.next();
  }

  /** Goes on until it is about to take a step. */
  async until(op: Step["op"]): Promise<void> {
    while (!this.#next.done && this.#next.value.op !== op) await this.#step(this.#next.value);
  }

  /** Goes on to the end. */
  async finish(): Promise<T> {
    while (!this.#next.done) await this.#step(this.#next.value);
    return this.#next.value;
  }

  async #step(step: Step): Promise<void> {
    this.#next = this.#steps.next(await this.#disk.drive(single(step)));
  }
}

function* single(step: Step): Steps<unknown> {
  return yield step;
}
