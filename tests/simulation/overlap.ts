import { TTL_MS } from "./plan.ts";
import { KILL_MS, type Process } from "./processes.ts";

/** What of the world says whether an engine can know that its claim is lost. */
export interface Excuses {
  /** Time. */
  readonly timeline: { readonly now: number };
  /** When the database's clock was last set on. */
  readonly storeClockSetOnAt: number;
}

/** How late an engine may look, and its kill be. */
const LATE_MS = 100;

/**
 * Judges a process that begins, beside those that run: two attempts of one task go on at the same time only where the
 * engine of the older one has lost its claim and cannot have noticed yet.
 *
 * @param holds whether its engine holds the claim now, by the database.
 * @returns the promise that is broken, `null` where none is.
 */
export function judgeBegin(
  world: Excuses,
  begun: Process,
  live: readonly Process[],
  holds: boolean,
): string | null {
  const name = `${begun.runId}/${begun.taskId}.${begun.pass}.${begun.attempt}#${begun.token}`;
  if (!holds && !isJudgedByAnotherClock(world)) {
    return `An attempt begins under a claim only: ${name}`;
  }
  const same = live.filter(({ runId, taskId }) => {
    return runId === begun.runId && taskId === begun.taskId;
  });
  const twin = same.find(({ token }) => token === begun.token);
  if (twin !== undefined) return `A claim runs a task once at a time: ${name}`;
  const other = same.find((one) => !isExcused(world, one, begun.machine.host));
  if (other === undefined) return null;
  return `Two attempts of a task run in the documented window only: ${name} beside #${other.token}`;
}

/** Whether the database may have called claims expired that their holders could still trust. */
function isJudgedByAnotherClock({ timeline, storeClockSetOnAt }: Excuses): boolean {
  return timeline.now - storeClockSetOnAt < TTL_MS + LATE_MS;
}

/**
 * Whether a process may still go on that somebody else takes the task of: nobody was there to end it.
 *
 * @param host where whoever takes it has ended what was left; `null`: nowhere yet.
 */
export function isExcused(world: Excuses, { machine }: Process, host: string | null): boolean {
  if (machine.isGone) return machine.host !== host;
  const hasJustWoken = world.timeline.now - machine.heldUntil < KILL_MS + LATE_MS;
  return hasJustWoken || isJudgedByAnotherClock(world);
}
