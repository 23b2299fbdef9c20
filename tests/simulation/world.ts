import { type ClaimOptions, Engine, type EngineNotice } from "../../src/engine/durable/mod.ts";
import type { Store } from "../../src/store/mod.ts";
import { Database } from "./database.ts";
import { Dice } from "./dice.ts";
import { Machine } from "./machine.ts";
import { isExcused, judgeBegin } from "./overlap.ts";
import { drawPlan, FAIR, OUT, type Plan, TIMING } from "./plan.ts";
import { type Process, Processes } from "./processes.ts";
import type { Call } from "./rules.ts";
import { SimWorker } from "./sim_worker.ts";
import { linkStore, Outage, type Weather } from "./store_link.ts";
import { SwarmFence } from "./swarm_fence.ts";
import { Timeline } from "./timeline.ts";
import type { Variant } from "./variants.ts";

/** How a world is made. */
export interface WorldOptions {
  /** What decides everything. */
  readonly seed: number;
  /** A folder of its own. */
  readonly folder: string;
  /** What is broken in its store. */
  readonly variant: Variant | null;
  /** Told every line of what happens; nothing by default. */
  readonly onLine: ((line: string) => void) | null;
}

/** How often a worker wants one run and no other. */
const WANTED = 0.1;

/** What befalls a world while somebody does something. */
export interface Fate {
  /** An attempt has begun. */
  begun(process: Process): void;
  /**
   * A call has set out.
   *
   * @param liking how much trouble likes it, from 0 to 1.
   * @returns how much longer it takes, in milliseconds.
   */
  strike(machine: Machine, liking: number): number;
}

/** Several engines on one database, on a virtual clock, with whatever befalls them. */
export class World implements AsyncDisposable {
  /** Chance. */
  readonly dice: Dice;
  /** Time. */
  readonly timeline: Timeline;
  /** How it is. */
  readonly plan: Plan;
  /** STOP and EPOCH. */
  readonly fence: SwarmFence = new SwarmFence();
  /** The database's clock. */
  readonly storeClock: Machine;
  /** What attempts do. */
  readonly processes: Processes;
  /** Every worker that ever was. */
  readonly workers = new Map<string, SimWorker>();
  /** When the database's clock was last set on, on the timeline. */
  storeClockSetOnAt: number = -Infinity;
  /** What befalls it. */
  fate: Fate = { begun: () => {}, strike: () => 0 };
  readonly #options: WorldOptions;
  #database: Database | null = null;
  #breach: string | null = null;
  #isOut = false;
  #isFair = false;

  private constructor(options: WorldOptions) {
    this.#options = options;
    this.dice = new Dice(options.seed);
    this.plan = drawPlan(this.dice);
    this.timeline = new Timeline(this.dice.fork());
    this.storeClock = new Machine("database", "", this.timeline, 0);
    this.processes = new Processes(this.timeline, this.dice.fork(), (process, live) => {
      const { runId, token, machine, taskId, pass, attempt } = process;
      this.say(`${machine.name} begins ${runId}/${taskId}.${pass}.${attempt}#${token}`);
      const holds = this.database.audit.holds({ runId, owner: machine.name, token });
      const breach = judgeBegin(this, process, live, holds);
      if (breach !== null) this.breach(breach);
      this.fate.begun(process);
    });
  }

  /** Makes the world of a seed. Nothing has happened in it. */
  static async make(options: WorldOptions): Promise<World> {
    const world = new World(options);
    Deno.mkdirSync(`${options.folder}/holders`);
    const { fence, storeClock, processes } = world;
    world.#database = await Database.make({
      folder: options.folder,
      options: { clock: storeClock, rng: world.dice.fork(), latch: fence },
      variant: options.variant,
      now: () => storeClock.wall(),
      lets: (epoch) => fence.lets(epoch),
      isDead: (owner) => world.workers.get(owner)?.isHolding === false,
      hasStrays: (runId) =>
        processes.live.some((one) => one.runId === runId && !isExcused(world, one, null)),
      process: ({ runId, taskId, pass, attempt }) =>
        processes.of(runId, taskId ?? "", pass, attempt),
      onBreach: (promise) => world.breach(promise),
      onCall: (machine, call, answer) => world.#sayCall(machine, call, answer),
    });
    return world;
  }

  /** The database. */
  get database(): Database {
    if (this.#database === null) throw new Error("The world is not made");
    return this.#database;
  }

  /** The first promise that was broken, `null` while none was. */
  get broken(): string | null {
    return this.#breach;
  }

  /** Workers that have not ended. */
  get crew(): SimWorker[] {
    return [...this.workers.values()].filter(({ machine }) => !machine.isGone);
  }

  /** A promise is broken: the first one counts. */
  breach(promise: string): void {
    this.say(`BROKEN ${promise}`);
    this.#breach ??= promise;
  }

  /** Tells what happens. */
  say(line: string): void {
    this.#options.onLine?.(`${(this.timeline.now / 1_000).toFixed(3).padStart(8)} ${line}`);
  }

  /** Nobody can use the store. */
  cutOff(): void {
    this.#isOut = true;
  }

  /** The store can be used again. */
  reconnect(): void {
    this.#isOut = false;
  }

  /** Nothing goes wrong any more on the way to the store. */
  setFair(): void {
    this.#isFair = true;
    this.reconnect();
  }

  /** A process of an operator, with its own way to the store. */
  operator(name: string): { readonly machine: Machine; readonly store: Store } {
    const machine = new Machine(name, "host-0", this.timeline, 0);
    return { machine, store: this.#link(machine) };
  }

  /** What executes runs, or recovers them, in a process. */
  engineOf(machine: Machine, store: Store): Engine {
    return new Engine({
      ...TIMING,
      store,
      fence: this.fence.enter(this.#options.folder),
      logRoot: null,
      owner: machine.name,
      clock: machine,
      rng: this.dice.fork(),
      executor: this.processes.executorOf(machine),
      processes: this.processes.olderOf(machine),
      maxCrashCount: this.plan.maxCrashCount,
      onNotice: (notice) => this.#hear(machine, notice),
    });
  }

  /** Starts a worker, unless the swarm is stopped. */
  hire(): void {
    if (!this.fence.isClear()) return;
    const { dice, timeline, fence, plan } = this;
    const name = `w${this.workers.size + 1}`;
    const machine = new Machine(name, `host-${dice.below(plan.hosts)}`, timeline, dice.below(1e6));
    const worker = new SimWorker({
      machine,
      engine: this.engineOf(machine, this.#link(machine)),
      fence,
      timeline,
      concurrency: plan.concurrency,
      wanted: () => this.#wanted(),
      keepRuns: plan.keepRuns,
      noticesAfterMs: dice.below(dice.chance(0.5) ? 100 : 3_000),
      hasProcesses: () => this.processes.live.some((one) => one.machine === machine),
      onEnd: () => this.say(`${name} has ended`),
      onBreach: (promise) => this.breach(promise),
    });
    this.workers.set(name, worker);
    this.say(`${name} starts on ${machine.host}`);
  }

  /** Looks for attempts that go on although their engine had the time to notice that it has lost its claim. */
  patrol(): void {
    for (const process of this.processes.live) {
      const { runId, token, machine, taskId } = process;
      const isStopped = !this.fence.lets(this.workers.get(machine.name)?.epoch ?? 0);
      const holds = this.database.audit.holds({ runId, owner: machine.name, token });
      if (isStopped || holds || isExcused(this, process, null)) continue;
      this.breach(
        `Who has lost a claim notices before its ttl is over (G7): ${runId}/${taskId}#${token}`,
      );
    }
  }

  /** Ends every worker, and closes the database. */
  async [Symbol.asyncDispose](): Promise<void> {
    for (const worker of this.workers.values()) worker.bury();
    await this.#database?.[Symbol.asyncDispose]();
  }

  #wanted(): ClaimOptions {
    const runId = this.dice.chance(WANTED)
      ? this.dice.pick([...this.database.audit.books.keys()])
      : undefined;
    return runId === undefined ? {} : { runId };
  }

  #link(machine: Machine): Store {
    return linkStore(machine, {
      timeline: this.timeline,
      dice: this.dice.fork(),
      weather: () => this.#weather(),
      strike: (by, liking) => this.fate.strike(by, liking),
      perform: (by, call) => this.database.perform(by, call),
    });
  }

  #weather(): Weather {
    if (this.#isOut) return OUT;
    return this.#isFair ? FAIR : this.plan.weather;
  }

  /** An engine may be in trouble because of an outage, and because of nothing else. */
  #hear({ name }: Machine, notice: EngineNotice): void {
    if (notice.kind === "ended") {
      const { executed } = notice;
      this.say(`${name} ended ${JSON.stringify(executed)}`);
      const error = executed.kind === "handed-back" ? executed.error : null;
      if (error !== null) this.breach(`${name} hands a run back: ${error}`);
    }
    if (notice.kind !== "trouble" || notice.error instanceof Outage) return;
    this.breach(`${name} cannot ${notice.action}: ${notice.error}`);
  }

  #sayCall({ name }: Machine, call: Call, answer: unknown): void {
    if (this.#options.onLine === null) return;
    const short = (value: unknown) =>
      JSON.stringify(value, (key, inner) => key === "manifest" ? undefined : inner)?.slice(0, 300);
    this.say(`${name} ${call.name} ${short(call.args)} → ${short(answer)}`);
  }
}
