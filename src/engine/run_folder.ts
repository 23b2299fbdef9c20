import { replaceFile, syncFolder } from "../disk/mod.ts";
import { unusable } from "../fence/mod.ts";
import {
  fileNameOf,
  type Lease,
  type Manifest,
  messageOf,
  type Report,
  SkeinError,
} from "../model/mod.ts";

/** A stream of a pass. */
export type StreamName = "stdin" | "stdout" | "stderr";

/** The folder of one run: its manifest, leases, data, outputs and report. */
export class RunFolder {
  /** The folder, absolute. */
  readonly path: string;
  readonly #names = new Map<string, string>();

  private constructor(path: string) {
    this.path = path;
  }

  /** Makes the folder; a run id that is taken is refused. */
  static create(stateDir: string, runId: string, manifest: Manifest): RunFolder {
    const folder = new RunFolder(`${stateDir}/runs/${runId}`);
    let making = folder.path;
    try {
      Deno.mkdirSync(making, { mode: 0o700 });
      for (const name of ["leases", "data", "output"]) {
        making = `${folder.path}/${name}`;
        Deno.mkdirSync(making, { mode: 0o700 });
      }
      making = `${folder.path}/manifest.json`;
      replaceFile(folder.path, "manifest.json", `${JSON.stringify(manifest, null, 2)}\n`);
      syncFolder(`${stateDir}/runs`);
    } catch (error) {
      throw unusable(making, error);
    }
    return folder;
  }

  /** Copies every `stdinFile`, so that a run reads what was there when it began. */
  copyInputs(manifest: Manifest): void {
    for (const { id, stdinFile } of manifest.tasks) {
      if (stdinFile === undefined) continue;
      try {
        const copy = this.dataPath(id, 1, 1, "stdin");
        Deno.copyFileSync(Deno.realPathSync(stdinFile), copy);
        Deno.chmodSync(copy, 0o600);
      } catch (error) {
        throw missingInput(id, stdinFile, error);
      }
    }
  }

  /** The file of a stream of an attempt of a pass. */
  dataPath(taskId: string, pass: number, attempt: number, stream: StreamName): string {
    return `${this.path}/data/${this.#name(taskId)}.${pass}${
      attempt > 1 ? `.${attempt}` : ""
    }.${stream}`;
  }

  /** The file of a task's published output. */
  outputPath(taskId: string): string {
    return `${this.path}/${this.relativeOutput(taskId)}`;
  }

  /** The same, relative to the folder. */
  relativeOutput(taskId: string): string {
    return `output/${this.#name(taskId)}`;
  }

  /** Writes the audit copy of a lease. */
  writeLease(lease: Lease): void {
    const path = `${this.path}/${leaseFile(this.#name(lease.taskId), lease.pass, lease.attempt)}`;
    try {
      Deno.writeTextFileSync(path, `${JSON.stringify(lease)}\n`, { mode: 0o600 });
    } catch (error) {
      throw unusable(path, error);
    }
  }

  /** Writes the report, once, atomically. */
  writeReport(report: Report): void {
    try {
      replaceFile(this.path, "report.json", `${JSON.stringify(report, null, 2)}\n`);
    } catch (error) {
      throw unusable(`${this.path}/report.json`, error);
    }
  }

  #name(taskId: string): string {
    let name = this.#names.get(taskId);
    if (name === undefined) {
      name = fileNameOf(taskId);
      this.#names.set(taskId, name);
    }
    return name;
  }
}

/**
 * Where the audit copy of a lease of a local run is, relative to the run's folder.
 *
 * @param name the task's id as a file name.
 */
export function leaseFile(name: string, pass: number, attempt: number): string {
  return `leases/${name}.${pass}${attempt > 1 ? `.${attempt}` : ""}.lease`;
}

/**
 * Looks whether every `stdinFile` can be read, before anything is made.
 *
 * @throws {SkeinError} `input-missing` for the first that cannot.
 */
export function checkInputs(manifest: Manifest): void {
  for (const { id, stdinFile } of manifest.tasks) {
    if (stdinFile === undefined) continue;
    try {
      // The runtime permits what a link is named, wherever it leads: a file that was not granted is none to read.
      const path = Deno.realPathSync(stdinFile);
      // Before it is opened: a pipe would keep this waiting.
      if (!Deno.statSync(path).isFile) throw new Error("it is not a file");
      Deno.openSync(path, { read: true }).close();
    } catch (error) {
      throw missingInput(id, stdinFile, error);
    }
  }
}

function missingInput(taskId: string, path: string, error: unknown): SkeinError {
  return new SkeinError(
    "input-missing",
    `Cannot read "${path}", the "stdinFile" of task "${taskId}": ${messageOf(error)}`,
    {
      where: path,
      next: "Make the file, or mend the path; it is relative to the manifest's folder",
      cause: error,
    },
  );
}
