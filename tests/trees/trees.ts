/**
 * Trees of every kind that tries to get away, as tasks of one manifest, and the ledgers that they sign.
 *
 * @module
 */
import { assert, assertEquals } from "@std/assert";
import { fromFileUrl } from "@std/path";
import { eventually } from "../support/cli.ts";
import { isAlive, readLedger, type Signed } from "../support/processes.ts";
import { exists, type Running, type Swarm, type TaskDraft } from "../support/swarm.ts";

/** Where the scripts are. */
export const SCRIPTS: string = fromFileUrl(new URL("scripts", import.meta.url));

/** How a tree tries to get away. */
export interface Kind {
  /** Its script. */
  readonly script: string;
  /** Processes that sign until it is complete; more may follow where it goes on. */
  readonly signs: number;
  /** Those of them that live on when their leader ends, `null` where it goes on. */
  readonly leaves: number | null;
}

/** Every kind, by what its children do. */
export const KINDS = {
  "setsid": { script: "setsid", signs: 3, leaves: 2 },
  "double fork": { script: "double_fork", signs: 5, leaves: 2 },
  "env -i setsid": { script: "bare", signs: 2, leaves: 1 },
  "env -i setsid, double fork": { script: "bare_orphan", signs: 3, leaves: 1 },
  "ignore TERM": { script: "deaf", signs: 3, leaves: 2 },
  "fork every 2 ms": { script: "forker", signs: 12, leaves: null },
  "move on every few ms": { script: "hopper", signs: 8, leaves: null },
  "env -i, move on every few ms": { script: "bare_hopper", signs: 8, leaves: null },
  "50 grandchildren in sessions": { script: "brood", signs: 52, leaves: 51 },
} as const satisfies Record<string, Kind>;

/** The name of a kind. */
export type KindName = keyof typeof KINDS;

/** All names. */
export const ALL_KINDS = Object.keys(KINDS) as KindName[];

/** Those with an orphan that has neither the marker nor the session: only its parent told whose it is. */
export const BARE_ORPHANS: readonly KindName[] = [
  "env -i setsid, double fork",
  "env -i, move on every few ms",
];

/** The same, once the leader has ended. */
export const BARE_IN_THE_END: readonly KindName[] = [...BARE_ORPHANS, "env -i setsid"];

/** The ledgers of a swarm: one for each kind. */
export class Ledgers {
  readonly #swarm: Swarm;
  readonly #kinds: readonly KindName[];
  readonly #round: number;

  /** Names them. */
  constructor(swarm: Swarm, kinds: readonly KindName[], round = 0) {
    this.#swarm = swarm;
    this.#kinds = kinds;
    this.#round = round;
  }

  /** The file of a kind. */
  path(kind: KindName): string {
    return this.#swarm.path(`ledger-${KINDS[kind].script}-${this.#round}`);
  }

  /** Who has signed as one of a kind, or of any. */
  signed(kind?: KindName): Signed[] {
    const kinds = kind === undefined ? this.#kinds : [kind];
    return kinds.flatMap((each) => readLedger(this.path(each)));
  }

  /** Waits until every tree is complete. */
  async complete(over: () => boolean = () => false): Promise<void> {
    await eventually(
      "every tree is complete",
      () => over() || this.#kinds.every((kind) => this.signed(kind).length >= KINDS[kind].signs),
      60_000,
    );
    assert(!over(), "the trees were complete before the run was over");
  }

  /** Who is alive, by kind; kinds of which nobody is are left out. */
  alive(): Partial<Record<KindName, Signed[]>> {
    const alive: Partial<Record<KindName, Signed[]>> = {};
    for (const kind of this.#kinds) {
      const left = this.signed(kind).filter(isAlive);
      if (left.length > 0) alive[kind] = left;
    }
    return alive;
  }

  /** Nobody is alive, nor does anybody sign any more. */
  async assertGone(message: string): Promise<void> {
    assertEquals(this.alive(), {}, message);
    const count = this.signed().length;
    await new Promise((resolve) => setTimeout(resolve, 50));
    assertEquals(this.signed().length, count, `${message}: somebody has signed since`);
  }

  /** Kills whoever is left: for what is expected to escape, and for tests that fail. */
  async kill(): Promise<void> {
    for (let quiet = 0; quiet < 5; quiet++) {
      for (const process of this.signed().filter(isAlive)) {
        quiet = 0;
        killOne(process);
      }
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  }
}

/** Kills one process by its ledger entry. */
export function killOne({ pid }: Signed): void {
  try {
    Deno.kill(pid, "SIGKILL");
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}

/** Trees that run. */
export interface Trees extends AsyncDisposable {
  /** The orchestrator. */
  readonly running: Running;
  /** Who they are. */
  readonly ledgers: Ledgers;
  /** Whether the orchestrator has ended. */
  over(): boolean;
  /** Lets the leaders end by themselves. */
  open(): void;
}

/** How trees are started. */
export interface TreesOptions {
  /** Whether the leaders end by themselves once {@linkcode Trees.open} says so. */
  readonly gate?: boolean;
  /** A number that keeps one round's ledgers apart from another's. */
  readonly round?: number;
  /** More of every block. */
  readonly block?: Record<string, unknown>;
  /** Flags of `skein run`. */
  readonly flags?: readonly string[];
  /** Tasks beside the trees. */
  readonly more?: Readonly<Record<string, TaskDraft>>;
  /** Limits of the run. */
  readonly limits?: Readonly<Record<string, number>>;
  /** What starts the run, where it is not the usual command line. */
  readonly start?: () => Running;
}

/** Starts a tree of each kind as a task of one manifest, and kills by its ledger whatever a test leaves. */
export function startTrees(
  swarm: Swarm,
  kinds: readonly KindName[],
  options: TreesOptions = {},
): Trees {
  const { gate = false, round = 0, block = {}, flags = [], more = {} } = options;
  const ledgers = new Ledgers(swarm, kinds, round);
  const pipe = gate ? makePipe(swarm.path(`gate-${round}`)) : "";
  const drafts: Record<string, TaskDraft> = { ...more };
  for (const kind of kinds) {
    const argv = ["sh", `${SCRIPTS}/${KINDS[kind].script}.sh`, ledgers.path(kind), pipe];
    drafts[KINDS[kind].script] = { argv, block };
  }
  const limits = { runTimeoutMs: 110_000, ...options.limits };
  swarm.manifest(drafts, { workers: Object.keys(drafts).length, limits });
  const running = options.start?.() ?? swarm.start(["run", "swarm.json", "--quiet", ...flags]);
  let over = false;
  let opened: Deno.FsFile | null = null;
  running.result.then(() => over = true);
  return {
    running,
    ledgers,
    over: () => over,
    open() {
      // Opened for both, so that neither end waits for the other; closed when the leaders have read their lines.
      opened = Deno.openSync(pipe, { read: true, write: true });
      opened.writeSync(new TextEncoder().encode("\n".repeat(kinds.length)));
    },
    async [Symbol.asyncDispose]() {
      // A test that failed midway: whatever is left is ended, and nothing hides why.
      if (!over) killOne({ pid: running.pid, startTime: "" });
      await running.result;
      opened?.close();
      await ledgers.kill();
    },
  };
}

function makePipe(path: string): string {
  if (!exists(path)) new Deno.Command("mkfifo", { args: [path] }).outputSync();
  return path;
}
