import { type Clock, mintRunId, type Rng, systemClock, systemRng } from "../clock/mod.ts";
import { point } from "../faults/mod.ts";
import {
  type Lease,
  leaseValid,
  type ProcessIdentity,
  SkeinError,
  StoppedError,
} from "../model/mod.ts";
import { BellListener } from "./bell.ts";
import { FenceDisk } from "./disk.ts";
import { EpochReader } from "./epoch_reader.ts";
import { Holder } from "./holders.ts";
import { check, enter, publish, type Steps } from "./protocol.ts";
import type { EpochSeen, Look } from "./record.ts";
import { prepareStateDir } from "./prepare.ts";
import { isClear, isLatched, lookAtStop, unusable } from "./state.ts";

/** For how long a quiet bell is trusted before STOP itself is looked at again, in milliseconds. */
const TRUST_MS = 5;
/** How long a start waits while a reset holds LOCK. */
const ENTER_MS = 10_000;

/** Who enters. */
export interface Entrant {
  /** The process. */
  readonly process: ProcessIdentity;
  /** The run, empty for a worker. */
  readonly runId: string;
  /** Time; the machine's by default. */
  readonly clock?: Clock;
  /** Chance; the machine's by default. */
  readonly rng?: Rng;
}

/** A run's membership in the swarm: LOCK shared, one epoch, and the check. */
export class Fence {
  /** The state directory. */
  readonly stateDir: string;
  /** The swarm's id. */
  readonly swarm: string;
  /** The epoch of every lease that is issued behind this fence. */
  readonly epoch: number;
  readonly #disk: FenceDisk;
  readonly #holder: Holder;
  readonly #bell: BellListener;
  readonly #clock: Clock;
  readonly #epochs: EpochReader;
  readonly #files: World = {
    look: () => lookAtStop(this.stateDir),
    readEpoch: () => this.#epochs.read(),
  };
  readonly #remembered: World = {
    look: () => ({ at: "nothing" }),
    readEpoch: () => ({ ok: true, epoch: this.epoch }),
  };
  #trustedUntil = -Infinity;

  private constructor(
    stateDir: string,
    swarm: string,
    epoch: number,
    held: { readonly disk: FenceDisk; readonly holder: Holder; readonly bell: BellListener },
    clock: Clock,
  ) {
    this.stateDir = stateDir;
    this.swarm = swarm;
    this.epoch = epoch;
    this.#disk = held.disk;
    this.#holder = held.holder;
    this.#bell = held.bell;
    this.#clock = clock;
    this.#epochs = new EpochReader(stateDir, clock);
  }

  /**
   * Enters: makes the state directory where there is none, takes LOCK, and reads the epoch between two looks at STOP.
   *
   * @throws {StoppedError} when the swarm is stopped.
   * @throws {SkeinError} `state-corrupt` or `state-unusable`.
   */
  static async enter(stateDir: string, entrant: Entrant): Promise<Fence> {
    const { process, runId, clock = systemClock, rng = systemRng } = entrant;
    if (!isClear(stateDir)) throw stoppedError(stateDir);
    const swarm = prepareStateDir(stateDir, rng);
    const holder = createHolder(stateDir, mintRunId(clock, rng), { process, runId, epoch: 0 });
    const disk = new FenceDisk(stateDir, { waitMs: ENTER_MS, actor: "run" });
    // Before the looks at STOP: what rings after them is heard.
    const bell = new BellListener(`${stateDir}/STOP.lock`);
    try {
      const entered = await disk.drive(enter());
      if (entered.kind === "stopped") throw stoppedError(stateDir);
      if (entered.kind === "corrupt") throw corruptError(stateDir, entered.problem);
      holder.entered(entered.epoch);
      return new Fence(stateDir, swarm, entered.epoch, { disk, holder, bell }, clock);
    } catch (error) {
      bell.close();
      disk.close();
      holder.close();
      throw error;
    }
  }

  /**
   * The check: nothing is at STOP, EPOCH is the lease's, and the lease is whole. While the bell is quiet, what the
   * files said holds for some milliseconds.
   */
  check(lease: Lease): boolean {
    return this.#isTrusted() ? leaseValid(lease, this.epoch) : this.recheck(lease);
  }

  /** The check at the files themselves, whatever they said a moment ago. */
  recheck(lease: Lease): boolean {
    const valid = driveNow(check(lease), this.#files);
    if (valid) this.#trustedUntil = this.#clock.mono() + TRUST_MS;
    return valid;
  }

  /** Whether the latch is still open, as the files themselves say. */
  isClear(): boolean {
    return isClear(this.stateDir);
  }

  /**
   * Publishes an output: the check, the rename, the check again; what lost the race is withdrawn. The second check
   * always looks at the files themselves.
   *
   * @throws {SkeinError} `state-unusable` where the file system refuses the rename.
   */
  publish(lease: Lease, from: string, to: string): "published" | "refused" | "withdrawn" {
    let seen = this.#isTrusted() ? this.#remembered : this.#files;
    const result = driveNow(publish(lease), {
      look: () => seen.look(),
      readEpoch: () => seen.readEpoch(),
      rename: () => {
        move(from, to);
        seen = this.#files;
        point("run.renamed");
      },
      withdraw: () => move(to, from),
    });
    point("run.rechecked");
    return result;
  }

  /** Leaves: nothing of this run is alive any more. */
  close(): void {
    this.#bell.close();
    this.#holder.close();
    this.#disk.close();
  }

  #isTrusted(): boolean {
    return this.#bell.isQuiet() && this.#clock.mono() < this.#trustedUntil;
  }
}

/** What a running run can do to the world. */
interface World {
  look(): Look;
  readEpoch(): EpochSeen;
  rename?(): void;
  withdraw?(): void;
}

function move(from: string, to: string): void {
  try {
    Deno.renameSync(from, to);
  } catch (error) {
    throw unusable(to, error);
  }
}

/** Drives the protocols of a running run, which need no lock: every step is answered at once. */
function driveNow<T>(steps: Steps<T>, world: World): T {
  let next = steps.next();
  while (!next.done) {
    switch (next.value.op) {
      case "look":
        next = steps.next(world.look());
        break;
      case "read-epoch":
        next = steps.next(world.readEpoch());
        break;
      case "rename":
        next = steps.next(world.rename?.());
        break;
      case "withdraw":
        next = steps.next(world.withdraw?.());
        break;
      default:
        throw new SkeinError("internal", `Cannot perform "${next.value.op}" in a run`);
    }
  }
  return next.value;
}

function createHolder(...args: Parameters<typeof Holder.create>): Holder {
  try {
    return Holder.create(...args);
  } catch (error) {
    throw unusable(`${args[0]}/holders`, error);
  }
}

function stoppedError(stateDir: string): StoppedError {
  const look = lookAtStop(stateDir);
  const { record = null, problem = null } = look.at === "something" ? look : {};
  if (problem === null || isLatched(stateDir)) {
    return new StoppedError(stateDir, { cause: record?.reason ?? problem ?? "" });
  }
  // A stop it is all the same, but no reset ends it.
  const next = "Check the path and the folder's permissions";
  const why = `whether the swarm is stopped cannot be told: ${problem}`;
  return new StoppedError(stateDir, { cause: problem, next }, why);
}

function corruptError(stateDir: string, problem: string): SkeinError {
  return new SkeinError("state-corrupt", `Cannot start in "${stateDir}": ${problem}`, {
    where: `${stateDir}/EPOCH`,
    next:
      "Inspect the folder, then name an epoch above every one that was used: `skein reset --epoch N`",
  });
}
