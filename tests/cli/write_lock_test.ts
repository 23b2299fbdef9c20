import { assertEquals } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { holderIn, writerOf } from "../../src/cli/write_lock.ts";
import { temporaryFolder } from "../support/cli.ts";
import { needing } from "../support/capability.ts";
import { HAS_PROC } from "../support/processes.ts";

const LOCKS = [
  "1: POSIX  ADVISORY  READ 11 fd:01:42 120 120",
  "2: FLOCK  ADVISORY  WRITE 12 fd:01:42 0 EOF",
  "3: POSIX  ADVISORY  WRITE 13 fd:01:42 123 127",
  "4: POSIX  ADVISORY  WRITE 14 fd:02:42 120 120",
  "5: -> POSIX  ADVISORY  WRITE 15 fd:01:42 120 120",
].join("\n");

Deno.test("holderIn() finds whoever has locked the very byte of the very file to write", () => {
  assertEquals(holderIn(LOCKS, "fd:01:42"), null);
  const line = (pid: string, range: string) =>
    `${LOCKS}\n6: POSIX  ADVISORY  WRITE ${pid} fd:01:42 ${range}\n`;
  assertEquals(holderIn(line("16", "120 120"), "fd:01:42"), 16);
  assertEquals(holderIn(line("16", "0 EOF"), "fd:01:42"), 16);
  assertEquals(holderIn(line("16", "121 121"), "fd:01:42"), null);
  for (const hidden of ["-1", "0"]) {
    assertEquals(holderIn(line(hidden, "120 120"), "fd:01:42"), null);
  }
});

Deno.test({
  ...needing(
    "writerOf() names the process that holds a database's write lock, as long as it does",
    {
      "/proc": HAS_PROC,
    },
  ),
  fn() {
    using folder = temporaryFolder();
    const path = `${folder.path}/queue.db`;
    assertEquals(writerOf(path), null);
    using database = new DatabaseSync(path);
    database.exec("PRAGMA journal_mode = WAL; CREATE TABLE t (a INTEGER) STRICT");
    assertEquals(writerOf(path), null);
    database.exec("BEGIN IMMEDIATE");
    assertEquals(writerOf(path), Deno.pid);
    database.exec("ROLLBACK");
    assertEquals(writerOf(path), null);
  },
});
