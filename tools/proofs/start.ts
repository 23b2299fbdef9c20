/**
 * A way to start Skein: the words of a command line, whatever they are. The proofs know nothing else of it.
 *
 * @module
 */
import { resolve } from "@std/path";

/** How long a command may take where nothing else is said; then it is killed, and the proof fails. */
const PATIENCE_MS = 120_000;

/** What a command came to. */
export interface Answer {
  /** Its exit code. */
  readonly code: number;
  /** Its standard output. */
  readonly stdout: string;
  /** Its standard error. */
  readonly stderr: string;
}

/** A command that goes on. */
export interface Going {
  /** What it comes to. */
  readonly answer: Promise<Answer>;
  /** Ends it; nothing happens where it has ended. */
  kill(): void;
}

/** What a proof found to be wrong. */
export class Refutation extends Error {
  /** Makes it; the text says what was seen, and what should have been. */
  constructor(message: string) {
    super(message);
    this.name = "Refutation";
  }
}

/** A way to start Skein. */
export class Start {
  /** The words. */
  readonly words: readonly string[];
  readonly #folder: string;
  readonly #env: Record<string, string>;

  /** Takes the words, and the folder in which they mean what they say. */
  constructor(words: readonly string[], folder: string) {
    const [program = "", ...rest] = words;
    if (program === "") throw new Refutation("Nothing says how to start Skein");
    // A name is looked for in PATH; a path is one from this folder.
    this.words = [/[/\\]/.test(program) ? resolve(folder, program) : program, ...rest];
    this.#folder = folder;
    this.#env = Deno.env.toObject();
    // From inside a swarm a stop only latches, and another state directory is the default.
    for (const name of Object.keys(this.#env)) {
      if (name.startsWith("SKEIN_")) delete this.#env[name];
    }
    this.#env.NO_COLOR = "1";
  }

  /** Starts a command, which is killed when it takes longer than it may. */
  begin(args: readonly string[], patienceMs = PATIENCE_MS): Going {
    const [program = "", ...words] = this.words;
    const child = new Deno.Command(program, {
      args: [...words, ...args],
      cwd: this.#folder,
      env: this.#env,
      clearEnv: true,
      stdin: "null",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    const kill = () => end(child);
    const patience = setTimeout(kill, patienceMs);
    const decoder = new TextDecoder();
    const answer = child.output().then(({ code, stdout, stderr }) => {
      clearTimeout(patience);
      return { code, stdout: decoder.decode(stdout), stderr: decoder.decode(stderr) };
    });
    return { answer, kill };
  }

  /** Runs a command to its end. */
  run(args: readonly string[], patienceMs = PATIENCE_MS): Promise<Answer> {
    return this.begin(args, patienceMs).answer;
  }
}

/** Demands something of what was seen. */
export function demand(holds: boolean, otherwise: string): asserts holds {
  if (!holds) throw new Refutation(otherwise);
}

/** Demands an exit code. */
export function demandCode(what: string, { code, stderr }: Answer, expected: number): void {
  const talk = stderr.trim() === "" ? "" : `: ${stderr.trim()}`;
  demand(code === expected, `${what} exited with ${code} where ${expected} was expected${talk}`);
}

/** Demands one JSON object on standard output. */
export function demandJson(what: string, { stdout }: Answer): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(stdout);
    if (typeof value === "object" && value !== null) return value as Record<string, unknown>;
  } catch {
    // It is said below.
  }
  throw new Refutation(`${what} did not answer in JSON, but: ${stdout.trim() || "nothing"}`);
}

function end(child: Deno.ChildProcess): void {
  try {
    child.kill("SIGKILL");
  } catch (error) {
    const gone = error instanceof Deno.errors.NotFound || error instanceof TypeError;
    if (!gone) throw error;
  }
}
