import { assert, assertEquals, assertRejects } from "@std/assert";
import {
  Fence,
  latchStop,
  lookAtStop,
  prepareStateDir,
  readFence,
  resetLatch,
  type ResetResult,
} from "../../src/fence/mod.ts";
import { StoppedError } from "../../src/model/mod.ts";
import { namesIn, withFolder } from "../disk/folder.ts";
import { draft, ENTRANT, NO_PROCESSES } from "./swarm.ts";

const SIZE = 256 * 1024;

function run(program: string, args: string[]): boolean {
  try {
    return new Deno.Command(program, { args, stdout: "null", stderr: "null" }).outputSync().success;
  } catch {
    return false;
  }
}

function mount(folder: string): boolean {
  return run("mount", ["-t", "tmpfs", "-o", `size=${SIZE}`, "tmpfs", folder]);
}

const CAN_MOUNT = Deno.build.os === "linux" && await canMount();

async function canMount(): Promise<boolean> {
  let mounted = false;
  await withFolder((folder) => {
    mounted = mount(folder);
    if (mounted) run("umount", [folder]);
  });
  return mounted;
}

/** A test on a small disk of its own, in a state directory that is ready for use. */
function testOnSmallDisk(name: string, use: (stateDir: string) => Promise<void>): void {
  Deno.test({
    name: `${name} [needs to mount a tmpfs]`,
    ignore: !CAN_MOUNT,
    fn: async () => {
      await withFolder(async (folder) => {
        const disk = `${folder}/disk`;
        Deno.mkdirSync(disk);
        assert(mount(disk));
        try {
          prepareStateDir(`${disk}/state`);
          await use(`${disk}/state`);
        } finally {
          run("umount", [disk]);
        }
      });
    },
  });
}

/** Fills the disk to its last byte; the answer frees it. */
function fill(stateDir: string): () => void {
  const path = `${stateDir}/filler`;
  using file = Deno.openSync(path, { write: true, createNew: true });
  for (let size = 4096; size > 0; size >>= 1) {
    try {
      for (;;) file.writeSync(new Uint8Array(size));
    } catch {
      // Smaller pieces may still fit.
    }
  }
  return () => Deno.removeSync(path);
}

function reset(stateDir: string): Promise<ResetResult> {
  return resetLatch(stateDir, { wanted: null, force: false }, 0, NO_PROCESSES);
}

testOnSmallDisk(
  "latchStop() on a full disk latches through STOP.spare, with its record, twice (G1)",
  async (stateDir) => {
    for (const epoch of [2, 3]) {
      const free = fill(stateDir);
      const stopped = await latchStop(stateDir, draft(`full ${epoch} – ü`));
      assertEquals([stopped.epoch, stopped.first, stopped.epochWritten], [epoch, true, false]);
      const { record, problem } = readFence(stateDir);
      assertEquals([record?.reason, record?.epoch, problem], [`full ${epoch} – ü`, epoch, null]);
      await assertRejects(() => Fence.enter(stateDir, ENTRANT), StoppedError);
      assertEquals(await reset(stateDir), { kind: "unwritable" });
      assert(readFence(stateDir).stopped);
      free();
      assertEquals(await reset(stateDir), { kind: "reset", epoch });
      const fence = await Fence.enter(stateDir, ENTRANT);
      assertEquals(fence.epoch, epoch);
      fence.close();
    }
    assertEquals(namesIn(stateDir).filter((name) => name.startsWith(".")), []);
  },
);

testOnSmallDisk(
  "latchStop() on a full disk without STOP.spare latches by an empty STOP (G1)",
  async (stateDir) => {
    Deno.removeSync(`${stateDir}/STOP.spare`);
    const free = fill(stateDir);
    const stopped = await latchStop(stateDir, draft("full"));
    assertEquals([stopped.epoch, stopped.first, stopped.epochWritten], [0, true, false]);
    const look = lookAtStop(stateDir);
    assert(look.at === "something" && look.record === null && look.problem === null);
    free();
    assertEquals(await reset(stateDir), { kind: "reset", epoch: 2 });
  },
);

testOnSmallDisk(
  "latchStop() on a full disk with a reason that the spare has no room for latches by an empty STOP (G1)",
  async (stateDir) => {
    const free = fill(stateDir);
    const stopped = await latchStop(stateDir, draft("long ".repeat(2000)));
    assertEquals([stopped.epoch, stopped.first], [0, true]);
    free();
    assertEquals(await reset(stateDir), { kind: "reset", epoch: 2 });
  },
);

testOnSmallDisk(
  "latchStop() on a full disk stays set when STOP.lock is not to be had either (G1)",
  async (stateDir) => {
    Deno.removeSync(`${stateDir}/STOP.lock`);
    Deno.mkdirSync(`${stateDir}/STOP.lock`);
    const free = fill(stateDir);
    const first = await latchStop(stateDir, draft("one"));
    const second = await latchStop(stateDir, draft("two"));
    assertEquals([first.epoch, first.first, second.epoch, second.first], [0, true, 0, false]);
    assert(first.identity !== second.identity);
    free();
  },
);
