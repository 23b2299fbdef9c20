/**
 * Stores that are broken on purpose, each in one place: the simulation must catch every one.
 *
 * @module
 */
import type {
  AttemptRef,
  FinishRequest,
  FinishResult,
  Latch,
  LeaseRef,
  LossTerms,
  ReapedRun,
  ReapRequest,
  RecoverResult,
  RenewResult,
  SettleResult,
  Store,
  TaskVerdict,
} from "../../src/store/mod.ts";
import type { Rows } from "./rows.ts";

/** What a broken store is made of. */
export interface VariantGround {
  /** The store as it is. */
  readonly store: Store;
  /** The same, behind another fence. */
  readonly behind: (latch: Latch) => Promise<Store>;
  /** The database itself. */
  readonly rows: Rows;
}

/** Breaks a store: the methods that it replaces. */
export type Variant = (ground: VariantGround) => Partial<Store> | Promise<Partial<Store>>;

const ACTIVE = `
SELECT tasks.pass, tasks.attempt, runs.owner, runs.token
FROM tasks JOIN runs ON runs.id = run_id
WHERE run_id = ? AND tasks.id = ? AND tasks.state = 'running'`;
const LOWER_TOKEN = "UPDATE runs SET token = token - 1 WHERE id = ? AND state = 'queued'";
const LOWER_EVENT = `
UPDATE events SET token = token - 1
WHERE id = (SELECT max(id) FROM events WHERE run_id = ?) AND to_state = 'queued'`;
const RENEW = `
UPDATE runs SET lease_expires_at = ?
WHERE id = ? AND state = 'running' AND owner = ? AND token = ?`;
const EPOCH = "SELECT epoch FROM runs WHERE id = ?";
const FORGET_CANCEL = "UPDATE runs SET cancel_requested_at = NULL WHERE id = ?";

/** A verdict is taken for whatever runs, whoever sends it. */
export function settleWithoutToken({ store, rows }: VariantGround): Partial<Store> {
  const settleTask = (ref: LeaseRef, attempt: AttemptRef, verdict: TaskVerdict) => {
    const [active] = rows.all(ACTIVE, ref.runId, attempt.taskId);
    if (active === undefined) return store.settleTask(ref, attempt, verdict);
    const { pass, attempt: number, owner, token } = active;
    return store.settleTask(
      { runId: ref.runId, owner: owner as string, token: token as number },
      { taskId: attempt.taskId, pass: pass as number, attempt: number as number },
      verdict,
    );
  };
  return { settleTask };
}

/** A run goes back to the queue with the token that it had. */
export function requeueWithoutRaise({ store, rows }: VariantGround): Partial<Store> {
  const lower = (runId: string) => {
    rows.change(LOWER_EVENT, runId);
    rows.change(LOWER_TOKEN, runId);
  };
  return {
    async reap(request: ReapRequest): Promise<ReapedRun[]> {
      const reaped = await store.reap(request);
      for (const { ref } of reaped) lower(ref.runId);
      return reaped;
    },
    async recover(runId: string, terms: LossTerms): Promise<RecoverResult> {
      const result = await store.recover(runId, terms);
      if (result.kind === "recovered") lower(runId);
      return result;
    },
  };
}

/** A claim is renewed as long as nobody else has taken the run. */
export function renewAfterExpiry({ store, rows }: VariantGround): Partial<Store> {
  const renew = async (refs: readonly LeaseRef[], leaseTtlMs: number): Promise<RenewResult> => {
    const result = await store.renew(refs, leaseTtlMs);
    const isRenewed = ({ runId, owner, token }: LeaseRef) =>
      rows.change(RENEW, result.expiresAt, runId, owner, token) === 1;
    const revived = result.lost.filter(isRenewed);
    const lost = result.lost.filter((ref) => !revived.includes(ref));
    return { ...result, renewed: [...result.renewed, ...revived], lost };
  };
  return { renew };
}

/** Verdicts of tasks and of runs are taken whatever the epoch is, stopped or not. */
export async function completeWithoutEpoch(
  { behind, rows }: VariantGround,
): Promise<Partial<Store>> {
  const latch = { current: 0, isClear: () => true, epoch: () => latch.current };
  const blind = await behind(latch);
  const look = ({ runId }: LeaseRef) => {
    latch.current = Number(rows.all(EPOCH, runId)[0]?.epoch ?? 0);
  };
  return {
    settleTask(ref: LeaseRef, attempt: AttemptRef, verdict: TaskVerdict): Promise<SettleResult> {
      look(ref);
      return blind.settleTask(ref, attempt, verdict);
    },
    finishRun(ref: LeaseRef, request?: FinishRequest): Promise<FinishResult> {
      look(ref);
      return blind.finishRun(ref, request);
    },
  };
}

/** One death more than allowed is forgiven. */
export function poisonTooLate({ store }: VariantGround): Partial<Store> {
  const forgive = <T extends LossTerms>(terms: T) => {
    return { ...terms, maxCrashCount: terms.maxCrashCount + 1 };
  };
  return {
    reap: (request: ReapRequest) => store.reap(forgive(request)),
    recover: (runId: string, terms: LossTerms) => store.recover(runId, forgive(terms)),
  };
}

/** Tasks are started although the run's cancellation was requested. */
export function startAfterCancel({ store, rows }: VariantGround): Partial<Store> {
  const startTask = (ref: LeaseRef, taskId: string) => {
    rows.change(FORGET_CANCEL, ref.runId);
    return store.startTask(ref, taskId);
  };
  return { startTask };
}

/** A lease lasts for less than it was asked for, and its holder does not know. */
export function leaseTooShort({ store }: VariantGround): Partial<Store> {
  return {
    claim: (request) => store.claim({ ...request, leaseTtlMs: request.leaseTtlMs / 4 }),
    renew: (refs, leaseTtlMs) => store.renew(refs, leaseTtlMs / 4),
  };
}
