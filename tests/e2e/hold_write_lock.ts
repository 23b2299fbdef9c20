/**
 * Holds the write lock of a database for so many milliseconds at a time, and lets go of it for a moment in between.
 *
 * @module
 */
import { DatabaseSync } from "node:sqlite";

const [path = "", holdMs = ""] = Deno.args;
const FREE_MS = 300;
const sleep = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

using database = new DatabaseSync(path, { timeout: 60_000 });
for (;;) {
  database.exec("BEGIN IMMEDIATE");
  Deno.stdout.writeSync(new TextEncoder().encode("held\n"));
  await sleep(Number(holdMs));
  database.exec("ROLLBACK");
  await sleep(FREE_MS);
}
