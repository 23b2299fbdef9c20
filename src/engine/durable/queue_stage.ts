import { point } from "../../faults/mod.ts";
import {
  type Lease,
  leaseValid,
  type Manifest,
  messageOf,
  type SettledOutput,
  type Task,
} from "../../model/mod.ts";
import type { Attempt, AttemptStage } from "../attempt.ts";
import type { PassInput, PassOutput } from "../executor.ts";
import {
  FileInput,
  FileOutput,
  inlineInput,
  MemoryOutput,
  noInput,
  noOutput,
  type SealedOutput,
} from "../passes.ts";
import { artifactPaths, makeRunFolder, writeLeaseCopy } from "./artifacts.ts";
import { digestOfFile } from "./digest.ts";
import type { HeldClaim } from "./held_claims.ts";
import type { EngineFence } from "./site.ts";

/** Where a claimed run takes place. */
export interface QueueStage extends AttemptStage {
  /** Makes what must be there before the first attempt. */
  prepare(manifest: Manifest): void;
  /** The check: the fence's, and that the claim is still believed in. */
  check(lease: Lease): boolean;
  /** Keeps the audit copy of a lease. */
  record(lease: Lease): void;
  /** What the pass before has settled, as the next pass is given it. */
  previous(taskId: string, settled: SettledOutput | null): PassOutput;
  /** What a task that has ended has published, for the tasks that read it. */
  publish(taskId: string, settled: SettledOutput | null): void;
  /**
   * Makes the output of an attempt complete, for the row that settles it.
   *
   * @param written bytes that it must have; `undefined` where that is not known.
   * @returns `changed` where it is not what was written.
   */
  complete(attempt: Attempt, written: number | undefined): Promise<Completed>;
}

/** An output that can be settled. */
export type Completed =
  | { readonly kind: "complete"; readonly output: SettledOutput | null }
  | { readonly kind: "changed" };

/** What a run may be executed by: a claim, behind the fence. */
export class Licence {
  readonly #claim: HeldClaim;
  readonly #fence: EngineFence;

  /** Binds the two. */
  constructor(claim: HeldClaim, fence: EngineFence) {
    this.#claim = claim;
    this.#fence = fence;
  }

  /** Whether it covers a lease now. */
  check(lease: Lease): boolean {
    return this.#covers(lease) && this.#fence.check(lease);
  }

  /** Whether it covers a lease now, by the fence's files themselves. */
  recheck(lease: Lease): boolean {
    return this.#covers(lease) && this.#fence.recheck(lease);
  }

  #covers(lease: Lease): boolean {
    return lease.token === this.#claim.ref.token && leaseValid(lease, this.#fence.epoch) &&
      this.#claim.isTrusted;
  }
}

/** A claimed run with its artifacts in a folder of its own. */
export class QueueFolderStage implements QueueStage {
  readonly #licence: Licence;
  readonly #claim: HeldClaim;
  readonly #logRoot: string;
  readonly #sync: boolean;
  readonly #published = new Map<string, SettledOutput>();

  /** Makes the stage. */
  constructor(
    claim: HeldClaim,
    fence: EngineFence,
    { logRoot, sync }: { readonly logRoot: string; readonly sync: boolean },
  ) {
    this.#licence = new Licence(claim, fence);
    this.#claim = claim;
    this.#logRoot = logRoot;
    this.#sync = sync;
  }

  /** Makes the folder where there is none. */
  prepare(manifest: Manifest): void {
    makeRunFolder(this.#logRoot, this.#claim.ref.runId, manifest);
  }

  /** The check, as fence and claim make it. */
  check(lease: Lease): boolean {
    return this.#licence.check(lease);
  }

  /** The check, as the claim and the fence's files make it. */
  recheck(lease: Lease): boolean {
    return this.#licence.recheck(lease);
  }

  /** Writes the lease's file. */
  record(lease: Lease): void {
    const { taskId, pass, attempt } = lease;
    writeLeaseCopy(this.#absolute(this.#paths(taskId, pass, attempt).lease), lease);
    point("run.lease-written");
  }

  /** The previous pass's output, or the task's source; a file is copied first. */
  input(task: Task, pass: number, previous: PassOutput | null, attempt: number): PassInput {
    if (previous instanceof FileOutput) return new FileInput(previous.path);
    if (previous !== null) return noInput;
    if (task.stdinFrom !== undefined) {
      const settled = this.#published.get(task.stdinFrom);
      return settled === undefined ? noInput : new FileInput(this.#absolute(settled.path));
    }
    if (task.stdinFile !== undefined) {
      const copy = this.#absolute(this.#paths(task.id, pass, attempt).stdin);
      copyInput(task.stdinFile, copy);
      return new FileInput(copy);
    }
    return task.stdin === undefined || task.stdin === "" ? noInput : inlineInput(task.stdin);
  }

  /** Files of the attempt's own. */
  output(task: Task, pass: number, attempt: number): SealedOutput {
    const { stdout, stderr } = this.#paths(task.id, pass, attempt);
    return new FileOutput(this.#absolute(stdout), this.#absolute(stderr));
  }

  /** The file that was settled. */
  previous(_taskId: string, settled: SettledOutput | null): PassOutput {
    if (settled === null) return noOutput;
    const path = this.#absolute(settled.path);
    return new FileOutput(path, `${path}.stderr`);
  }

  /** Remembers where it is. */
  publish(taskId: string, settled: SettledOutput | null): void {
    if (settled !== null) this.#published.set(taskId, settled);
  }

  /** Makes an empty file where nothing was written, and reads all of it for the digest. */
  async complete(attempt: Attempt, written: number | undefined): Promise<Completed> {
    const { output, lease } = attempt;
    if (!(output instanceof FileOutput)) return CHANGED;
    const bytes = output.complete(this.#sync, written);
    if (bytes === null) return CHANGED;
    const seen = await digestOfFile(output.path);
    if (seen.bytes !== bytes) return CHANGED;
    const { stdout } = this.#paths(lease.taskId, lease.pass, lease.attempt);
    return { kind: "complete", output: { path: stdout, ...seen } };
  }

  #paths(taskId: string, pass: number, attempt: number): ReturnType<typeof artifactPaths> {
    const { runId, token } = this.#claim.ref;
    return artifactPaths(runId, { taskId, pass, attempt, token });
  }

  #absolute(path: string): string {
    return `${this.#logRoot}/${path}`;
  }
}

/** A claimed run whose artifacts are in memory: nobody can go on with it but who began it. */
export class QueueMemoryStage implements QueueStage {
  readonly #licence: Licence;
  readonly #last = new Map<string, PassOutput>();

  /** Makes the stage. */
  constructor(claim: HeldClaim, fence: EngineFence) {
    this.#licence = new Licence(claim, fence);
  }

  /** There is nothing to make. */
  prepare(): void {}

  /** The check, as fence and claim make it. */
  check(lease: Lease): boolean {
    return this.#licence.check(lease);
  }

  /** The check, as the claim and the fence's files make it. */
  recheck(lease: Lease): boolean {
    return this.#licence.recheck(lease);
  }

  /** Keeps nothing. */
  record(): void {}

  /** The previous pass's output, or the task's source. */
  input(task: Task, _pass: number, previous: PassOutput | null): PassInput {
    if (previous !== null) return readable(previous);
    if (task.stdinFrom !== undefined) return readable(this.#last.get(task.stdinFrom) ?? noOutput);
    if (task.stdinFile !== undefined) return new FileInput(task.stdinFile);
    return task.stdin === undefined || task.stdin === "" ? noInput : inlineInput(task.stdin);
  }

  /** Memory. */
  output(): SealedOutput {
    return new MemoryOutput();
  }

  /** What the task has written last. */
  previous(taskId: string): PassOutput {
    return this.#last.get(taskId) ?? noOutput;
  }

  /** It is kept by its task already. */
  publish(): void {}

  /** What is in memory is whole, and no row names it. */
  complete({ lease, written }: Attempt): Promise<Completed> {
    if (written === null) this.#last.delete(lease.taskId);
    else this.#last.set(lease.taskId, written);
    return COMPLETE_IN_MEMORY;
  }
}

const CHANGED: Completed = { kind: "changed" };
const COMPLETE_IN_MEMORY: Promise<Completed> = Promise.resolve({ kind: "complete", output: null });

function readable(output: PassOutput): PassInput {
  return output instanceof MemoryOutput ? output.asInput() : noInput;
}

/** What a pass reads is what was there when it began. Before it is opened: a pipe would keep this waiting. */
function copyInput(from: string, to: string): void {
  try {
    // The runtime permits what a link is named, wherever it leads: a file that was not granted is none to read.
    const path = Deno.realPathSync(from);
    if (!Deno.statSync(path).isFile) throw new Error("it is not a file");
    Deno.copyFileSync(path, to);
    Deno.chmodSync(to, 0o600);
  } catch (error) {
    throw new Error(`Cannot read "${from}", its "stdinFile": ${messageOf(error)}`);
  }
}
