import { unusable } from "../../fence/mod.ts";
import { fileNameOf, type Lease, type Manifest } from "../../model/mod.ts";

/** The files of an attempt, relative to the folder that holds `runs`. */
export interface ArtifactPaths {
  /** The audit copy of its lease. */
  readonly lease: string;
  /** The copy of the file that it reads. */
  readonly stdin: string;
  /** Its standard output; where the attempt is settled as succeeded, the output of the pass. */
  readonly stdout: string;
  /** Its standard error. */
  readonly stderr: string;
}

/** Which attempt of a queued run. */
export interface ArtifactOwner {
  /** The task. */
  readonly taskId: string;
  /** The pass. */
  readonly pass: number;
  /** The attempt at the pass. */
  readonly attempt: number;
  /** The token of the claim that it was started under. */
  readonly token: number;
}

/**
 * Where the files of an attempt of a queued run are. Every path carries pass, attempt and token, so that no two
 * executors write the same file, whatever one of them believes.
 */
export function artifactPaths(runId: string, owner: ArtifactOwner): ArtifactPaths {
  const { taskId, pass, attempt, token } = owner;
  const name = `${fileNameOf(taskId)}.${pass}.${attempt}.${token}`;
  const data = `${queuedRunFolder(runId)}/data/${name}`;
  return {
    lease: `${queuedRunFolder(runId)}/leases/${name}.lease`,
    stdin: `${data}.stdin`,
    stdout: `${data}.stdout`,
    stderr: `${data}.stderr`,
  };
}

/** The folder of a queued run, relative to the folder that holds `runs`. */
export function queuedRunFolder(runId: string): string {
  return `runs/${runId}`;
}

/** Makes the folder of a queued run, or finds it there from an earlier claim. */
export function makeRunFolder(logRoot: string, runId: string, manifest: Manifest): void {
  const folder = `${logRoot}/${queuedRunFolder(runId)}`;
  let making = folder;
  try {
    for (const name of ["leases", "data"]) {
      making = `${folder}/${name}`;
      Deno.mkdirSync(making, { recursive: true, mode: 0o700 });
    }
    making = `${folder}/manifest.json`;
    const text = `${JSON.stringify(manifest, null, 2)}\n`;
    Deno.writeTextFileSync(making, text, { createNew: true, mode: 0o600 });
  } catch (error) {
    if (!(error instanceof Deno.errors.AlreadyExists)) throw unusable(making, error);
  }
}

/** Writes the audit copy of the lease of an attempt. */
export function writeLeaseCopy(path: string, lease: Lease): void {
  try {
    Deno.writeTextFileSync(path, `${JSON.stringify(lease)}\n`, { mode: 0o600 });
  } catch (error) {
    throw unusable(path, error);
  }
}

/** Removes the folders of runs that were pruned; what is not there is gone already. */
export function removeRunFolders(logRoot: string, runIds: readonly string[]): void {
  for (const runId of runIds) {
    const folder = `${logRoot}/${queuedRunFolder(runId)}`;
    try {
      Deno.removeSync(folder, { recursive: true });
    } catch (error) {
      if (!(error instanceof Deno.errors.NotFound)) throw unusable(folder, error);
    }
  }
}
