/**
 * The queue's path beside its own SQL: claim, start, verdict and end of runs of one task. The baseline replays the very
 * statements, recorded from one run, without the store around them. Four processes share one database; with
 * `SKEIN_BENCH_LONG` the history grows to a million runs.
 *
 * @module
 */
import { DatabaseSync, type SQLInputValue, type StatementSync } from "node:sqlite";
import { seededRng, systemClock } from "../src/clock/mod.ts";
import type { Manifest } from "../src/model/mod.ts";
import { openStore, type Store } from "../src/store/mod.ts";

/** Runs of one sample. */
const RUNS = 400;
const PROCESSES = 4;
const HISTORIES = [1_000, Deno.env.has("SKEIN_BENCH_LONG") ? 1_000_000 : 30_000];
const SELF = new URL(import.meta.url).pathname;

const MANIFEST: Manifest = {
  version: 1,
  name: "bench",
  workers: 1,
  limits: { maxPasses: 1, maxOutputBytes: 1, runTimeoutMs: 1 },
  env: [],
  inheritEnv: [],
  blocks: {
    work: {
      argv: ["work"],
      passes: 1,
      timeoutMs: 1,
      env: [],
      cwd: "/",
      retry: { maxAttempts: 1, backoffMs: 1, maxBackoffMs: 1 },
    },
  },
  tasks: [{ id: "a", block: "work", args: [], needs: [], env: [] }],
};

/** Something that takes as many runs of the queue as it is told, from claim to end. */
type Candidate = (runIds: readonly string[]) => Promise<void>;

function open(path: string): Promise<Store> {
  const latch = { isClear: () => true, epoch: () => 1 };
  return openStore({ path, clock: systemClock, rng: seededRng(1), latch });
}

async function submit(store: Store, runIds: readonly string[]): Promise<void> {
  for (const runId of runIds) {
    await store.submit({ runId, key: null, priority: 0, epoch: 1, manifest: MANIFEST });
  }
}

let made = 0;

function mint(count: number): string[] {
  return Array.from({ length: count }, () => `20260101t${String(++made).padStart(18, "0")}`);
}

/** Takes one run by the store. */
async function takeOne(store: Store): Promise<void> {
  const claim = await store.claim({ owner: "bench", epoch: 1, leaseTtlMs: 60_000 });
  if (claim.kind !== "claimed") throw new Error(`The claim came to ${claim.kind}`);
  const started = await store.startTask(claim.ref, "a");
  if (started.kind !== "started") throw new Error(`The start came to ${started.kind}`);
  const attempt = { taskId: "a", pass: started.pass, attempt: started.attempt };
  await store.settleTask(claim.ref, attempt, { kind: "succeeded", output: null });
  const finished = await store.finishRun(claim.ref);
  if (finished.kind !== "finished") throw new Error(`The end came to ${finished.kind}`);
}

function byStore(store: Store): Candidate {
  return async (runIds) => {
    for (const _ of runIds) await takeOne(store);
  };
}

type Method = "get" | "all" | "run";

/** A statement that the store executed. */
interface Step {
  readonly sql: string;
  readonly method: Method;
  readonly values: SQLInputValue[];
}

/** The statements of one run, as the store executes them. */
async function record(store: Store, steps: Step[]): Promise<string> {
  const [warm = "", runId = ""] = mint(2);
  await submit(store, [warm, runId]);
  await takeOne(store);
  const before = steps.length;
  await takeOne(store);
  steps.splice(0, before);
  return runId;
}

/** Replays the statements of one run with the ids of others. */
async function byBareSql(folder: string, path: string): Promise<Candidate> {
  const steps: Step[] = [];
  const { prepare } = DatabaseSync.prototype;
  DatabaseSync.prototype.prepare = function (this: DatabaseSync, sql: string): StatementSync {
    const statement = prepare.call(this, sql);
    const told = (method: Method) => (...values: SQLInputValue[]) => {
      steps.push({ sql, method, values });
      return statement[method](...values);
    };
    return { get: told("get"), all: told("all"), run: told("run") } as unknown as StatementSync;
  };
  const store = await open(`${folder}/recorded.db`);
  const recorded = await record(store, steps);
  await store.close();
  DatabaseSync.prototype.prepare = prepare;
  const database = new DatabaseSync(path, { timeout: 0, enableForeignKeyConstraints: true });
  database.exec("PRAGMA synchronous = NORMAL; PRAGMA wal_autocheckpoint = 4000");
  globalThis.addEventListener("unload", () => database.close());
  const statements = new Map<string, StatementSync>();
  const replay = steps.map(({ sql, method, values }) => {
    const statement = statements.get(sql) ?? database.prepare(sql);
    statements.set(sql, statement);
    const slots = values.flatMap((value, index) => value === recorded ? [index] : []);
    return { statement, method, values, slots, begins: sql === "BEGIN IMMEDIATE" };
  });
  return async (runIds) => {
    for (const runId of runIds) {
      for (const { statement, method, values, slots, begins } of replay) {
        for (const slot of slots) values[slot] = runId;
        if (!begins) statement[method](...values);
        else while (!attempt(statement)) await new Promise((resolve) => setTimeout(resolve, 0));
      }
    }
  };
}

function attempt(statement: StatementSync): boolean {
  try {
    statement.run();
    return true;
  } catch (error) {
    if ((error as { errcode?: number }).errcode !== 5) throw error;
    return false;
  }
}

/** Copies an ended run, with all that belongs to it, until there are as many. */
function addHistory(path: string, runId: string, count: number): void {
  using database = new DatabaseSync(path);
  database.exec("PRAGMA synchronous = OFF");
  const copies = `WITH RECURSIVE copies (number) AS (
    SELECT 1 UNION ALL SELECT number + 1 FROM copies WHERE number < ${count}
  )`;
  const tables = ["runs", "manifests", "tasks", "attempts", "events"];
  database.exec("BEGIN");
  for (const table of tables) {
    const columns = database.prepare(`SELECT name FROM pragma_table_info('${table}')`).all()
      .map(({ name }) => String(name));
    const own = table === "runs" ? "id" : "run_id";
    const kept = columns.filter((name) => !(table === "events" && name === "id"));
    const values = kept.map((name) => name === own ? "printf('20250101t%018d', number)" : name);
    database.exec(
      `${copies} INSERT INTO ${table} (${kept.join(", ")}) SELECT ${values.join(", ")}
      FROM copies CROSS JOIN ${table} WHERE ${own} = '${runId}'`,
    );
  }
  database.exec("COMMIT");
}

/** One of several processes: each line names the runs that it takes. */
async function serve(name: string, folder: string, path: string): Promise<void> {
  const store = await open(path);
  const candidate = await CANDIDATES[name as Name](folder, path, store);
  const say = () => Deno.stdout.write(new Uint8Array(1));
  await say();
  let text = "";
  for await (const chunk of Deno.stdin.readable.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (!text.endsWith("\n")) continue;
    await candidate(JSON.parse(text));
    text = "";
    await say();
  }
  await store.close();
}

/** A process that takes runs. */
class Peer {
  readonly #child: Deno.ChildProcess;
  readonly #writer: WritableStreamDefaultWriter<Uint8Array>;
  readonly #lines: ReadableStreamDefaultReader<Uint8Array>;

  constructor(name: Name, path: string) {
    const folder = Deno.makeTempDirSync({ dir: path.slice(0, path.lastIndexOf("/")) });
    const config = Deno.env.get("SKEIN_CONFIG");
    const args = ["run", "-A", "-q", "--no-prompt", ...(config ? ["--config", config] : [])];
    const streams = { stdin: "piped", stdout: "piped" } as const;
    const command = new Deno.Command(Deno.execPath(), {
      args: [...args, SELF, name, folder, path],
      ...streams,
    });
    this.#child = command.spawn();
    this.#writer = this.#child.stdin.getWriter();
    this.#lines = this.#child.stdout.getReader();
  }

  async heard(): Promise<void> {
    await this.#lines.read();
  }

  async take(runIds: readonly string[]): Promise<void> {
    await this.#writer.write(new TextEncoder().encode(`${JSON.stringify(runIds)}\n`));
    await this.heard();
  }

  async end(): Promise<void> {
    await this.#writer.close();
    await this.#lines.cancel();
    await this.#child.status;
  }
}

/** Makes what takes runs of a database. */
type Make = (folder: string, path: string, store: Store) => Promise<Candidate>;
type Name = keyof typeof CANDIDATES;

const CANDIDATES = {
  "bare SQL": byBareSql,
  "store": (_folder: string, _path: string, store: Store) => Promise.resolve(byStore(store)),
} as const;

/** Several processes that share the runs. */
function byPeers(name: Name): Make {
  return async (_folder, path) => {
    const peers = Array.from({ length: PROCESSES }, () => new Peer(name, path));
    await Promise.all(peers.map((peer) => peer.heard()));
    globalThis.addEventListener("unload", () => void Promise.all(peers.map((peer) => peer.end())));
    const share = RUNS / PROCESSES;
    return async (runIds) => {
      await Promise.all(
        peers.map((peer, index) => peer.take(runIds.slice(index * share, (index + 1) * share))),
      );
    };
  };
}

/** Registers the benchmarks. */
function register(): void {
  const folder = Deno.makeTempDirSync({ prefix: "skein-bench-" });
  globalThis.addEventListener("unload", () => Deno.removeSync(folder, { recursive: true }));

  const bench = (group: string, name: string, baseline: boolean, history: number, make: Make) => {
    let ready: Promise<{ store: Store; candidate: Candidate }> | null = null;
    const prepare = async () => {
      const path = `${folder}/${`${group} ${name}`.replaceAll(/\W/g, "-")}.db`;
      const store = await open(path);
      if (history > 0) {
        const [runId = ""] = mint(1);
        await submit(store, [runId]);
        await takeOne(store);
        addHistory(path, runId, history);
      }
      return { store, candidate: await make(folder, path, store) };
    };
    Deno.bench({
      name: `${name} × ${RUNS}`,
      group,
      baseline,
      n: 10,
      warmup: 2,
      async fn(b) {
        const { store, candidate } = await (ready ??= prepare());
        const runIds = mint(RUNS);
        await submit(store, runIds);
        b.start();
        await candidate(runIds);
        b.end();
      },
    });
  };

  for (const name of ["bare SQL", "store"] as const) {
    const isBare = name === "bare SQL";
    bench("one process", name, isBare, 0, CANDIDATES[name]);
    bench(`${PROCESSES} processes`, name, isBare, 0, byPeers(name));
  }
  for (const [index, history] of HISTORIES.entries()) {
    bench("history", `after ${history} runs`, index === 0, history, CANDIDATES.store);
  }
}

const [name, ...rest] = Deno.args;
const [folder = "", path = ""] = rest;
if (import.meta.main && name !== undefined) await serve(name, folder, path);
else register();
