import type { Connection } from "./connection.ts";

const HIGHEST = `
SELECT max(
  coalesce((SELECT value FROM meta WHERE name = 'epoch'), 0),
  coalesce((SELECT max(epoch) FROM runs WHERE state = 'queued'), 0),
  coalesce((SELECT max(epoch) FROM runs WHERE state = 'running'), 0)
) AS epoch`;
const RAISE = `
INSERT INTO meta (name, value) VALUES ('epoch', ?1)
ON CONFLICT (name) DO UPDATE SET value = ?1 WHERE value < ?1`;

/** The highest epoch that the store has seen. */
export function highestEpoch(connection: Connection): number {
  return Number(connection.get(HIGHEST)?.epoch ?? 0);
}

/** Raises it. */
export function raiseEpoch(connection: Connection, epoch: number): void {
  connection.change(RAISE, epoch);
}
