import type { LeaseRef, StartResult, Store } from "../../store/mod.ts";

/**
 * Starts a task. Where it was asked for before and the answer was lost, the attempt that runs already may be the
 * caller's own, and is then what was started.
 */
export async function startTask(
  store: Store,
  ref: LeaseRef,
  taskId: string,
  again: boolean,
): Promise<StartResult> {
  const result = await store.startTask(ref, taskId);
  const isAnswered = !again || result.kind === "started" || result.why !== "not-pending";
  return isAnswered ? result : await ownStart(store, ref, taskId) ?? result;
}

async function ownStart(
  store: Store,
  { runId, owner, token }: LeaseRef,
  taskId: string,
): Promise<StartResult | null> {
  const attempts = (await store.attempts(runId)).filter((one) => one.taskId === taskId);
  const own = attempts.find((one) =>
    one.state === "running" && one.owner === owner && one.token === token
  );
  if (own === undefined) return null;
  const { pass, attempt, sequence, startedAt: at } = own;
  const before = attempts.findLast((one) => one.pass === pass - 1 && one.state === "succeeded");
  return { kind: "started", pass, attempt, sequence, at, input: before?.output ?? null };
}
