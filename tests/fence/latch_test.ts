import { assert, assertEquals, assertFalse, assertRejects, assertThrows } from "@std/assert";
import { FileLock } from "../../src/disk/mod.ts";
import { FenceDisk } from "../../src/fence/disk.ts";
import {
  currentEpoch,
  Fence,
  latchStop,
  lookAtStop,
  type ProcessControl,
  proveStop,
  readFence,
  resetLatch,
  type ResetRequest,
} from "../../src/fence/mod.ts";
import { reset } from "../../src/fence/protocol.ts";
import { STOP_ASIDE } from "../../src/fence/state.ts";
import { SkeinError, StoppedError } from "../../src/model/mod.ts";
import { namesIn, withFolder } from "../disk/folder.ts";
import {
  draft,
  ENTRANT,
  epochText,
  NO_PROCESSES,
  Stepper,
  SURVIVOR,
  withState,
  writeStop,
} from "./swarm.ts";

const PLAIN: ResetRequest = { wanted: null, force: false };
const FORCE: ResetRequest = { wanted: null, force: true };

function reasonAt(stateDir: string): string | undefined {
  const look = lookAtStop(stateDir);
  return look.at === "something" ? look.record?.reason : undefined;
}

function resetNow(stateDir: string, request = PLAIN): ReturnType<typeof resetLatch> {
  return resetLatch(stateDir, request, 0, NO_PROCESSES);
}

Deno.test("latchStop() makes STOP with the next epoch and raises EPOCH, with mode 0600 (G1)", async () => {
  await withState(async (stateDir) => {
    const stopped = await latchStop(stateDir, draft("why"));
    assertEquals([stopped.epoch, stopped.first, stopped.epochWritten], [2, true, true]);
    assertFalse(stopped.proven);
    assertEquals(epochText(stateDir), "2\n");
    assertEquals(Deno.readTextFileSync(`${stateDir}/EPOCH.high`), "2\n");
    assertEquals(reasonAt(stateDir), "why");
    for (const name of ["STOP", "STOP.lock", "EPOCH"]) {
      assertEquals((Deno.statSync(`${stateDir}/${name}`).mode ?? 0) & 0o777, 0o600);
    }
  });
});

Deno.test("latchStop() a second time keeps the first record, and raises nothing (G2)", async () => {
  await withState(async (stateDir) => {
    await latchStop(stateDir, draft("first"));
    const second = await latchStop(stateDir, draft("second"));
    assertEquals([second.epoch, second.first, second.epochWritten], [2, false, true]);
    assertEquals(reasonAt(stateDir), "first");
    assertEquals(epochText(stateDir), "2\n");
  });
});

Deno.test("latchStop() after one that died before EPOCH finishes its work (G2)", async () => {
  await withState(async (stateDir) => {
    writeStop(stateDir);
    const stopped = await latchStop(stateDir, draft("second"));
    assertEquals([stopped.epoch, stopped.first], [2, false]);
    assertEquals(epochText(stateDir), "2\n");
  });
});

Deno.test("latchStop() latches with epoch 0 over a corrupt EPOCH, and leaves that alone (G1, G2)", async () => {
  await withState(async (stateDir) => {
    Deno.writeTextFileSync(`${stateDir}/EPOCH`, "abc");
    const stopped = await latchStop(stateDir, draft("why"));
    assertEquals([stopped.epoch, stopped.first, stopped.epochWritten], [0, true, false]);
    assertEquals(epochText(stateDir), "abc");
    assertEquals(readFence(stateDir).stopped, Boolean(stopped));
  });
});

Deno.test("latchStop() latches with epoch 0 when STOP.lock is not to be had, and leaves EPOCH alone (G1, G2)", async () => {
  await withState(async (stateDir) => {
    {
      using _lock = FileLock.tryAcquire(`${stateDir}/STOP.lock`, "exclusive");
      const stopped = await latchStop(stateDir, draft("why"));
      assertEquals([stopped.epoch, stopped.first], [0, true]);
    }
    assertEquals(epochText(stateDir), "1\n");
    assertEquals(await resetNow(stateDir), { kind: "reset", epoch: 2 });
  });
});

Deno.test("latchStop() latches where STOP.lock cannot even be opened (G1)", async () => {
  await withState(async (stateDir) => {
    Deno.removeSync(`${stateDir}/STOP.lock`);
    Deno.mkdirSync(`${stateDir}/STOP.lock`);
    const stopped = await latchStop(stateDir, draft("why"));
    assertEquals([stopped.epoch, stopped.first], [0, true]);
    assertEquals(reasonAt(stateDir), "why");
    const error = await assertRejects(() => resetNow(stateDir), SkeinError);
    assertEquals([error.code, error.where], ["state-unusable", `${stateDir}/STOP.lock`]);
  });
});

Deno.test("latchStop() replaces the STOP that a stalled reset has read, so that it stays (G1)", async () => {
  await withState(async (stateDir) => {
    await latchStop(stateDir, draft("first"));
    const disk = new FenceDisk(stateDir, { waitMs: 0, actor: "reset", processes: NO_PROCESSES });
    const stalled = new Stepper(disk, reset(PLAIN));
    await stalled.until("remove-stop");
    const later = await latchStop(stateDir, draft("later"));
    assertEquals(later.epoch, 0);
    assertEquals(await stalled.finish(), { kind: "stopped-again" });
    disk.close();
    assertEquals(reasonAt(stateDir), "later");
    assertEquals(epochText(stateDir), "2\n");
    assertFalse(namesIn(stateDir).includes(STOP_ASIDE));
    assertEquals(await resetNow(stateDir), { kind: "reset", epoch: 3 });
  });
});

Deno.test("resetLatch() that died with STOP set aside leaves the latch set, and the next one clears it (G1)", async () => {
  await withState(async (stateDir) => {
    await latchStop(stateDir, draft("why"));
    Deno.renameSync(`${stateDir}/STOP`, `${stateDir}/${STOP_ASIDE}`);
    assertEquals(readFence(stateDir).record?.reason, "why");
    await assertRejects(() => Fence.enter(stateDir, ENTRANT), StoppedError);
    assertEquals(await resetNow(stateDir), { kind: "reset", epoch: 2 });
    assertEquals(lookAtStop(stateDir), { at: "nothing" });
  });
});

Deno.test("resetLatch() clears the STOP of a stop that came after a reset died with the one before set aside", async () => {
  await withState(async (stateDir) => {
    await latchStop(stateDir, draft("first"));
    Deno.renameSync(`${stateDir}/STOP`, `${stateDir}/${STOP_ASIDE}`);
    await latchStop(stateDir, draft("second"));
    assertEquals(reasonAt(stateDir), "second");
    assertEquals(await resetNow(stateDir), { kind: "reset", epoch: 3 });
    assertEquals(lookAtStop(stateDir), { at: "nothing" });
  });
});

Deno.test("resetLatch() and latchStop() together raise the epoch by one (G2)", async () => {
  await withState(async (stateDir) => {
    for (const epoch of [2, 3, 4]) {
      await latchStop(stateDir, draft("why"));
      assertEquals(await resetNow(stateDir), { kind: "reset", epoch });
      assertEquals(currentEpoch(stateDir), epoch);
      const fence = await Fence.enter(stateDir, ENTRANT);
      assertEquals(fence.epoch, epoch);
      fence.close();
    }
  });
});

Deno.test("resetLatch() counts an empty STOP as EPOCH + 1 (G2)", async () => {
  await withState(async (stateDir) => {
    Deno.writeTextFileSync(`${stateDir}/STOP`, "");
    assertEquals(await resetNow(stateDir), { kind: "reset", epoch: 2 });
  });
});

Deno.test("resetLatch() answers not-stopped where nothing is at STOP", async () => {
  await withState(async (stateDir) => {
    assertEquals(await resetNow(stateDir), { kind: "not-stopped", epoch: 1 });
  });
});

Deno.test("resetLatch() is refused while another reset or stop holds STOP.lock", async () => {
  await withState(async (stateDir) => {
    writeStop(stateDir);
    using _lock = FileLock.tryAcquire(`${stateDir}/STOP.lock`, "exclusive");
    assertEquals(await resetNow(stateDir), { kind: "busy", what: "reset" });
    assertEquals(reasonAt(stateDir), "test");
  });
});

Deno.test("resetLatch() is refused while anybody holds LOCK, and with force kills first (G4)", async () => {
  await withState(async (stateDir) => {
    writeStop(stateDir);
    const holder = FileLock.tryAcquire(`${stateDir}/LOCK`, "shared");
    assertEquals(await resetNow(stateDir), { kind: "busy", what: "holders" });
    assertEquals(await resetNow(stateDir, FORCE), { kind: "busy", what: "holders" });
    const kills: ProcessControl = {
      ...NO_PROCESSES,
      killHolders: () => Promise.resolve(holder?.close()),
    };
    assertEquals(await resetLatch(stateDir, FORCE, 0, kills), { kind: "reset", epoch: 2 });
  });
});

Deno.test("resetLatch() is refused while a sweep finds anything, and asks it to kill only with force (G4)", async () => {
  await withState(async (stateDir) => {
    writeStop(stateDir);
    for (const request of [PLAIN, FORCE]) {
      const asked: unknown[][] = [];
      const processes: ProcessControl = {
        ...SURVIVOR,
        sweep: (...question) => {
          asked.push(question);
          return SURVIVOR.sweep(...question);
        },
      };
      const result = await resetLatch(stateDir, request, 0, processes);
      assertEquals(result, { kind: "busy", what: "processes" });
      assertEquals(asked, [[Number.MAX_SAFE_INTEGER, request.force]]);
    }
    assertEquals(reasonAt(stateDir), "test");
    assertEquals(epochText(stateDir), "1\n");
  });
});

Deno.test("resetLatch() after a corrupt STOP needs an epoch above every one that was used (G2)", async () => {
  await withState(async (stateDir) => {
    Deno.writeTextFileSync(`${stateDir}/STOP`, "{");
    Deno.mkdirSync(`${stateDir}/runs/r1/leases`, { recursive: true });
    Deno.writeTextFileSync(`${stateDir}/runs/r1/leases/t.1.lease`, '{"epoch":6}');
    Deno.mkdirSync(`${stateDir}/runs/r2`);
    Deno.writeTextFileSync(`${stateDir}/runs/r2/report.json`, '{"epoch":7}');
    for (const wanted of [null, 1, 7]) {
      assertEquals((await resetNow(stateDir, { wanted, force: false })).kind, "refused");
      assert(readFence(stateDir).stopped);
    }
    const cleared = await resetNow(stateDir, { wanted: 8, force: false });
    assertEquals(cleared, { kind: "reset", epoch: 8 });
    assertEquals(epochText(stateDir), "8\n");
  });
});

Deno.test("resetLatch() mends an EPOCH that is corrupt or was lowered, above its high-water copy (G2)", async () => {
  await withState(async (stateDir) => {
    Deno.writeTextFileSync(`${stateDir}/EPOCH.high`, "5\n");
    for (const text of ["abc", "2\n"]) {
      Deno.writeTextFileSync(`${stateDir}/EPOCH`, text);
      assertEquals((await resetNow(stateDir, { wanted: 5, force: false })).kind, "refused");
    }
    const mended = await resetNow(stateDir, { wanted: 6, force: false });
    assertEquals(mended, { kind: "reset", epoch: 6 });
    (await Fence.enter(stateDir, ENTRANT)).close();
  });
});

Deno.test("resetLatch() keeps the latch when EPOCH cannot be written (G2)", async () => {
  await withState(async (stateDir) => {
    writeStop(stateDir);
    Deno.removeSync(`${stateDir}/EPOCH`);
    Deno.mkdirSync(`${stateDir}/EPOCH/inside`, { recursive: true });
    const result = await resetNow(stateDir, { wanted: 9, force: false });
    assertEquals(result, { kind: "unwritable" });
    assert(readFence(stateDir).stopped);
    assertEquals(namesIn(stateDir).filter((name) => name.startsWith(".")), []);
  });
});

Deno.test("resetLatch() never deletes a folder with content at STOP: it is kept beside", async () => {
  await withState(async (stateDir) => {
    for (const epoch of [2, 3]) {
      Deno.mkdirSync(`${stateDir}/STOP`);
      Deno.writeTextFileSync(`${stateDir}/STOP/precious`, `${epoch}`);
      const result = await resetNow(stateDir, { wanted: epoch, force: false });
      assertEquals(result, { kind: "reset", epoch });
      assertEquals(lookAtStop(stateDir), { at: "nothing" });
    }
    const kept = namesIn(stateDir).filter((name) => name.startsWith("STOP.kept-"));
    const texts = kept.map((name) => Deno.readTextFileSync(`${stateDir}/${name}/precious`));
    assertEquals(texts.sort(), ["2", "3"]);
  });
});

Deno.test("proveStop() proves with LOCK in hand and a conclusive sweep, of every older epoch (G4)", async () => {
  await withState(async (stateDir) => {
    const asked: unknown[] = [];
    const processes: ProcessControl = {
      killHolders: () => Promise.resolve(void asked.push("kill-holders")),
      sweep: (...question) => {
        asked.push(question, FileLock.tryAcquire(`${stateDir}/LOCK`, "shared"));
        return NO_PROCESSES.sweep(...question);
      },
    };
    assert((await proveStop(stateDir, draft("why"), 0, processes)).proven);
    assertEquals(asked, [[2, true], null]);
  });
});

Deno.test("proveStop() does not prove while a process is left or LOCK is held (G4)", async () => {
  await withState(async (stateDir) => {
    assertFalse((await proveStop(stateDir, draft("why"), 0, SURVIVOR)).proven);
    const fence = FileLock.tryAcquire(`${stateDir}/LOCK`, "shared");
    assertFalse((await proveStop(stateDir, draft("why"), 0, NO_PROCESSES)).proven);
    const kills: ProcessControl = {
      ...NO_PROCESSES,
      killHolders: () => Promise.resolve(fence?.close()),
    };
    assert((await proveStop(stateDir, draft("why"), 0, kills)).proven);
  });
});

Deno.test("proveStop() proves nothing of a latch that was cleared before the proof, and sets none again (G1)", async () => {
  await withState(async (stateDir) => {
    let sweeps = 0;
    const processes: ProcessControl = {
      ...NO_PROCESSES,
      sweep: (...question) => {
        if (++sweeps === 1) Deno.removeSync(`${stateDir}/STOP`);
        return NO_PROCESSES.sweep(...question);
      },
    };
    const stopped = await proveStop(stateDir, draft("why"), 0, processes);
    assertEquals([stopped.epoch, stopped.proven, stopped.overtaken, sweeps], [2, false, true, 1]);
    assert(!namesIn(stateDir).includes("STOP"), "whoever cleared it has decided");
  });
});

Deno.test("proveStop() proves the latch that has taken the place of its own (G1)", async () => {
  await withState(async (stateDir) => {
    let sweeps = 0;
    const processes: ProcessControl = {
      ...NO_PROCESSES,
      sweep: (...question) => {
        if (++sweeps === 1) Deno.writeTextFileSync(`${stateDir}/STOP`, "");
        return NO_PROCESSES.sweep(...question);
      },
    };
    const stopped = await proveStop(stateDir, draft("why"), 0, processes);
    assertEquals([stopped.proven, stopped.overtaken, sweeps], [true, false, 2]);
  });
});

Deno.test("proveStop() without a known epoch sweeps every epoch (G4)", async () => {
  await withState(async (stateDir) => {
    Deno.writeTextFileSync(`${stateDir}/EPOCH`, "abc");
    const asked: number[] = [];
    const processes: ProcessControl = {
      ...NO_PROCESSES,
      sweep: (below, kill) => {
        asked.push(below);
        return NO_PROCESSES.sweep(below, kill);
      },
    };
    const stopped = await proveStop(stateDir, draft("why"), 0, processes);
    assertEquals([stopped.epoch, stopped.proven], [0, true]);
    assertEquals(asked, [Number.MAX_SAFE_INTEGER]);
  });
});

Deno.test("readFence() and currentEpoch() say epoch 1 of a folder that is not there, and make none", async () => {
  await withFolder((folder) => {
    const status = { stopped: false, epoch: 1, record: null, problem: null };
    assertEquals(readFence(`${folder}/none`), status);
    assertEquals(currentEpoch(`${folder}/none`), 1);
    assertEquals(namesIn(folder), []);
  });
});

Deno.test("currentEpoch() is that of a valid STOP, even over a corrupt EPOCH, which alone is refused (G2)", async () => {
  await withState((stateDir) => {
    Deno.writeTextFileSync(`${stateDir}/EPOCH`, "abc");
    const error = assertThrows(() => currentEpoch(stateDir), SkeinError);
    assertEquals(error.code, "state-corrupt");
    writeStop(stateDir);
    assertEquals(currentEpoch(stateDir), 2);
    const { stopped, epoch, problem } = readFence(stateDir);
    assertEquals([stopped, epoch, typeof problem], [true, 2, "string"]);
  });
});

Deno.test("a lowered EPOCH survives no stop and reset: a person must name an epoch above all (G2)", async () => {
  await withState(async (stateDir) => {
    Deno.writeTextFileSync(`${stateDir}/EPOCH.high`, "4\n");
    Deno.writeTextFileSync(`${stateDir}/EPOCH`, "2\n");
    assertEquals((await latchStop(stateDir, draft("why"))).epoch, 0);
    const refused = await resetNow(stateDir);
    assertEquals(refused.kind, "refused");
    const { kind } = await resetLatch(stateDir, { wanted: 5, force: false }, 0, NO_PROCESSES);
    assertEquals([kind, epochText(stateDir)], ["reset", "5\n"]);
  });
});
