import { mintSwarmId, systemClock, systemRng } from "../clock/mod.ts";
import { FileLock } from "../disk/mod.ts";
import { formatLineage, LINEAGE_VARIABLE } from "../model/mod.ts";
import { findAny, type Machine, platform, registerChild } from "../proc/mod.ts";
import { demandExecutable } from "./executable.ts";
import type { ProcessLockFacts } from "./doctor_disk_verdicts.ts";
import type { WitnessFacts } from "./doctor_system_verdicts.ts";
import { NO_LOCK, type Testimony, witnessArgv } from "./doctor_witness.ts";

/** How long a witness may take to say a line, in milliseconds. */
const PATIENCE_MS = 10_000;
/** How long a witness that was killed may take to be gone, in milliseconds. */
const DYING_MS = 5_000;
/** How long a search may take to come to an end, in milliseconds. */
const SEARCH_MS = 10_000;

/** Takes a lock in this process and in another one, which is killed while it holds it. */
export async function tryLocksBetween(folder: string): Promise<ProcessLockFacts> {
  await demandExecutable();
  const path = `${folder}/processes`;
  const lock = FileLock.tryAcquire(path, "exclusive");
  if (lock === null) throw new Error("a lock that nobody holds is refused");
  let letGo = false;
  try {
    await using witness = new Witness(path);
    await witness.hear("here");
    const refused = await witness.hear() === "refused";
    lock.close();
    letGo = true;
    const taken = !refused || await witness.hear() === "taken";
    const held = isRefused(path);
    const gone = await witness.kill();
    return { refused, taken, held, freed: gone && !isRefused(path) };
  } finally {
    if (!letGo) lock.close();
  }
}

/** Starts a process as a pass is started, looks for it, and ends it as a pass is ended. */
export async function tryTree(machine: Machine): Promise<WitnessFacts> {
  await demandExecutable();
  const swarm = mintSwarmId(systemRng);
  const segment = { swarm, epoch: 1, run: "doctor", token: 0, sequence: 1 };
  const marker = formatLineage(Deno.env.get(LINEAGE_VARIABLE) ?? "", segment);
  const finder = platform.finder((each) => each.swarm === swarm);
  await using witness = new Witness(NO_LOCK, { [LINEAGE_VARIABLE]: marker });
  await witness.hear("here");
  const { pid } = witness;
  const standing = machine.standingOf(pid);
  const environment = machine.procOf(pid)?.environment;
  const first = await finder.sweep();
  const ended = standing !== null && await witness.killGroup();
  if (!ended) await witness.kill();
  const last = await findAny(finder, SEARCH_MS);
  return {
    pid,
    standing,
    ended,
    found: first.found.some((process) => process.pid === pid && process.segment !== null),
    conclusive: last.survivors.length === 0 && last.failed.length === 0,
    problems: [...new Set([...first.problems, ...last.failed])],
    marked: environment === undefined
      ? null
      : environment?.split("\0").includes(`${LINEAGE_VARIABLE}=${marker}`) ?? false,
  };
}

/** Whether a lock cannot be taken. */
function isRefused(path: string): boolean {
  using lock = FileLock.tryAcquire(path, "exclusive");
  return lock === null;
}

/** Skein's own executable as a second process. At the end of an `await using` block it is gone. */
class Witness implements AsyncDisposable {
  readonly pid: number;
  readonly #child: Deno.ChildProcess;
  readonly #lines: ReadableStreamDefaultReader<string>;
  #heard = "";

  constructor(lock: string, env: Readonly<Record<string, string>> = {}) {
    // What else is in the environment it inherits, and need not be read for that.
    const request = { argv: witnessArgv(lock), cwd: Deno.cwd(), env };
    const { program, args, detached, started } = platform.launch(request);
    this.#child = new Deno.Command(program, {
      args: [...args],
      env: { ...env },
      detached,
      stdin: "piped",
      stdout: "piped",
      stderr: "null",
    }).spawn();
    registerChild(this.#child);
    started?.();
    this.pid = this.#child.pid;
    this.#lines = this.#child.stdout.pipeThrough(new TextDecoderStream()).getReader();
  }

  /** The next line that it says, which is the one that is expected where one is. */
  async hear(expected?: Testimony): Promise<string> {
    const overdue = new AbortController();
    const late = systemClock.sleep(PATIENCE_MS, overdue.signal).then(() => null);
    try {
      while (!this.#heard.includes("\n")) {
        const read = await Promise.race([this.#lines.read(), late]);
        if (read === null) {
          throw new Error("a second process was started, and said nothing in time");
        }
        if (read.done) throw new Error("a second process was started, and ended at once");
        this.#heard += read.value;
      }
    } finally {
      overdue.abort();
    }
    const [line = "", ...rest] = this.#heard.split("\n");
    this.#heard = rest.join("\n");
    if (expected === undefined || line === expected) return line;
    throw new Error(`a second process was started, and said ${JSON.stringify(line)}`);
  }

  /** Signals the group that it leads; whether it is gone in time. */
  killGroup(): Promise<boolean> {
    platform.signalGroup(this.pid, "SIGKILL");
    return this.#isGone();
  }

  /** Signals it alone; whether it is gone in time. */
  kill(): Promise<boolean> {
    try {
      this.#child.kill("SIGKILL");
    } catch {
      // It is gone already.
    }
    return this.#isGone();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    await this.#lines.cancel();
    await this.#child.stdin.close().catch(() => {});
  }

  async #isGone(): Promise<boolean> {
    const overdue = new AbortController();
    const late = systemClock.sleep(DYING_MS, overdue.signal).then(() => false);
    const gone = await Promise.race([this.#child.status.then(() => true), late]);
    overdue.abort();
    return gone;
  }
}
