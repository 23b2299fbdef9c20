import { assert, assertEquals, assertFalse, assertThrows } from "@std/assert";
import { openLockLibrary, tryLock, tryLockThrough } from "../../src/disk/try_lock.ts";
import { SkeinError } from "../../src/model/mod.ts";
import { needing } from "../support/capability.ts";
import { CONFIG } from "../support/cli.ts";
import { startModule, withFolder } from "./folder.ts";

const EXCLUSIVE = true;
const SHARED = false;

const library = openLockLibrary();
const throughLibrary = tryLockThrough(library);
const needs = { "the C library of Linux": library !== null };

function open(path: string): Deno.FsFile {
  return Deno.openSync(path, { read: true, write: true, create: true });
}

Deno.test(
  needing("tryLock() through the C library takes the very locks of the runtime", needs),
  async () => {
    await withFolder((folder) => {
      const path = `${folder}/LOCK`;
      {
        using own = open(path);
        using other = open(path);
        assert(throughLibrary(own, EXCLUSIVE));
        assertFalse(other.tryLockSync(SHARED));
        assertFalse(throughLibrary(other, EXCLUSIVE));
      }
      using shared = open(path);
      using beside = open(path);
      using alone = open(path);
      assert(throughLibrary(shared, SHARED));
      assert(beside.tryLockSync(SHARED));
      assertFalse(throughLibrary(alone, EXCLUSIVE));
    });
  },
);

Deno.test(
  needing("tryLock() through the C library finds the right one of many open files", needs),
  async () => {
    await withFolder((folder) => {
      const files = Array.from({ length: 40 }, (_, index) => open(`${folder}/${index}`));
      try {
        for (const [index, file] of files.entries()) {
          file.seekSync(index, Deno.SeekMode.Start);
          assert(throughLibrary(file, EXCLUSIVE));
          using again = open(`${folder}/${index}`);
          assertFalse(again.tryLockSync(EXCLUSIVE), `file ${index}`);
          assertEquals(file.seekSync(0, Deno.SeekMode.Current), index, "it stands where it stood");
          const next = `${folder}/${index + 1}`;
          if (index + 1 === files.length) continue;
          using free = open(next);
          assert(free.tryLockSync(EXCLUSIVE), `file ${index + 1} is not locked yet`);
        }
      } finally {
        for (const file of files) file.close();
      }
    });
  },
);

Deno.test(
  needing("tryLock() through the C library works where the permission has been given up", needs),
  async () => {
    await withFolder(async (folder) => {
      const child = startModule(CONFIG, "./try_lock_narrowed.ts", [`${folder}/LOCK`]);
      await child.stdin.close();
      const { code, stdout } = await child.output();
      assertEquals([code, new TextDecoder().decode(stdout)], [0, "true,false"]);
    });
  },
);

Deno.test("tryLock() refuses where there is neither a lock to be tried nor a C library (G1)", async () => {
  await withFolder((folder) => {
    using file = open(`${folder}/LOCK`);
    const error = assertThrows(
      () => tryLockThrough(null)(file, EXCLUSIVE),
      SkeinError,
      "cannot try a lock without waiting for it",
    );
    assertEquals(error.next, "Run Skein on Deno 2.7.1 or later");
  });
});

Deno.test("tryLock() is the runtime's own where it has one", async () => {
  await withFolder((folder) => {
    using file = open(`${folder}/LOCK`);
    let asked: boolean | undefined;
    file.tryLockSync = (exclusive) => (asked = exclusive ?? false, true);
    assert(tryLock(file, EXCLUSIVE));
    assertEquals(asked, EXCLUSIVE);
  });
});
