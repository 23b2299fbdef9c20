import { isPositiveInteger, type Lease } from "./lease.ts";

/** A lease as a process carries it in its environment: all of it but when it was issued. */
export type CarriedLease = Omit<Lease, "issuedAt">;

/** What an environment carries. */
export type CarriedLeaseRead =
  | { readonly ok: true; readonly lease: CarriedLease }
  | { readonly ok: false; readonly problem: string };

/**
 * Reads the lease that a process of a run carries in its environment: `SKEIN_RUN_ID`, `SKEIN_TASK_ID`, `SKEIN_PASS`,
 * `SKEIN_ATTEMPT`, `SKEIN_EPOCH`, `SKEIN_SEQUENCE`, and from the queue `SKEIN_TOKEN`. What is not whole is no lease.
 *
 * @param read gives the value of a variable.
 *
 * @example
 * ```ts
 * import { carriedLease } from "@skein/cli";
 *
 * const carried = carriedLease((name) => Deno.env.get(name));
 * if (carried.ok) console.log(`task ${carried.lease.taskId}, epoch ${carried.lease.epoch}`);
 * else console.log(carried.problem);
 * ```
 */
export function carriedLease(read: (name: string) => string | undefined): CarriedLeaseRead {
  const problems: string[] = [];
  const text = (name: string): string => {
    const value = read(name) ?? "";
    if (value === "") problems.push(`${name} is not set`);
    return value;
  };
  const number = (name: string): number => {
    const value = text(name);
    const parsed = /^\d{1,16}$/.test(value) ? Number(value) : NaN;
    if (value !== "" && !isPositiveInteger(parsed)) {
      problems.push(`${name} is "${value}", and must be a whole number above zero`);
    }
    return parsed;
  };
  const lease: CarriedLease = {
    runId: text("SKEIN_RUN_ID"),
    taskId: text("SKEIN_TASK_ID"),
    pass: number("SKEIN_PASS"),
    attempt: number("SKEIN_ATTEMPT"),
    epoch: number("SKEIN_EPOCH"),
    sequence: number("SKEIN_SEQUENCE"),
    // A local run has none. One that is there and empty is not taken for a local run's.
    ...read("SKEIN_TOKEN") === undefined ? {} : { token: number("SKEIN_TOKEN") },
  };
  return problems.length === 0 ? { ok: true, lease } : { ok: false, problem: problems.join("; ") };
}
