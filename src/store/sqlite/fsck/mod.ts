/**
 * Looks for broken invariants. Owns a statement for each of them; refuses to mend; proves G7, G9, G10 and G11 on a
 * database as it is.
 *
 * @module
 */
import type { Violation } from "../../queries.ts";
import type { Connection } from "../connection.ts";
import type { Check } from "./check.ts";
import { EVENT_CHECKS } from "./events.ts";
import { RUN_CHECKS } from "./runs.ts";
import { TASK_CHECKS } from "./tasks.ts";

export type { Check } from "./check.ts";

/** Every check. */
export const CHECKS: readonly Check[] = [...RUN_CHECKS, ...TASK_CHECKS, ...EVENT_CHECKS];

/** What the checks find, each in a short transaction of its own. */
export async function fsck(connection: Connection): Promise<Violation[]> {
  const violations: Violation[] = [];
  for (const check of CHECKS) {
    violations.push(...await connection.read(() => findAll(connection, check)));
  }
  return violations;
}

function findAll(connection: Connection, { name, sql, values = [], broken, message }: Check) {
  const found: Violation[] = [];
  for (const row of connection.each(sql, ...values)) {
    if (broken !== undefined && !broken(row)) continue;
    found.push({ check: name, id: row.id as string, message: message(row) });
  }
  return found;
}
