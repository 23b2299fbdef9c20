import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { eventually } from "../support/cli.ts";
import { needing, succeeds } from "../support/capability.ts";
import { exists, Swarm } from "../support/swarm.ts";

const DISK_BYTES = 2_097_152;

/** A small disk of memory, taken off again at the end of a `using` block. */
class SmallDisk implements Disposable {
  readonly path: string = Deno.makeTempDirSync({ prefix: "skein-disk-" });

  constructor() {
    const options = `size=${DISK_BYTES},mode=0700`;
    if (succeeds("mount", "-t", "tmpfs", "-o", options, "tmpfs", this.path)) return;
    Deno.removeSync(this.path);
    throw new Error(`Cannot mount a disk of memory at "${this.path}"`);
  }

  /** Takes all the room that is left, and gives it back. */
  fill(): Disposable {
    const path = `${this.path}/filler`;
    using file = Deno.openSync(path, { write: true, createNew: true });
    for (let size = 65_536; size >= 1; size = size / 2) {
      const bytes = new Uint8Array(size);
      try {
        for (;;) file.writeSync(bytes);
      } catch {
        // No more of that size.
      }
    }
    return { [Symbol.dispose]: () => Deno.removeSync(path) };
  }

  [Symbol.dispose](): void {
    succeeds("umount", "--lazy", this.path);
    Deno.removeSync(this.path);
  }
}

function canMount(): boolean {
  try {
    using _disk = new SmallDisk();
    return true;
  } catch {
    return false;
  }
}

const NEEDS = { mount: canMount() };
const FULL = /No space left on device/;

Deno.test({
  ...needing(
    "skein run fails on a full disk with the path and the reason; stop latches (G1, G5)",
    NEEDS,
  ),
  async fn() {
    using disk = new SmallDisk();
    await using swarm = new Swarm(`${disk.path}/state`);
    swarm.manifest({ large: { sh: `head -c ${2 * DISK_BYTES} /dev/zero` }, small: {} });
    const { code, stdout, stderr } = await swarm.skein(["run", "swarm.json"]);
    assert(code === 1 || code === 3, `exit code ${code}`);
    const said = `${stdout}${stderr}${
      exists(swarm.inRun("report.json")) ? swarm.read("report.json") : ""
    }`;
    assertStringIncludes(said, swarm.inRun());
    assert(FULL.test(said), said);
    assert(!exists(swarm.inRun("output", "large")), "what is not whole is not published");
    await assertLatchesAndRecovers(disk, swarm);
  },
});

Deno.test({
  ...needing("skein run does not start on a disk that is full already; stop latches (G1)", NEEDS),
  async fn() {
    using disk = new SmallDisk();
    await using swarm = new Swarm(`${disk.path}/state`);
    swarm.manifest({ a: { sh: `echo > '${swarm.path("ran")}'` } });
    assertEquals((await swarm.run()).code, 0);
    Deno.removeSync(swarm.path("ran"));
    const filler = disk.fill();
    const { code, stderr } = await swarm.skein(["run", "swarm.json"]);
    assertEquals(code, 1, stderr);
    assertStringIncludes(stderr, swarm.state);
    assert(FULL.test(stderr), stderr);
    assert(!exists(swarm.path("ran")), "nothing is started that could not be recorded");
    filler[Symbol.dispose]();
    await assertLatchesAndRecovers(disk, swarm);
  },
});

Deno.test({
  ...needing("skein stop on a full disk ends a run that goes on, and is proven (G1, G4)", NEEDS),
  async fn() {
    using disk = new SmallDisk();
    await using swarm = new Swarm(`${disk.path}/state`);
    const started = swarm.path("started");
    swarm.manifest({ a: { sh: `echo > '${started}'; sleep 60` }, b: { needs: ["a"] } });
    const running = swarm.start(["run", "swarm.json"]);
    await eventually("the task has started", () => exists(started));
    using _filler = disk.fill();
    const stop = await swarm.json("stop", "--reason", "full");
    assertEquals([stop.stopped, stop.proven], [true, true]);
    const { code, stderr } = await running.result;
    assert(code === 4 || code === 1, `exit code ${code}: ${stderr}`);
    if (code === 1) assert(FULL.test(stderr), stderr);
  },
});

/** On a disk without any room: stop latches; with room again the same folder works. */
async function assertLatchesAndRecovers(disk: SmallDisk, swarm: Swarm): Promise<void> {
  const filler = disk.fill();
  const stop = await swarm.skein(["stop", "--reason", "the disk is full"]);
  const { stopped, proven } = JSON.parse(stop.stdout);
  assertEquals([stop.code, stopped, proven], [0, true, true], stop.stdout);
  const status = await swarm.json("status");
  assertEquals([status.stopped, status.epoch, status.reason], [true, 2, "the disk is full"]);
  assertEquals((await swarm.skein(["run", "swarm.json"])).code, 4);
  const refused = await swarm.skein(["reset"]);
  assertEquals(refused.code, 1, "a reset that cannot raise EPOCH keeps the latch");
  assert((await swarm.json("status")).stopped);
  filler[Symbol.dispose]();
  for (const id of swarm.runIds()) {
    Deno.removeSync(`${swarm.state}/runs/${id}`, { recursive: true });
  }
  assertEquals(await swarm.json("reset"), { reset: true, stopped: false, epoch: 2 });
  swarm.manifest({ a: { sh: "echo again" } });
  const { code, report } = await swarm.run();
  assertEquals([code, report.epoch, swarm.read("output", "a")], [0, 2, "again\n"]);
}
