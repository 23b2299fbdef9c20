/**
 * A file destination: a folder with a file for each name. Whoever writes holds its lock, compares with what the folder
 * has seen, remembers the lease, and only then renames the new text to its name.
 *
 * ```sh
 * deno run -A examples/destinations/file.ts results write NAME TEXT
 * ```
 *
 * @module
 */
import { type GateLease, type GateMark, passGate } from "@skein/cli/lease";
import { type Destination, runCommand, type WriteAnswer } from "./destination.ts";

/** What the folder has seen. */
interface Seen {
  readonly epoch: number;
  readonly revision: number;
  /** The last lease of each task. */
  readonly marks: readonly {
    readonly run: string;
    readonly task: string;
    readonly token: number;
    readonly sequence: number;
  }[];
}

const LOCK = ".lock";
const SEEN = ".seen";
const NOTHING_SEEN: Seen = { epoch: 0, revision: 0, marks: [] };
/** What stands for the token of a local run, whose leases have none. */
const LOCAL = 0;

/** A folder that keeps texts. On a local disk: locks on network mounts are not trusted. */
export class FileDestination implements Destination {
  readonly #folder: string;

  /** Opens the folder; it is made where there is none. */
  constructor(folder: string) {
    this.#folder = folder;
    Deno.mkdirSync(folder, { recursive: true });
  }

  /** Writes a text, if the lease passes the gate. */
  write(lease: GateLease, name: string, text: string): Promise<WriteAnswer> {
    const path = this.#path(name);
    return this.#locked(() => {
      const seen = this.#seen();
      const answer = passGate(lease, markFor(lease, seen));
      if (!answer.admitted) return { written: false, why: answer.why, message: answer.message };
      const revision = seen.revision + 1;
      // First what was seen: whoever dies in between has refused older leases, and may write again under its own.
      this.#replace(SEEN, JSON.stringify(remember(lease, seen, answer.mark, revision)));
      this.#replace(path, text);
      return { written: true, revision };
    });
  }

  /** The text of a name. A rename makes it appear at once and whole: reading needs no lock. */
  read(name: string): Promise<string | null> {
    return Promise.resolve(textOf(`${this.#folder}/${this.#path(name)}`));
  }

  /** Tells it the current epoch. */
  raiseEpoch(epoch: number): Promise<void> {
    if (!Number.isSafeInteger(epoch) || epoch < 1) throw new RangeError(`No epoch: ${epoch}`);
    return this.#locked(() => {
      const seen = this.#seen();
      if (epoch > seen.epoch) this.#replace(SEEN, JSON.stringify({ ...seen, epoch }));
    });
  }

  /** The kernel lets go of the lock when its holder closes the file, or dies. */
  async #locked<T>(body: () => T): Promise<T> {
    using file = Deno.openSync(`${this.#folder}/${LOCK}`, { create: true, write: true });
    await file.lock(EXCLUSIVE);
    return body();
  }

  /** What cannot be read is no folder that has seen nothing: a folder with texts has seen something. */
  #seen(): Seen {
    const text = textOf(`${this.#folder}/${SEEN}`);
    if (text !== null) return JSON.parse(text);
    for (const { name } of Deno.readDirSync(this.#folder)) {
      if (!name.startsWith(".")) throw new Error(`${this.#folder}/${SEEN} is missing`);
    }
    return NOTHING_SEEN;
  }

  #replace(name: string, text: string): void {
    // The name is free: who writes it holds the lock.
    const temporary = `${this.#folder}/.new`;
    using file = Deno.openSync(temporary, { create: true, write: true, truncate: true });
    const bytes = new TextEncoder().encode(text);
    for (let done = 0; done < bytes.length;) done += file.writeSync(bytes.subarray(done));
    file.syncSync();
    Deno.renameSync(temporary, `${this.#folder}/${name}`);
    // What was seen is not forgotten when the power fails.
    using folder = Deno.openSync(this.#folder);
    folder.syncSync();
  }

  #path(name: string): string {
    if (/^[\w-][\w.-]*$/.test(name)) return name;
    throw new RangeError(`No name of a file: "${name}"`);
  }
}

const EXCLUSIVE = true;

/** What the gate compares a lease with: the token with every task's of the run, the sequence with its own task's. */
function markFor(lease: GateLease, { epoch, marks }: Seen): GateMark {
  const own = marks.filter(({ run }) => run === lease.runId);
  const token = Math.max(LOCAL, ...own.map((mark) => mark.token));
  const last = own.find((mark) => mark.task === lease.taskId && mark.token === token);
  return { epoch, token, sequence: last?.sequence ?? 0 };
}

function remember(lease: GateLease, seen: Seen, mark: GateMark, revision: number): Seen {
  const { runId: run, taskId: task } = lease;
  const { epoch, token, sequence } = mark;
  const others = seen.marks.filter((one) => one.run !== run || one.task !== task);
  return { epoch, revision, marks: [...others, { run, task, token, sequence }] };
}

function textOf(path: string): string | null {
  try {
    return Deno.readTextFileSync(path);
  } catch (error) {
    if (error instanceof Deno.errors.NotFound) return null;
    throw error;
  }
}

if (import.meta.main) {
  Deno.exitCode = await runCommand((folder) => new FileDestination(folder), Deno.args);
}
