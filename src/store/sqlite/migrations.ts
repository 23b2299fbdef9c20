import { SkeinError } from "../../model/mod.ts";
import type { Connection } from "./connection.ts";
import { SCHEMA_0001 } from "./schema_0001.ts";

/** One step of the schema, forward only. */
export interface Migration {
  /** What it brings. */
  readonly name: string;
  /** Its statements. */
  readonly sql: string;
  /** The SHA-256 digest of its statements: what has been applied somewhere never changes. */
  readonly checksum: string;
}

/** Every step, in order. Their numbers are their places, from 1. */
export const MIGRATIONS: readonly Migration[] = [
  {
    name: "the queue",
    sql: SCHEMA_0001,
    checksum: "4ffadc1b9281dcaa0388a53f9202fff04e1e7caaf854f9fce48272556ae3079f",
  },
];

/** "Skei", as the file itself says whose it is. */
const APPLICATION_ID = 0x536b6569;

const LEDGER = `
CREATE TABLE migrations (
  version INTEGER NOT NULL PRIMARY KEY,
  name TEXT NOT NULL,
  checksum TEXT NOT NULL,
  applied_at INTEGER NOT NULL
) STRICT;
`;
const APPLIED = "SELECT version, name, checksum FROM migrations ORDER BY version";
const TABLES = "SELECT count(*) AS count FROM sqlite_schema";
const NOTE = "INSERT INTO migrations (version, name, checksum, applied_at) VALUES (?, ?, ?, ?)";

/**
 * How many steps a database has, -1 where it is empty. Changes nothing.
 *
 * @throws {SkeinError} `state-corrupt` where it is no database of Skein's or an applied step is not what it was;
 * `state-unusable` where a newer version made it.
 */
export function stepsOf(
  connection: Connection,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<number> {
  return connection.read(() => appliedTo(connection, migrations));
}

/** Brings a database to this version's schema, in one transaction. Throws what {@linkcode stepsOf} throws. */
export async function migrate(
  connection: Connection,
  migrations: readonly Migration[] = MIGRATIONS,
): Promise<void> {
  if (await stepsOf(connection, migrations) === migrations.length) return;
  await connection.write("migration", () => {
    // Another process may have been first.
    const from = appliedTo(connection, migrations);
    if (from < 0) {
      connection.script(`PRAGMA application_id = ${APPLICATION_ID};${LEDGER}`);
    }
    for (const [index, { name, sql, checksum }] of migrations.entries()) {
      if (index < from) continue;
      connection.script(sql);
      connection.change(NOTE, index + 1, name, checksum, connection.now());
    }
  });
}

function appliedTo(connection: Connection, migrations: readonly Migration[]): number {
  const { path } = connection;
  const mark = connection.get("PRAGMA application_id")?.application_id;
  if (mark !== APPLICATION_ID) {
    if (mark === 0 && connection.get(TABLES)?.count === 0) return -1;
    throw new SkeinError("state-corrupt", `Cannot use "${path}": it is no queue of Skein's`, {
      where: path,
      next: "Name another state directory, or move the file away",
    });
  }
  const applied = connection.all(APPLIED);
  for (const [index, { version, name, checksum }] of applied.entries()) {
    const known = migrations[index];
    if (known === undefined) throw newer(path, String(version), migrations.length);
    if (version === index + 1 && checksum === known.checksum) continue;
    throw new SkeinError(
      "state-corrupt",
      `Cannot use "${path}": its migration ${version}, "${name}", is not the one of this version`,
      { where: path, next: "Use the version of Skein that made it" },
    );
  }
  return applied.length;
}

function newer(path: string, version: string, known: number): SkeinError {
  return new SkeinError(
    "state-unusable",
    `Cannot use "${path}": its schema is ${version}, and this version knows up to ${known}`,
    { where: path, next: "Use the newer version of Skein that made it" },
  );
}
