import { assert, assertEquals, assertFalse, assertRejects } from "@std/assert";
import type { Clock } from "../../src/clock/mod.ts";
import { Fence, latchStop, readHolders } from "../../src/fence/mod.ts";
import { STOP_ASIDE } from "../../src/fence/state.ts";
import { FileLock } from "../../src/disk/mod.ts";
import { type Lease, SkeinError, StoppedError } from "../../src/model/mod.ts";
import { namesIn, withFolder } from "../disk/folder.ts";
import { draft, ENTRANT, epochText, LEASE, withState, writeStop } from "./swarm.ts";

/** Calls back with a run that has entered. */
async function withFence(use: (fence: Fence, stateDir: string) => void): Promise<void> {
  await withState(async (stateDir) => {
    const fence = await Fence.enter(stateDir, ENTRANT);
    try {
      use(fence, stateDir);
    } finally {
      fence.close();
    }
  });
}

const AT_STOP: Record<string, (path: string) => void> = {
  "an empty file": (path) => Deno.writeTextFileSync(path, ""),
  "a malformed file": (path) => Deno.writeTextFileSync(path, "{"),
  "a folder": (path) => Deno.mkdirSync(path),
  "a dangling link": (path) => Deno.symlinkSync("nowhere", path),
};

for (const [what, put] of Object.entries(AT_STOP)) {
  Deno.test(`Fence.enter() refuses while ${what} is at STOP, and creates nothing (G1)`, async () => {
    for (const name of ["STOP", STOP_ASIDE]) {
      await withFolder(async (stateDir) => {
        put(`${stateDir}/${name}`);
        const error = await assertRejects(() => Fence.enter(stateDir, ENTRANT), StoppedError);
        assertEquals(error.where, stateDir);
        assertEquals(namesIn(stateDir), [name]);
      });
    }
  });
}

Deno.test("Fence.enter() names the stop's reason", async () => {
  await withState(async (stateDir) => {
    writeStop(stateDir);
    const error = await assertRejects(() => Fence.enter(stateDir, ENTRANT), StoppedError);
    assertEquals(error.cause, "test");
  });
});

for (const text of ["", "0", "abc", "9007199254740992", "1\n\n", null]) {
  const what = text === null ? "a missing EPOCH" : `EPOCH ${JSON.stringify(text)}`;
  Deno.test(`Fence.enter() refuses ${what} as corrupt, and leaves no holder (G2)`, async () => {
    await withState(async (stateDir) => {
      Deno.removeSync(`${stateDir}/EPOCH`);
      if (text !== null) Deno.writeTextFileSync(`${stateDir}/EPOCH`, text);
      const error = await assertRejects(() => Fence.enter(stateDir, ENTRANT), SkeinError);
      assertEquals(error.code, "state-corrupt");
      assertEquals(error.where, `${stateDir}/EPOCH`);
      assertEquals(namesIn(`${stateDir}/holders`), []);
      using lock = FileLock.tryAcquire(`${stateDir}/LOCK`, "exclusive");
      assert(lock !== null);
    });
  });
}

Deno.test("Fence.enter() refuses an EPOCH that was lowered below its high-water copy (G2)", async () => {
  await withState(async (stateDir) => {
    Deno.writeTextFileSync(`${stateDir}/EPOCH.high`, "5\n");
    const error = await assertRejects(
      () => Fence.enter(stateDir, ENTRANT),
      SkeinError,
      "5 was used",
    );
    assertEquals(error.code, "state-corrupt");
    Deno.writeTextFileSync(`${stateDir}/EPOCH`, "5\n");
    (await Fence.enter(stateDir, ENTRANT)).close();
  });
});

Deno.test("Fence.enter() holds LOCK and an entry in holders/ until it is closed", async () => {
  await withState(async (stateDir) => {
    const fence = await Fence.enter(stateDir, ENTRANT);
    assertEquals(fence.epoch, 1);
    assertEquals(FileLock.tryAcquire(`${stateDir}/LOCK`, "exclusive"), null);
    const { live, problems } = readHolders(stateDir);
    assertEquals(live.map(({ record }) => record), [{ ...ENTRANT, epoch: 1 }]);
    assertEquals(problems, []);
    fence.close();
    assertEquals(namesIn(`${stateDir}/holders`), []);
    using lock = FileLock.tryAcquire(`${stateDir}/LOCK`, "exclusive");
    assert(lock !== null);
  });
});

Deno.test("Fence.enter() lets several runs in, each with its own entry", async () => {
  await withState(async (stateDir) => {
    const fences = await Promise.all([1, 2, 3].map(() => Fence.enter(stateDir, ENTRANT)));
    assertEquals(readHolders(stateDir).live.length, 3);
    assertEquals(new Set(fences.map((fence) => fence.swarm)).size, 1);
    for (const fence of fences) fence.close();
  });
});

Deno.test("Fence.enter() gives up waiting for LOCK as soon as something is at STOP (G1)", async () => {
  await withState(async (stateDir) => {
    using _alone = FileLock.tryAcquire(`${stateDir}/LOCK`, "exclusive");
    const entering = Fence.enter(stateDir, ENTRANT);
    writeStop(stateDir);
    await assertRejects(() => entering, StoppedError);
    assertEquals(namesIn(`${stateDir}/holders`), []);
  });
});

/** A clock that stands still until it is turned. */
class HandClock implements Clock {
  now = 0;
  wall = () => this.now;
  mono = () => this.now;
  sleep = () => Promise.resolve();
}

/** Longer than what the files said is trusted, in milliseconds. */
const LATER = 6;

Deno.test("Fence.check() passes only a lease of EPOCH while nothing is at STOP (G3)", async () => {
  await withState(async (stateDir) => {
    const clock = new HandClock();
    const fence = await Fence.enter(stateDir, { ...ENTRANT, clock });
    const check = (lease: Lease) => {
      clock.now += LATER;
      return fence.check(lease);
    };
    assert(check(LEASE));
    assertFalse(check({ ...LEASE, epoch: 2 }));
    assertFalse(check({ ...LEASE, taskId: "" }));
    Deno.writeTextFileSync(`${stateDir}/EPOCH`, "2\n");
    assertFalse(check(LEASE));
    Deno.writeTextFileSync(`${stateDir}/EPOCH`, "1\n");
    writeStop(stateDir);
    assertFalse(check(LEASE));
    assertFalse(fence.isClear());
    Deno.removeSync(`${stateDir}/STOP`);
    assert(fence.isClear());
    Deno.removeSync(`${stateDir}/EPOCH`);
    assertFalse(check(LEASE));
    fence.close();
  });
});

Deno.test("Fence.check() hears a stop at once, and a STOP that rings no bell some milliseconds later (G1)", async () => {
  for (const rings of [true, false]) {
    await withState(async (stateDir) => {
      const clock = new HandClock();
      const fence = await Fence.enter(stateDir, { ...ENTRANT, clock });
      clock.now += LATER;
      assert(fence.check(LEASE));
      assert(fence.check(LEASE));
      assertFalse(fence.check({ ...LEASE, epoch: 2 }), "a lease is judged however quiet it is");
      if (rings) await latchStop(stateDir, draft("test"));
      else writeStop(stateDir);
      assertEquals(fence.check(LEASE), !rings);
      clock.now += LATER;
      assertFalse(fence.check(LEASE));
      fence.close();
    });
  }
});

Deno.test("Fence.publish() looks at STOP itself after the rename, however quiet the bell is (G3)", async () => {
  await withFence((fence, stateDir) => {
    const [from, to] = [`${stateDir}/data`, `${stateDir}/output`];
    Deno.writeTextFileSync(from, "result");
    assert(fence.check(LEASE));
    writeStop(stateDir);
    assertEquals(fence.publish(LEASE, from, to), "withdrawn");
    assertEquals(Deno.readTextFileSync(from), "result");
  });
});

Deno.test("Fence.publish() renames under a good lease (G5)", async () => {
  await withFence((fence, stateDir) => {
    const [from, to] = [`${stateDir}/data`, `${stateDir}/output`];
    Deno.writeTextFileSync(from, "result");
    assertEquals(fence.publish(LEASE, from, to), "published");
    assertEquals(Deno.readTextFileSync(to), "result");
    assertFalse(namesIn(stateDir).includes("data"));
  });
});

Deno.test("Fence.publish() refuses under a late lease and while stopped, and touches nothing (G3)", async () => {
  await withFence((fence, stateDir) => {
    const [from, to] = [`${stateDir}/data`, `${stateDir}/output`];
    Deno.writeTextFileSync(from, "result");
    assertEquals(fence.publish({ ...LEASE, epoch: 2 }, from, to), "refused");
    writeStop(stateDir);
    assertEquals(fence.publish(LEASE, from, to), "refused");
    assertEquals(Deno.readTextFileSync(from), "result");
    assertFalse(namesIn(stateDir).includes("output"));
  });
});

Deno.test("Fence.publish() withdraws what lost the race, and gives the data file back (G3)", async () => {
  await withFence((fence, stateDir) => {
    // Publishing onto STOP is the one rename after which the second look must find something there.
    const [from, to] = [`${stateDir}/data`, `${stateDir}/STOP`];
    Deno.writeTextFileSync(from, "result");
    assertEquals(fence.publish(LEASE, from, to), "withdrawn");
    assertEquals(Deno.readTextFileSync(from), "result");
    assert(fence.isClear());
    assertEquals(epochText(stateDir), "1\n");
  });
});
