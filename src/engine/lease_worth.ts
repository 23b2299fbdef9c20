import { RUN_ID } from "../clock/mod.ts";
import { isAbsent } from "../disk/mod.ts";
import { isLatched, readFence, readHolders } from "../fence/mod.ts";
import { type CarriedLease, fileNameOf, type Lease, leaseValid, messageOf } from "../model/mod.ts";
import type { Store } from "../store/mod.ts";
import { leaseFile } from "./run_folder.ts";

/** Why a lease is worth nothing. */
export type LossKind =
  /** The swarm is stopped. */
  | "stopped"
  /** A stop has ended its epoch. */
  | "old-epoch"
  /** No run has issued it. */
  | "unknown"
  /** Its run has ended, or has lost its orchestrator. */
  | "run-over"
  /** The run was reaped or handed back since it was issued: whoever claims it has a higher token. */
  | "old-token"
  /** Its claim was not renewed in time. */
  | "expired"
  /** Its attempt has ended. */
  | "old-attempt"
  /** What has to be looked at cannot be read. */
  | "unreadable";

/** Why a lease is worth nothing, with the particulars. */
export interface Loss {
  /** Why. */
  readonly why: LossKind;
  /** The same in words: the end of a sentence. */
  readonly message: string;
}

/** Does something with the queue of the state directory, with `null` where there is none. */
export type WithQueue = (
  use: (store: Store | null) => Promise<Loss | null>,
) => Promise<Loss | null>;

/**
 * What a lease is worth now, for who is not its run's orchestrator: `null`, or why it is worth nothing. The fence is
 * asked first and last. The lease of a local run must be the one that the run has written down for the attempt, no
 * later one of its task may be there, and the run's orchestrator must live. That of a queued run must have the run's
 * token, of an attempt that the store has as running, and a claim that has not expired on the store's clock.
 */
export async function lossOfLease(
  stateDir: string,
  lease: CarriedLease,
  withQueue: WithQueue,
): Promise<Loss | null> {
  const before = lossAtFence(stateDir, lease);
  if (before !== null) return before;
  const loss = lease.token === undefined
    ? lossOfLocal(stateDir, lease)
    : await withQueue((store) => lossInQueue(store, lease));
  // A stop ends runs, too: where it came meanwhile, it is the reason.
  return lossAtFence(stateDir, lease) ?? loss;
}

/** The check, as a run makes it: nothing is at STOP, EPOCH is the lease's, and the lease is whole. */
export function lossAtFence(stateDir: string, lease: CarriedLease): Loss | null {
  if (isAbsent(stateDir)) return { why: "unknown", message: `"${stateDir}" is not there` };
  const { stopped, epoch, record, problem } = readFence(stateDir);
  if (stopped && problem !== null && !isLatched(stateDir)) {
    return { why: "unreadable", message: problem };
  }
  if (stopped) {
    const reason = record === null || record.reason === "" ? "" : `: ${record.reason}`;
    return { why: "stopped", message: `the swarm is stopped${reason}` };
  }
  if (problem !== null) return { why: "unreadable", message: problem };
  if (leaseValid({ ...lease, issuedAt: "" }, epoch)) return null;
  return {
    why: "old-epoch",
    message: `its epoch is ${lease.epoch}, the current epoch is ${epoch}`,
  };
}

function lossOfLocal(stateDir: string, lease: CarriedLease): Loss | null {
  const { runId } = lease;
  const folder = `${stateDir}/runs/${runId}`;
  // What is no id must not become a part of a path.
  if (!RUN_ID.test(runId) || isAbsent(folder)) {
    return { why: "unknown", message: `"${stateDir}" has no such run` };
  }
  try {
    return lossOfRun(stateDir, runId) ?? lossOfAttempt(folder, lease);
  } catch (error) {
    return { why: "unreadable", message: messageOf(error) };
  }
}

function lossOfRun(stateDir: string, runId: string): Loss | null {
  const { live, problems } = readHolders(stateDir);
  if (!isAbsent(`${stateDir}/runs/${runId}/report.json`)) {
    return { why: "run-over", message: "its run has ended" };
  }
  if (live.some(({ record }) => record?.runId === runId)) return null;
  const [problem] = problems;
  if (problem !== undefined) return { why: "unreadable", message: problem };
  return { why: "run-over", message: "its run has no orchestrator any more" };
}

function lossOfAttempt(folder: string, lease: CarriedLease): Loss | null {
  const { taskId, pass, attempt } = lease;
  const name = fileNameOf(taskId);
  const path = `${folder}/${leaseFile(name, pass, attempt)}`;
  if (isAbsent(path)) return { why: "unknown", message: "its run has not issued it" };
  const issued = JSON.parse(Deno.readTextFileSync(path)) as Partial<Lease> | null;
  const fields = ["runId", "taskId", "pass", "attempt", "epoch", "sequence"] as const;
  if (fields.some((field) => issued?.[field] !== lease[field])) {
    return { why: "unknown", message: "its run has issued another one for the attempt" };
  }
  const later = [leaseFile(name, pass, attempt + 1), leaseFile(name, pass + 1, 1)];
  if (later.some((one) => !isAbsent(`${folder}/${one}`))) {
    return { why: "old-attempt", message: "its task has got a later one" };
  }
  if (isAbsent(`${folder}/output/${name}`)) return null;
  return { why: "old-attempt", message: "the output of its task is published" };
}

async function lossInQueue(store: Store | null, lease: CarriedLease): Promise<Loss | null> {
  const { runId, taskId, pass, attempt, epoch, sequence, token } = lease;
  const found = await store?.run(runId);
  if (store === null || found?.kind !== "found" || found.run.id !== runId) {
    return { why: "unknown", message: "the queue has no such run" };
  }
  const { run } = found;
  if (run.token !== token) {
    return {
      why: "old-token",
      message: `its token is ${token}, the run's is ${run.token} by now (${run.state})`,
    };
  }
  if (run.epoch !== epoch) {
    return { why: "old-epoch", message: `its epoch is ${epoch}, the run's is ${run.epoch}` };
  }
  if (run.state !== "running") return { why: "run-over", message: `its run is ${run.state}` };
  // After the run: an attempt that still runs was started under a token that still is the run's.
  const own = (await store.attempts(runId)).find((one) =>
    one.taskId === taskId && one.pass === pass && one.attempt === attempt &&
    one.sequence === sequence && one.token === token
  );
  if (own === undefined) return { why: "unknown", message: "its run has not issued it" };
  if (own.state !== "running") {
    return { why: "old-attempt", message: `its attempt has ended, ${own.state}` };
  }
  const { at } = await store.counts();
  if (run.leaseExpiresAt !== null && at < run.leaseExpiresAt) return null;
  return { why: "expired", message: "its claim has expired" };
}
