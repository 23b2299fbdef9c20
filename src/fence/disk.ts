import { createOnce, FileLock, hasCode, replaceFile, syncFolder } from "../disk/mod.ts";
import { point } from "../faults/mod.ts";
import { messageOf, SkeinError } from "../model/mod.ts";
import { ringBell } from "./bell.ts";
import { highestEpoch } from "./highest.ts";
import type { Answers, Step, Steps } from "./protocol.ts";
import { formatEpoch, formatStop, type StopRecord } from "./record.ts";
import { lookAt, lookAtStop, readEpoch, readHighWater, STOP_ASIDE, unusable } from "./state.ts";

/** How long a stop or a reset waits for the other's short mutex. */
const STOP_LOCK_MS = 1000;

const SPACE = 0x20;
/** Where the high-water copy is corrupt, no epoch is high enough. */
const UNKNOWN = Number.MAX_SAFE_INTEGER;

/** How long runs have before a stop begins to kill what they have started. */
const HEAD_START_MS = 100;
/** How long LOCK is waited for once its holders were killed. */
const AFTER_KILL_MS = 1500;
const KILL = true;

/** What a stop does to processes; the platform's part is somebody else's. */
export interface ProcessControl {
  /** Kills whoever of an epoch below still holds LOCK, with everything that descends from it. */
  killHolders(below: number): Promise<void>;
  /**
   * Looks for processes of every epoch below, kills them if asked, and answers whether none is left.
   *
   * @param patienceMs when to give up; the platform's own patience by default.
   */
  sweep(below: number, kill: boolean, patienceMs?: number): Promise<boolean>;
}

/** What keeps the epoch beside EPOCH: the queue. */
export interface EpochKeeper {
  /** The highest epoch that it has seen. */
  highest(): Promise<number>;
  /** Raises it, durably, and closes what an older epoch has left in it. */
  raise(epoch: number): Promise<void>;
}

/** How a protocol meets a real state directory. */
export interface FenceDiskOptions {
  /** How long to wait for LOCK. */
  readonly waitMs: number;
  /** What it may do to processes. */
  readonly processes?: ProcessControl;
  /** What keeps the epoch beside EPOCH. */
  readonly keeper?: EpochKeeper;
  /** The name of whoever drives it, for the fault points. */
  readonly actor: "stop" | "reset" | "run";
}

/** Performs the fence's steps on a real state directory, and holds the locks they take. */
export class FenceDisk {
  readonly #dir: string;
  readonly #options: FenceDiskOptions;
  #stopLock: FileLock | null = null;
  #runLock: FileLock | null = null;
  #waited = false;

  /** Binds the steps to a folder. */
  constructor(stateDir: string, options: FenceDiskOptions) {
    this.#dir = stateDir;
    this.#options = options;
  }

  /** Drives a protocol to its end. */
  async drive<T>(steps: Steps<T>): Promise<T> {
    let next = steps.next();
    while (!next.done) next = steps.next(await this.#perform(next.value));
    return next.value;
  }

  /** Lets go of every lock that is still held. */
  close(): void {
    this.#stopLock?.close();
    this.#runLock?.close();
    this.#stopLock = null;
    this.#runLock = null;
  }

  async #perform(step: Step): Promise<Answers[Step["op"]]> {
    switch (step.op) {
      case "lock-stop":
        return await this.#lockStop();
      case "unlock-stop":
        this.#stopLock?.close();
        this.#stopLock = null;
        return;
      case "look":
        return lookAtStop(this.#dir);
      case "read-epoch":
        return this.#readEpoch();
      case "create-stop":
        return this.#createStop(step.record, step.alone);
      case "replace-stop":
        return replaceStop(this.#dir, formatStop(step.record));
      case "remove-stop":
        return this.#removeStop(step.identity);
      case "write-epoch":
        if (!this.#writeEpoch(step.epoch)) return false;
        // What it cannot keep ends a reset with the latch set.
        await this.#options.keeper?.raise(step.epoch);
        return true;
      case "highest-epoch":
        return Math.max(
          step.deep ? highestEpoch(this.#dir) : readHighWater(this.#dir) ?? UNKNOWN,
          await this.#options.keeper?.highest() ?? 0,
        );
      case "lock-alone":
        return await this.#lockAlone(step.killBelow);
      case "unlock-alone":
        this.#runLock?.close();
        this.#runLock = null;
        return;
      case "lock-shared":
        return await this.#lockShared();
      case "kill-holders":
        return await this.#options.processes?.killHolders(step.below);
      case "sweep":
        return await this.#options.processes?.sweep(step.below, step.kill) ?? false;
      case "rename":
      case "withdraw":
        throw new SkeinError("internal", `Cannot perform "${step.op}" here: it belongs to a run`);
    }
  }

  async #lockStop(): Promise<boolean> {
    const path = this.#path("STOP.lock");
    try {
      this.#stopLock = await FileLock.acquire(path, "exclusive", STOP_LOCK_MS);
    } catch (error) {
      // A disk that refuses the mutex does not keep a stop from latching.
      if (this.#options.actor !== "stop") throw unusable(path, error);
    }
    this.#pointOfStop("stop.locked");
    return this.#stopLock !== null;
  }

  #readEpoch(): Answers["read-epoch"] {
    const epoch = readEpoch(this.#dir);
    this.#pointOfStop("stop.read");
    if (this.#options.actor === "run") point("run.epoch-read");
    return epoch;
  }

  #createStop(record: StopRecord, alone: boolean): boolean {
    // Before, so that nobody trusts an older look once it is set; after, for those that have come meanwhile.
    ringBell(this.#path("STOP.lock"));
    const created = makeStop(this.#dir, formatStop(record), alone);
    ringBell(this.#path("STOP.lock"));
    this.#pointOfStop("stop.linked");
    return created;
  }

  /** A stop that could not wait for the mutex may have replaced what was read: what was moved is looked at again. */
  #removeStop(identity: string): boolean {
    const aside = this.#path(STOP_ASIDE);
    if (lookAt(this.#path("STOP")).at !== "nothing") {
      discard(this.#dir, aside);
      Deno.renameSync(this.#path("STOP"), aside);
      syncFolder(this.#dir);
    }
    point("reset.stop-aside");
    const found = lookAt(aside);
    const removed = found.at === "nothing" || found.identity === identity;
    if (removed) discard(this.#dir, aside);
    else Deno.renameSync(aside, this.#path("STOP"));
    syncFolder(this.#dir);
    if (removed) point("reset.stop-removed");
    return removed;
  }

  #writeEpoch(epoch: number): boolean {
    try {
      replaceFile(this.#dir, "EPOCH", formatEpoch(epoch));
      if (this.#options.actor === "reset") point("reset.epoch-written");
      this.#pointOfStop("stop.epoch-written");
      const highest = Math.max(epoch, readHighWater(this.#dir) ?? 0);
      replaceFile(this.#dir, "EPOCH.high", formatEpoch(highest));
      return true;
    } catch {
      // The record at STOP carries the epoch too, and a reset that cannot write it keeps the latch.
      return false;
    }
  }

  /** Runs that are well let go by themselves in a moment; what belongs to one that is not is not spared its wait. */
  async #lockAlone(killBelow: number | null): Promise<boolean> {
    const { processes } = this.#options;
    const path = this.#path("LOCK");
    const waitMs = this.#waited
      ? Math.min(this.#options.waitMs, AFTER_KILL_MS)
      : this.#options.waitMs;
    this.#waited = true;
    const headStart = killBelow === null ? waitMs : Math.min(waitMs, HEAD_START_MS);
    this.#runLock = await FileLock.acquire(path, "exclusive", headStart);
    if (this.#runLock === null && killBelow !== null && waitMs > headStart) {
      await processes?.sweep(killBelow, KILL, waitMs - headStart);
      this.#runLock = await FileLock.acquire(path, "exclusive", waitMs - headStart);
    }
    this.#pointOfStop("stop.lock-held");
    return this.#runLock !== null;
  }

  async #lockShared(): Promise<boolean> {
    const stopped = () => lookAtStop(this.#dir).at !== "nothing";
    const { waitMs } = this.#options;
    this.#runLock = await FileLock.acquire(this.#path("LOCK"), "shared", waitMs, stopped);
    if (this.#runLock !== null) {
      point("run.lock-held");
      return true;
    }
    if (stopped()) return false;
    throw new SkeinError(
      "state-unusable",
      `Cannot lock "${this.#path("LOCK")}": a reset holds it`,
      {
        where: this.#path("LOCK"),
        next: "Wait for the reset to end, or end it, then try again",
      },
    );
  }

  #pointOfStop(name: Parameters<typeof point>[0]): void {
    if (this.#options.actor === "stop") point(name);
  }

  #path(name: string): string {
    return `${this.#dir}/${name}`;
  }
}

/** Makes STOP where nothing is: complete if the disk lets it, else from the spare, else empty. */
function makeStop(stateDir: string, text: string, alone: boolean): boolean {
  try {
    return createOnce(stateDir, "STOP", text);
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return false;
    return (alone ? makeFromSpare(stateDir, text) : null) ?? makeEmpty(stateDir, error);
  }
}

function makeFromSpare(stateDir: string, text: string): boolean | null {
  const spare = `${stateDir}/STOP.spare`;
  try {
    const { nlink, size } = Deno.lstatSync(spare);
    const bytes = new TextEncoder().encode(text);
    if (nlink !== 1 || bytes.length > size) return null;
    const room = new Uint8Array(size).fill(SPACE);
    room.set(bytes);
    using file = Deno.openSync(spare, { write: true });
    file.writeSync(room);
    file.syncSync();
    Deno.linkSync(spare, `${stateDir}/STOP`);
    return true;
  } catch (error) {
    return error instanceof Deno.errors.AlreadyExists ? false : null;
  }
}

function makeEmpty(stateDir: string, cause: unknown): boolean {
  try {
    Deno.openSync(`${stateDir}/STOP`, { write: true, createNew: true, mode: 0o600 }).close();
    return true;
  } catch (error) {
    if (error instanceof Deno.errors.AlreadyExists) return false;
    throw new SkeinError("state-unusable", `Cannot make "${stateDir}/STOP": ${messageOf(error)}`, {
      where: `${stateDir}/STOP`,
      next: "Make the file by hand: whatever is at STOP stops the swarm",
      cause,
    });
  }
}

/** Replaces STOP; on a full disk by an empty file, since existence latches. What cannot be replaced still is a stop. */
function replaceStop(stateDir: string, text: string): void {
  for (const content of [text, ""]) {
    try {
      return replaceFile(stateDir, "STOP", content);
    } catch {
      // The look that follows says whether anything is at STOP.
    }
  }
}

/** Removes what a reset may remove; a folder with content is not ours and is kept under another name. */
function discard(stateDir: string, path: string): void {
  try {
    Deno.removeSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return;
    if (!hasCode(error, "ENOTEMPTY")) throw error;
    Deno.renameSync(path, `${stateDir}/STOP.kept-${Deno.lstatSync(path).ino}`);
  }
}
