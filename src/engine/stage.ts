import type { Fence } from "../fence/mod.ts";
import { point } from "../faults/mod.ts";
import { type Lease, leaseValid, type Manifest, type Task } from "../model/mod.ts";
import type { EventLog } from "./events.ts";
import type { Execution, PassInput, PassOutput } from "./executor.ts";
import {
  FileInput,
  FileOutput,
  inlineInput,
  MemoryOutput,
  noInput,
  type SealedOutput,
} from "./passes.ts";
import type { RunFolder } from "./run_folder.ts";

/** What became of a publication. */
export type Publication =
  | { readonly kind: "published"; readonly path: string | null; readonly bytes: number }
  | { readonly kind: "refused" | "withdrawn" };

/** As much of an attempt as its publication asks for. */
export interface Publishable extends Pick<Execution, "lease" | "output"> {
  /** What it has written, `null` where its executor never asked for the output. */
  readonly written: PassOutput | null;
}

/** Where a run takes place: behind a fence with a folder, or in memory. */
export interface Stage {
  /** The check. */
  check(lease: Lease): boolean;
  /** The check at the files themselves, whatever was seen a moment ago. */
  recheck(lease: Lease): boolean;
  /** Keeps the audit copy of a lease. */
  record(lease: Lease): void;
  /** What a pass reads. */
  input(task: Task, pass: number, previous: PassOutput | null): PassInput;
  /** What an attempt of a pass writes. */
  output(task: Task, pass: number, attempt: number): SealedOutput;
  /**
   * Makes the output of a pass complete, and returns its size in bytes; `null` where it is not what was written.
   *
   * @param written bytes that it must have; `undefined` where that is not known.
   */
  complete(attempt: Publishable, written: number | undefined): number | null;
  /** Publishes the output of a task's last pass. */
  publish(attempt: Publishable, bytes: number): Publication;
}

/** A run behind a fence, with its artifacts in a folder. */
export class FolderStage implements Stage {
  readonly #fence: Fence;
  readonly #folder: RunFolder;
  readonly #events: EventLog | null;
  readonly #sync: boolean;

  /**
   * Makes the stage.
   *
   * @param sync syncs each output before it is published.
   */
  constructor(fence: Fence, folder: RunFolder, events: EventLog | null, sync: boolean) {
    this.#fence = fence;
    this.#folder = folder;
    this.#events = events;
    this.#sync = sync;
  }

  /** The check, as the fence makes it. */
  check(lease: Lease): boolean {
    return this.#fence.check(lease);
  }

  /** The check, as the fence makes it at the files. */
  recheck(lease: Lease): boolean {
    return this.#fence.recheck(lease);
  }

  /** Writes the lease's file. */
  record(lease: Lease): void {
    this.#folder.writeLease(lease);
    point("run.lease-written");
  }

  /** The previous pass's output, or the task's source. */
  input(task: Task, pass: number, previous: PassOutput | null): PassInput {
    if (previous instanceof FileOutput && previous.isThere) return new FileInput(previous.path);
    if (previous !== null) return noInput;
    if (task.stdinFrom !== undefined) return new FileInput(this.#folder.outputPath(task.stdinFrom));
    if (task.stdinFile !== undefined) {
      return new FileInput(this.#folder.dataPath(task.id, pass, 1, "stdin"));
    }
    if (task.stdin === undefined || task.stdin === "") return noInput;
    return inlineInput(task.stdin);
  }

  /** Files in the run's folder. */
  output(task: Task, pass: number, attempt: number): SealedOutput {
    return new FileOutput(
      this.#folder.dataPath(task.id, pass, attempt, "stdout"),
      this.#folder.dataPath(task.id, pass, attempt, "stderr"),
    );
  }

  /** Makes an empty file where nothing was written. */
  complete({ output }: Publishable, written: number | undefined): number | null {
    return output instanceof FileOutput ? output.complete(this.#sync, written) : null;
  }

  /** Renames the output to its final name, between two checks. */
  publish({ lease, output }: Publishable, bytes: number): Publication {
    if (output.path === null) return { kind: "refused" };
    const { taskId, pass, attempt } = lease;
    const kind = this.#fence.publish(lease, output.path, this.#folder.outputPath(taskId));
    if (kind !== "published") {
      if (kind === "withdrawn") this.#events?.emit("output-withdrawn", taskId, pass, attempt);
      return { kind };
    }
    this.#events?.emit("output-published", taskId, pass, attempt, "", `${bytes} bytes`);
    return { kind, path: this.#folder.relativeOutput(taskId), bytes };
  }
}

/** A run in memory: no files, no locks; leases are made and checked all the same. */
export class MemoryStage implements Stage {
  readonly #epoch: number;
  readonly #manifest: Manifest;
  readonly #published = new Map<string, MemoryOutput>();
  #sources: ReadonlySet<string | undefined> | null = null;

  /** Makes the stage for a manifest; only outputs that another task reads are kept. */
  constructor(epoch: number, manifest: Manifest) {
    this.#epoch = epoch;
    this.#manifest = manifest;
  }

  /** The predicate alone: there is no STOP to look at. */
  check(lease: Lease): boolean {
    return leaseValid(lease, this.#epoch);
  }

  /** There is nothing else to look at. */
  recheck(lease: Lease): boolean {
    return this.check(lease);
  }

  /** Keeps nothing. */
  record(): void {}

  /** The previous pass's output, or the task's source; a file is read when it is asked for. */
  input(task: Task, _pass: number, previous: PassOutput | null): PassInput {
    if (previous !== null) return previous instanceof MemoryOutput ? previous.asInput() : noInput;
    if (task.stdinFrom !== undefined) {
      return this.#published.get(task.stdinFrom)?.asInput() ?? noInput;
    }
    if (task.stdinFile !== undefined) return new FileInput(task.stdinFile);
    return task.stdin === undefined || task.stdin === "" ? noInput : inlineInput(task.stdin);
  }

  /** Memory. */
  output(): SealedOutput {
    return new MemoryOutput();
  }

  /** What is in memory is whole. */
  complete({ written }: Publishable): number {
    return written instanceof MemoryOutput ? written.size : 0;
  }

  /** The check again; kept where another task reads it. */
  publish({ lease, written }: Publishable, bytes: number): Publication {
    if (!this.check(lease)) return REFUSED;
    if (!(written instanceof MemoryOutput)) return PUBLISHED_NOTHING;
    this.#sources ??= new Set(this.#manifest.tasks.map(({ stdinFrom }) => stdinFrom));
    if (this.#sources.has(lease.taskId)) this.#published.set(lease.taskId, written);
    return { kind: "published", path: null, bytes };
  }
}

const REFUSED: Publication = { kind: "refused" };
const PUBLISHED_NOTHING: Publication = { kind: "published", path: null, bytes: 0 };
