import type { Clock, Rng } from "../../clock/mod.ts";
import { Fence, readFence, readHolders } from "../../fence/mod.ts";
import { type ProcessIdentity, SkeinError } from "../../model/mod.ts";
import { platform } from "../../proc/mod.ts";
import type { Store } from "../../store/mod.ts";
import { processExecutor } from "../process_executor.ts";
import { refuseWithoutTools } from "../tools.ts";
import { Engine } from "./engine.ts";
import { hostName } from "./gone_executors.ts";
import { latchOfFence, openQueue } from "./site.ts";
import type { WorkerNotice, WorkerOptions } from "./worker_options.ts";

/** How long a worker that was stopped tries to say so in the store. */
const LAST_WORDS_MS = 2_000;

/** How a worker enters. */
export interface Entry extends WorkerOptions {
  /** Time. */
  readonly clock: Clock;
  /** Chance. */
  readonly rng: Rng;
  /** Runs at the same time. */
  readonly concurrency: number;
  /** Told what happens. */
  readonly onNotice: (notice: WorkerNotice) => void;
}

/** What a worker stands on: it has entered the fence and is registered in the queue. */
export class WorkerSite {
  /** LOCK is held through it. */
  readonly fence: Fence;
  /** The queue. */
  readonly store: Store;
  /** What executes. */
  readonly engine: Engine;
  readonly #entry: Entry;

  private constructor(fence: Fence, store: Store, engine: Engine, entry: Entry) {
    this.fence = fence;
    this.store = store;
    this.engine = engine;
    this.#entry = entry;
  }

  /**
   * Enters the fence, opens the queue, registers, and closes what a stop has invalidated.
   *
   * @throws {StoppedError} when the swarm is stopped.
   * @throws {SkeinError} when the state directory or the queue cannot be used, or the queue has seen a higher epoch.
   */
  static async enter(entry: Entry): Promise<WorkerSite> {
    const { stateDir, clock, rng, executor = processExecutor } = entry;
    if (executor === processExecutor) refuseWithoutTools();
    const process = platform.self();
    const fence = await Fence.enter(stateDir, { process, runId: "", clock, rng });
    let store: Store | null = null;
    try {
      store = await openStoreOf(fence, entry);
      await checkEpoch(fence, store);
      const engine = engineOf(fence, store, entry);
      await register(engine, process, entry);
      for (const run of await store.closeStopped(fence.epoch)) {
        entry.onNotice({ kind: "closed", run });
      }
      return new WorkerSite(fence, store, engine, entry);
    } catch (error) {
      await store?.close();
      fence.close();
      throw error;
    }
  }

  /** Leaves: nothing of it is alive any more, and nothing more is done. */
  async leave(): Promise<void> {
    try {
      await this.#handBackRest();
      await this.store.endExecutor(this.engine.owner);
    } catch (error) {
      this.#trouble("say that this worker has ended", error);
    } finally {
      await this.store.close();
      this.fence.close();
    }
  }

  /** Leaves because of a stop: whoever stops waits for LOCK, and not for the store. */
  async leaveStopped(): Promise<void> {
    this.fence.close();
    await Promise.race([this.#sayStopped(), this.#entry.clock.sleep(LAST_WORDS_MS)]);
    await this.store.close();
  }

  async #sayStopped(): Promise<void> {
    const { epoch } = readFence(this.fence.stateDir);
    try {
      for (const run of await this.store.closeStopped(epoch)) {
        this.#entry.onNotice({ kind: "closed", run });
      }
      await this.store.endExecutor(this.engine.owner);
    } catch (error) {
      this.#trouble("close what was stopped", error);
    }
  }

  /** What the store still takes for this worker's was lost with an answer: nothing of it is alive. */
  async #handBackRest(): Promise<void> {
    const { owner } = this.engine;
    const running = await this.store.runs({
      states: ["running"],
      limit: Number.MAX_SAFE_INTEGER,
    });
    for (const { id: runId, token } of running.filter((run) => run.owner === owner)) {
      await this.store.handBack({ runId, owner, token }, "RUN_HANDED_BACK_DRAIN");
    }
  }

  #trouble(action: string, error: unknown): void {
    this.#entry.onNotice({ kind: "trouble", action, error });
  }
}

function openStoreOf(fence: Fence, { openStore, stateDir, clock, rng }: Entry): Promise<Store> {
  const latch = latchOfFence(fence);
  return openStore === undefined ? openQueue(stateDir, { latch, clock, rng }) : openStore(latch);
}

/** A queue that has seen a higher epoch belongs to a state directory that was not restored to an old copy. */
async function checkEpoch({ stateDir, epoch }: Fence, store: Store): Promise<void> {
  const highest = await store.highestEpoch();
  if (highest <= epoch) return await store.raiseEpoch(epoch);
  throw new SkeinError(
    "state-corrupt",
    `Cannot use the queue of "${stateDir}": EPOCH is ${epoch}, but the queue has seen ${highest}`,
    {
      where: `${stateDir}/EPOCH`,
      next: `Inspect the folder, then name an epoch above it: \`skein reset --epoch ${
        highest + 1
      }\``,
    },
  );
}

function engineOf(fence: Fence, store: Store, entry: Entry): Engine {
  const { ownsProcess = false, concurrency } = entry;
  // With several runs at once an orphan cannot be told whose it is.
  return new Engine({ ...entry, store, fence, ownsProcess: ownsProcess && concurrency === 1 });
}

async function register(
  { owner, settings: { store, fence } }: Engine,
  process: ProcessIdentity,
  { concurrency }: Entry,
): Promise<void> {
  const holderId = holderIdOf(fence.stateDir, process);
  const { epoch } = fence;
  const host = hostName();
  await store.registerExecutor({ owner, host, holderId, process, epoch, concurrency });
}

/** The entry that was made when the fence was entered: the newest of this process that names no run. */
function holderIdOf(stateDir: string, { pid, startTime }: ProcessIdentity): string {
  const own = readHolders(stateDir).live.filter(({ record }) =>
    record?.runId === "" && record.process.pid === pid && record.process.startTime === startTime
  );
  const newest = own.map(({ id }) => id).sort().at(-1);
  if (newest !== undefined) return newest;
  // Without it the others would call this worker dead.
  throw new SkeinError("state-unusable", `Cannot find this process in "${stateDir}/holders"`, {
    where: `${stateDir}/holders`,
    next: "Leave the folder alone while workers run",
  });
}
