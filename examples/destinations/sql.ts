/**
 * An SQL destination: the database itself compares, in the transaction that writes, so that it holds for whoever uses
 * these statements, in whatever language.
 *
 * ```sh
 * deno run -A examples/destinations/sql.ts results.db write NAME TEXT
 * ```
 *
 * @module
 */
import { type GateLease, passGate } from "@skein/cli/lease";
import { DatabaseSync } from "node:sqlite";
import { type Destination, runCommand, type WriteAnswer } from "./destination.ts";

/** How long a write waits for another one, in milliseconds. */
const WAIT_MS = 10_000;
/** What stands for the token of a local run, whose leases have none. */
const LOCAL = 0;

const SCHEMA = `
CREATE TABLE IF NOT EXISTS gate (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  epoch INTEGER NOT NULL CHECK (epoch >= 0),
  revision INTEGER NOT NULL
);
INSERT INTO gate (one, epoch, revision) VALUES (1, 0, 0) ON CONFLICT DO NOTHING;
CREATE TABLE IF NOT EXISTS marks (
  run TEXT NOT NULL CHECK (run <> ''),
  task TEXT NOT NULL CHECK (task <> ''),
  token INTEGER NOT NULL CHECK (token >= 0),
  sequence INTEGER NOT NULL CHECK (sequence > 0),
  PRIMARY KEY (run, task)
);
CREATE TABLE IF NOT EXISTS things (
  name TEXT PRIMARY KEY,
  text TEXT NOT NULL,
  revision INTEGER NOT NULL
);
`;

/** Changes no row where a higher epoch was seen. Its row lock keeps every other write away until the commit. */
const PASS_EPOCH = "UPDATE gate SET epoch = $epoch WHERE one = 1 AND epoch <= $epoch";

/** Changes no row where the run has been seen with a higher token, or the task with a later lease. */
const PASS_LEASE = `
INSERT INTO marks (run, task, token, sequence)
SELECT $run, $task, $token, $sequence
WHERE NOT EXISTS (SELECT 1 FROM marks WHERE run = $run AND token > $token)
ON CONFLICT (run, task) DO UPDATE SET token = excluded.token, sequence = excluded.sequence
WHERE (excluded.token, excluded.sequence) >= (marks.token, marks.sequence)`;

const NEXT_REVISION = "UPDATE gate SET revision = revision + 1 WHERE one = 1 RETURNING revision";
const WRITE = `
INSERT INTO things (name, text, revision) VALUES ($name, $text, $revision)
ON CONFLICT (name) DO UPDATE SET text = excluded.text, revision = excluded.revision`;

const EPOCH = "SELECT epoch FROM gate WHERE one = 1";
const TOKEN = "SELECT max(token) AS token FROM marks WHERE run = $run";
const READ = "SELECT text FROM things WHERE name = $name";
const RAISE = "UPDATE gate SET epoch = $epoch WHERE one = 1 AND epoch < $epoch";

/** A database that keeps texts. */
export class SqlDestination implements Destination, Disposable {
  readonly #database: DatabaseSync;

  /** Opens the database; it is made where there is none. */
  constructor(path: string) {
    this.#database = new DatabaseSync(path, { timeout: WAIT_MS });
    this.#database.exec(SCHEMA);
  }

  /** Writes a text, if the lease passes the gate. */
  write(lease: GateLease, name: string, text: string): Promise<WriteAnswer> {
    return Promise.resolve(this.#transaction(() => {
      const refused = this.#refusal(lease);
      if (refused !== null) return refused;
      const row = this.#database.prepare(NEXT_REVISION).get();
      const revision = row?.revision as number;
      this.#database.prepare(WRITE).run({ name, text, revision });
      return { written: true, revision };
    }));
  }

  /** The text of a name. */
  read(name: string): Promise<string | null> {
    const row = this.#database.prepare(READ).get({ name });
    return Promise.resolve(row === undefined ? null : row.text as string);
  }

  /** Tells it the current epoch. */
  raiseEpoch(epoch: number): Promise<void> {
    if (!Number.isSafeInteger(epoch) || epoch < 1) throw new RangeError(`No epoch: ${epoch}`);
    this.#database.prepare(RAISE).run({ epoch });
    return Promise.resolve();
  }

  /** Closes it. */
  [Symbol.dispose](): void {
    this.#database.close();
  }

  #refusal(lease: GateLease): WriteAnswer | null {
    // Whatever is a lease passes a gate that has seen nothing.
    const whole = passGate(lease, { epoch: 0, token: 0, sequence: 0 });
    if (!whole.admitted) return { written: false, why: whole.why, message: whole.message };
    const { runId: run, taskId: task, epoch, sequence, token = LOCAL } = lease;
    if (this.#change(PASS_EPOCH, { epoch }) !== 1) {
      const seen = this.#database.prepare(EPOCH).get()?.epoch;
      const message = `The lease is of epoch ${epoch}, and ${seen} was seen`;
      return { written: false, why: "old-epoch", message };
    }
    if (this.#change(PASS_LEASE, { run, task, token, sequence }) === 1) return null;
    const seen = this.#database.prepare(TOKEN).get({ run })?.token as number;
    return seen > token
      ? {
        written: false,
        why: "old-token",
        message: `The lease has token ${token}, and ${seen} was seen`,
      }
      : {
        written: false,
        why: "old-sequence",
        message: `The lease has sequence ${sequence}, and a later one was seen`,
      };
  }

  #change(sql: string, values: Record<string, string | number>): number {
    return Number(this.#database.prepare(sql).run(values).changes);
  }

  /** What was refused leaves nothing behind, an epoch neither. */
  #transaction(body: () => WriteAnswer): WriteAnswer {
    this.#database.prepare("BEGIN IMMEDIATE").run();
    try {
      const answer = body();
      this.#database.prepare(answer.written ? "COMMIT" : "ROLLBACK").run();
      return answer;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.prepare("ROLLBACK").run();
      throw error;
    }
  }
}

if (import.meta.main) {
  Deno.exitCode = await runCommand((path) => new SqlDestination(path), Deno.args);
}
