import { hasCode } from "../disk/file.ts";
import { FileLock } from "../disk/lock.ts";
import { messageOf } from "../model/error.ts";
import { isPositiveInteger } from "../model/lease.ts";
import type { ProcessIdentity } from "../model/process.ts";

/** A process that takes part: a run or a worker, from before its first check to after its last process is gone. */
export interface HolderRecord {
  /** The process. */
  readonly process: ProcessIdentity;
  /** The run, empty for a worker. */
  readonly runId: string;
  /** The epoch that it entered at, 0 until it has. */
  readonly epoch: number;
}

/** A holder that lives, with the record it left, `null` where that cannot be read. */
export interface LiveHolder {
  /** The name of its file. */
  readonly id: string;
  /** Who it is. */
  readonly record: HolderRecord | null;
}

/** What a look at the holders found. */
export interface HoldersSeen {
  /** Those whose file is locked. */
  readonly live: readonly LiveHolder[];
  /** The files of those that ended without taking their entry away: they may have left processes behind. */
  readonly dead: readonly string[];
  /** What could not be looked at. */
  readonly problems: readonly string[];
}

/** This process's own entry in `holders/`, locked as long as the process lives. */
export class Holder {
  readonly #path: string;
  readonly #lock: FileLock;
  #record: HolderRecord;

  private constructor(path: string, lock: FileLock, record: HolderRecord) {
    this.#path = path;
    this.#lock = lock;
    this.#record = record;
  }

  /** Makes the entry: it appears complete and locked. */
  static create(stateDir: string, id: string, record: HolderRecord): Holder {
    const path = `${stateDir}/holders/${id}`;
    const hidden = `${stateDir}/holders/.${id}`;
    const lock = FileLock.tryAcquire(hidden, "exclusive");
    if (lock === null) throw new Error(`"${hidden}" is locked by somebody else`);
    const holder = new Holder(path, lock, record);
    try {
      holder.#write();
      Deno.renameSync(hidden, path);
      return holder;
    } catch (error) {
      lock.close();
      Deno.removeSync(hidden);
      throw error;
    }
  }

  /** Says which epoch it entered at. */
  entered(epoch: number): void {
    this.#record = { ...this.#record, epoch };
    this.#write();
  }

  /** Takes the entry away and lets go. */
  close(): void {
    try {
      Deno.removeSync(this.#path);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw error;
    } finally {
      this.#lock.close();
    }
  }

  #write(): void {
    const bytes = new TextEncoder().encode(`${JSON.stringify(this.#record)}\n`);
    this.#lock.file.seekSync(0, Deno.SeekMode.Start);
    this.#lock.file.writeSync(bytes);
    this.#lock.file.truncateSync(bytes.length);
  }
}

/** Who lives, and who has died. */
export function readHolders(stateDir: string): HoldersSeen {
  const live: LiveHolder[] = [];
  const dead: string[] = [];
  const problems: string[] = [];
  for (const id of namesIn(`${stateDir}/holders`, problems)) {
    const path = `${stateDir}/holders/${id}`;
    try {
      const file = Deno.openSync(path, { read: true, write: true });
      using lock = FileLock.tryOn(file, "exclusive");
      if (lock === null) live.push({ id, record: parseHolder(Deno.readTextFileSync(path)) });
      else dead.push(id);
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) problems.push(`${path}: ${messageOf(error)}`);
    }
  }
  return { live, dead, problems };
}

/** Takes away the entries of the dead, once nothing that they have left behind is alive. */
export function buryHolders(stateDir: string, dead: readonly string[]): void {
  for (const id of dead) {
    try {
      Deno.removeSync(`${stateDir}/holders/${id}`);
    } catch (error) {
      // A full or read-only disk keeps the entry: unlocked, it is nobody's.
      const kept = error instanceof Deno.errors.NotFound || hasCode(error, "ENOSPC") ||
        hasCode(error, "EROFS");
      if (!kept) throw error;
    }
  }
}

function namesIn(folder: string, problems: string[]): string[] {
  try {
    return Array.from(Deno.readDirSync(folder), (entry) => entry.name)
      .filter((name) => !name.startsWith("."));
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) problems.push(`${folder}: ${messageOf(error)}`);
    return [];
  }
}

function parseHolder(text: string): HolderRecord | null {
  try {
    const value = JSON.parse(text) as HolderRecord;
    const { process, runId, epoch } = value;
    const whole = typeof runId === "string" && (epoch === 0 || isPositiveInteger(epoch)) &&
      isPositiveInteger(process.pid) && typeof process.startTime === "string" &&
      typeof process.bootId === "string" && typeof process.pidNamespace === "string";
    return whole ? value : null;
  } catch {
    return null;
  }
}
