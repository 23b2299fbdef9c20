import { assert, assertEquals } from "@std/assert";
import type { Clock } from "../../src/clock/mod.ts";
import { FileLock } from "../../src/disk/mod.ts";
import { CONFIG } from "../support/cli.ts";
import { firstOutput, startModule, withFolder } from "./folder.ts";

/** A clock that only sleeping moves, by at least a millisecond. */
function turnedClock(): Clock & { slept: number } {
  return {
    slept: 0,
    wall() {
      return this.slept;
    },
    mono() {
      return this.slept;
    },
    sleep(ms: number) {
      this.slept += Math.max(ms, 1);
      return Promise.resolve();
    },
  };
}

Deno.test("FileLock lets many share or one be alone", async () => {
  await withFolder((folder) => {
    const path = `${folder}/LOCK`;
    {
      using first = FileLock.tryAcquire(path, "shared");
      using second = FileLock.tryAcquire(path, "shared");
      assert(first !== null && second !== null);
      assertEquals(FileLock.tryAcquire(path, "exclusive"), null);
    }
    using alone = FileLock.tryAcquire(path, "exclusive");
    assert(alone !== null);
    assertEquals(FileLock.tryAcquire(path, "exclusive"), null);
    assertEquals(FileLock.tryAcquire(path, "shared"), null);
  });
});

Deno.test("FileLock.acquire() waits as long as it was told, and no longer", async () => {
  await withFolder(async (folder) => {
    using alone = FileLock.tryAcquire(`${folder}/LOCK`, "exclusive");
    assert(alone !== null);
    const clock = turnedClock();
    const never = () => false;
    const lock = await FileLock.acquire(`${folder}/LOCK`, "shared", 1000, never, clock);
    assertEquals(lock, null);
    assertEquals(clock.slept, 1000);
  });
});

Deno.test("FileLock.acquire() gives up when it is told to, and takes the lock when that is free", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/LOCK`;
    const clock = turnedClock();
    const holder = FileLock.tryAcquire(path, "exclusive");
    const giveUp = () => clock.slept >= 20;
    assertEquals(await FileLock.acquire(path, "shared", 1000, giveUp, clock), null);
    assertEquals(clock.slept, 20);
    holder?.close();
    using lock = await FileLock.acquire(path, "shared", 0, giveUp, clock);
    assert(lock !== null);
  });
});

Deno.test("FileLock is let go of by SIGKILL of the process that holds it", async () => {
  await withFolder(async (folder) => {
    const path = `${folder}/LOCK`;
    const child = startModule(CONFIG, "./hold_lock.ts", [path, "exclusive"]);
    try {
      assertEquals(await firstOutput(child), "held");
      assertEquals(FileLock.tryAcquire(path, "shared"), null);
    } finally {
      child.kill("SIGKILL");
      await child.status;
      await child.stdin.close().catch(() => {});
      await child.stdout.cancel();
    }
    using lock = FileLock.tryAcquire(path, "exclusive");
    assert(lock !== null);
  });
});
