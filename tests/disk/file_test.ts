import { assert, assertEquals, assertFalse, assertThrows } from "@std/assert";
import { createOnce, hasCode, replaceFile } from "../../src/disk/mod.ts";
import { namesIn, withFolder } from "./folder.ts";
import type { Finish, Round } from "./race_worker.ts";

const RACERS = 4;
const ROUNDS = 60;

function race(worker: Worker, round: Round): Promise<Finish> {
  return new Promise((resolve, reject) => {
    worker.onmessage = ({ data }: MessageEvent<Finish>) => resolve(data);
    worker.onerror = (event) => reject(new Error(event.message));
    worker.postMessage(round);
  });
}

Deno.test("createOnce() has exactly one winner among racers, and nobody reads a part", async () => {
  const module = new URL("./race_worker.ts", import.meta.url);
  const workers = Array.from({ length: RACERS }, () => new Worker(module, { type: "module" }));
  try {
    await withFolder(async (folder) => {
      for (let round = 0; round < ROUNDS; round++) {
        const name = `file-${round}`;
        const texts = workers.map((_, racer) => `${racer}`.repeat(20_000));
        const finishes = await Promise.all(
          workers.map((worker, racer) => race(worker, { folder, name, text: texts[racer] ?? "" })),
        );
        const winners = finishes.flatMap(({ won }, racer) => won ? [racer] : []);
        assertEquals(winners.length, 1);
        for (const { read } of finishes) {
          assert(read === texts[winners[0] ?? -1], "a part was read");
        }
      }
      assertEquals(namesIn(folder).length, ROUNDS);
    });
  } finally {
    for (const worker of workers) worker.terminate();
  }
});

Deno.test("createOnce() leaves what has the name alone: a file, a folder, a dangling link", async () => {
  await withFolder((folder) => {
    Deno.writeTextFileSync(`${folder}/file`, "old");
    Deno.mkdirSync(`${folder}/folder`);
    Deno.symlinkSync("nowhere", `${folder}/link`);
    for (const name of ["file", "folder", "link"]) assertFalse(createOnce(folder, name, "new"));
    assertEquals(Deno.readTextFileSync(`${folder}/file`), "old");
    assertEquals(Deno.readLinkSync(`${folder}/link`), "nowhere");
    assertEquals(namesIn(folder), ["file", "folder", "link"]);
  });
});

Deno.test("replaceFile() replaces the whole text, with mode 0600", async () => {
  await withFolder((folder) => {
    replaceFile(folder, "EPOCH", "a long text\n");
    replaceFile(folder, "EPOCH", "1\n");
    assertEquals(Deno.readTextFileSync(`${folder}/EPOCH`), "1\n");
    assertEquals((Deno.statSync(`${folder}/EPOCH`).mode ?? 0) & 0o777, 0o600);
    assertEquals(namesIn(folder), ["EPOCH"]);
  });
});

Deno.test("replaceFile() leaves no temporary file and the old one untouched when it fails", async () => {
  await withFolder((folder) => {
    Deno.mkdirSync(`${folder}/EPOCH/inside`, { recursive: true });
    assertThrows(() => replaceFile(folder, "EPOCH", "1\n"));
    assertEquals(namesIn(folder), ["EPOCH"]);
    assertEquals(namesIn(`${folder}/EPOCH`), ["inside"]);
    assertThrows(() => replaceFile(`${folder}/missing`, "EPOCH", "1\n"), Deno.errors.NotFound);
  });
});

Deno.test("hasCode() tells the system's code, and nothing of what is no error", async () => {
  await withFolder((folder) => {
    Deno.mkdirSync(`${folder}/a/b`, { recursive: true });
    const error = assertThrows(() => Deno.removeSync(`${folder}/a`));
    assert(hasCode(error, "ENOTEMPTY"));
    assertFalse(hasCode(error, "ENOSPC"));
    assertFalse(hasCode({ code: "ENOTEMPTY" }, "ENOTEMPTY"));
  });
});
