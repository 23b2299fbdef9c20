import { type Clock, systemClock } from "../clock/mod.ts";
import { messageOf, type Outcome } from "../model/mod.ts";
import { registerChild } from "./children.ts";
import type { EndedPass, LaunchRequest, Leftovers, Platform } from "./platform.ts";
import { feed, OutputBudget, type Stdin, StreamFile } from "./streams.ts";

/** One process to run. */
export interface ProcessRequest extends LaunchRequest {
  /** What it reads. */
  readonly stdin: Stdin;
  /** Where its standard output goes. */
  readonly stdout: string;
  /** Where its standard error goes. */
  readonly stderr: string;
  /** How much it may write to both together. */
  readonly maxOutputBytes: number;
  /** The lease's sequence: it stands in the marker of its whole tree. */
  readonly sequence: number;
  /** Asked as soon as it has been started: `false` kills it at once. */
  readonly mayRun: () => boolean;
}

/** Why an attempt is ended early: how long it may take to end by itself after it was asked to. */
export interface Ending {
  /** Milliseconds between TERM and KILL; 0 kills without asking. */
  readonly graceMs: number;
}

/** How long the pipes may be silent before whoever still holds them is left alone. */
const SILENCE_MS = 50;
/** How long they may go on at all after the main process has ended. */
const DRAIN_MS = 2000;
/** A reason of its own spares the making of an error with a stack. */
const OVER = "over";

/**
 * Runs one process in a session of its own, to its end: its streams carried, its tree killed when its main process
 * has ended or a signal says so.
 *
 * @param ending aborted with an {@linkcode Ending} as its reason.
 * @param kill aborted to end the grace.
 */
export async function runProcess(
  request: ProcessRequest,
  platform: Platform,
  leftovers: Leftovers,
  ending: AbortSignal,
  kill: AbortSignal,
  clock: Clock = systemClock,
): Promise<Outcome> {
  const child = start(request, platform);
  if (!(child instanceof Deno.ChildProcess)) return child;
  registerChild(child);
  const running = new RunningProcess(child, request, platform, leftovers, clock);
  if (!request.mayRun()) running.end({ graceMs: 0 });
  return await running.outcome(ending, kill);
}

class RunningProcess {
  readonly #child: Deno.ChildProcess;
  readonly #platform: Platform;
  readonly #leftovers: Leftovers;
  readonly #pass: EndedPass;
  readonly #clock: Clock;
  readonly #budget: OutputBudget;
  readonly #streams: readonly StreamFile[];
  readonly #fed: Promise<unknown> | null;
  readonly #over = new AbortController();
  #ended = false;
  #exited = false;
  #failure: unknown = null;

  constructor(
    child: Deno.ChildProcess,
    request: ProcessRequest,
    platform: Platform,
    leftovers: Leftovers,
    clock: Clock,
  ) {
    this.#child = child;
    this.#platform = platform;
    this.#leftovers = leftovers;
    this.#pass = { leader: child.pid, sequence: request.sequence };
    leftovers.began(this.#pass);
    this.#clock = clock;
    this.#budget = new OutputBudget(request.maxOutputBytes, () => this.#signal("SIGKILL"));
    this.#streams = [
      this.#carry(child.stdout, request.stdout),
      this.#carry(child.stderr, request.stderr),
    ];
    this.#fed = request.stdin === null
      ? null
      : feed(request.stdin, child.stdin).catch((error) => this.#fail(error));
  }

  async outcome(ending: AbortSignal, kill: AbortSignal): Promise<Outcome> {
    const onEnding = () => this.end(ending.reason as Ending);
    const onKill = () => this.end({ graceMs: 0 });
    ending.addEventListener("abort", onEnding);
    kill.addEventListener("abort", onKill);
    if (ending.aborted) onEnding();
    if (kill.aborted) onKill();
    try {
      const status = await this.#status();
      this.#exited = true;
      const leftovers = await this.#leftovers.endPass(this.#pass);
      await this.#drain();
      return this.#judge(status, leftovers);
    } finally {
      ending.removeEventListener("abort", onEnding);
      kill.removeEventListener("abort", onKill);
      this.#over.abort(OVER);
    }
  }

  /** Ends the tree: asked first where there is a grace. */
  end({ graceMs }: Ending): void {
    this.#ended = true;
    if (graceMs <= 0) return this.#signal("SIGKILL");
    this.#signal("SIGTERM");
    this.#clock.sleep(graceMs, this.#over.signal).then(() => {
      if (!this.#over.signal.aborted) this.#signal("SIGKILL");
    });
  }

  #carry(stream: ReadableStream<Uint8Array>, path: string): StreamFile {
    const file = new StreamFile(stream, path, this.#budget);
    file.ended.then((error) => {
      if (error !== null) this.#fail(new Error(`Cannot write "${path}": ${messageOf(error)}`));
    });
    return file;
  }

  #fail(error: unknown): void {
    this.#failure ??= error;
    this.#signal("SIGKILL");
  }

  #signal(signal: Deno.Signal): void {
    if (this.#over.signal.aborted) return;
    // Once the main process has been waited for, its pid may be somebody else's.
    if (this.#exited) this.#platform.signalGroup(this.#child.pid, signal);
    else this.#platform.signalTree(this.#child.pid, signal);
  }

  async #status(): Promise<Deno.CommandStatus | null> {
    try {
      return await this.#child.status;
    } catch {
      // A death by a real-time signal has no name that the runtime knows.
      return null;
    }
  }

  /** Reads on until both pipes are closed or silent. */
  async #drain(): Promise<void> {
    if (this.#fed === null && this.#streams.every(({ done }) => done)) return;
    let over = false;
    const ended = Promise.all([...this.#streams.map((stream) => stream.ended), this.#fed])
      .then(() => over = true);
    const deadline = this.#clock.mono() + DRAIN_MS;
    const settled = new AbortController();
    ended.then(() => settled.abort(OVER));
    do {
      await this.#clock.sleep(SILENCE_MS, settled.signal);
    } while (!over && this.#streams.some((s) => s.moved()) && this.#clock.mono() < deadline);
    if (!over) await Promise.all(this.#streams.map((stream) => stream.release()));
  }

  #judge(status: Deno.CommandStatus | null, leftovers: number): Outcome {
    const outcome = this.#outcomeOf(status);
    return leftovers === 0 ? outcome : { ...outcome, leftovers };
  }

  #outcomeOf(status: Deno.CommandStatus | null): Outcome {
    if (this.#budget.exceeded) return { kind: "output-limit" };
    if (this.#failure !== null) return { kind: "failed", message: messageOf(this.#failure) };
    if (this.#ended) return { kind: "aborted" };
    if (status === null) return { kind: "signalled", signal: "SIGRT" };
    if (status.signal !== null) return { kind: "signalled", signal: status.signal };
    if (status.code !== 0) return { kind: "exited", code: status.code };
    return { kind: "succeeded", written: this.#streams[0]?.written ?? 0 };
  }
}

function start(request: ProcessRequest, platform: Platform): Deno.ChildProcess | Outcome {
  const { program, args, detached, started } = platform.launch(request);
  try {
    const child = new Deno.Command(program, {
      args: [...args],
      cwd: request.cwd,
      env: request.env,
      clearEnv: true,
      detached,
      stdin: request.stdin === null ? "null" : "piped",
      stdout: "piped",
      stderr: "piped",
    }).spawn();
    started?.();
    return child;
  } catch (error) {
    return classify(error, request);
  }
}

function classify(error: unknown, { argv: [program = ""], cwd, env }: LaunchRequest): Outcome {
  const { code } = error as { code?: unknown };
  if (error instanceof Deno.errors.NotCapable) {
    return { kind: "program-refused", message: refusalOf(program, env) };
  }
  if (!isFolder(cwd)) return { kind: "folder-missing", message: `Folder "${cwd}" is not there` };
  if (error instanceof Deno.errors.NotFound) {
    return { kind: "program-missing", message: `Program "${program}" is not there` };
  }
  if (error instanceof Deno.errors.PermissionDenied || code === "ENOEXEC") {
    return { kind: "program-not-executable", message: `Program "${program}" is not executable` };
  }
  return { kind: "failed", message: `Cannot start "${program}": ${messageOf(error)}` };
}

/** Under a list of permitted programs, what makes one load a library of somebody else's choice is not permitted either. */
function refusalOf(program: string, env: LaunchRequest["env"]): string {
  const loader = Object.keys(env).find((name) => /^(?:LD|DYLD)_/.test(name));
  return loader === undefined
    ? `Program "${program}" is not permitted: add it to --allow-run`
    : `Program "${program}" is not permitted with "${loader}" in its environment, or not at all: take that out of the ` +
      "manifest, or add the program to --allow-run";
}

function isFolder(path: string): boolean {
  try {
    return Deno.statSync(path).isDirectory;
  } catch {
    return false;
  }
}
