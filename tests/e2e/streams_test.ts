import { assert, assertEquals } from "@std/assert";
import { LONG } from "../support/cli.ts";
import { needing } from "../support/capability.ts";
import { randomBytes, sha256 } from "../support/digest.ts";
import { report } from "../support/figures.ts";
import { HAS_PROC, isAlive, readLedger, residentBytes, SIGN_LEDGER } from "../support/processes.ts";
import { exists, Swarm, taskIn } from "../support/swarm.ts";

const MIB = 1_048_576;
/** What one read of a pipe may carry. */
const BUFFER_BYTES = 65_536;
/** A heap that is not collected yet is no leak; what would grow with the output would grow by far more. */
const FLAT_BYTES = 128 * MIB;

Deno.test({
  ...needing("skein run does not wait for a grandchild that holds the pipe, and ends it (G4)", {
    "/proc": HAS_PROC,
  }),
  async fn() {
    await using swarm = new Swarm();
    const below = `sh -c 'echo from below; ${SIGN_LEDGER}; sleep 300; :'`;
    const above = 'until test -s "$LEDGER"; do sleep 0.01; done; echo from above';
    const ids = ["child", "session"];
    const [child = "", session = ""] = ids.map((id) => swarm.path(id));
    swarm.manifest({
      child: { sh: `${below} &\n${above}`, env: [`LEDGER=${child}`] },
      session: { sh: `setsid ${below} &\n${above}`, env: [`LEDGER=${session}`] },
    }, { limits: { runTimeoutMs: 60_000 } });
    assertEquals((await swarm.run()).code, 0);
    for (const id of ids) assertEquals(swarm.read("output", id), "from below\nfrom above\n");
    const grandchildren = [child, session].flatMap(readLedger);
    assertEquals([grandchildren.length, grandchildren.filter(isAlive)], [2, []]);
  },
});

/** What a task puts where another's file is to be: `$OTHER` is a file of somebody else. */
const PLANTED: Readonly<Record<string, string>> = {
  "a link": "ln -s $OTHER",
  "a pipe": "mkfifo",
  "a folder": "mkdir",
  "another file": "cp $OTHER",
};

for (const [what, plant] of Object.entries(PLANTED)) {
  Deno.test(`skein run writes through nothing that a task has put at another's stream: ${what}`, async () => {
    await using swarm = new Swarm();
    swarm.write("other", "precious");
    const data = "$SKEIN_STATE_DIR/runs/$SKEIN_RUN_ID/data";
    const env = [`OTHER=${swarm.path("other")}`];
    swarm.manifest({
      a: { sh: `${plant} ${data}/b.1.stdout`, env },
      b: { sh: "echo b", needs: ["a"] },
      silent: { sh: `${plant} ${data}/c.1.stdout`, env },
      c: { sh: ":", needs: ["silent"] },
    }, { limits: { runTimeoutMs: 60_000 } });
    assertEquals((await swarm.run()).code, 3);
    const { tasks } = swarm.report();
    assertEquals(tasks.filter(({ status }) => status === "failed").map(({ id }) => id), ["b", "c"]);
    assertEquals(Deno.readTextFileSync(swarm.path("other")), "precious");
    assertEquals([exists(swarm.inRun("output/b")), exists(swarm.inRun("output/c"))], [
      false,
      false,
    ]);
  });

  // A copy that a task can make it can print as well.
  if (what === "another file") continue;
  Deno.test(`skein run reads nothing that a task has put at another's output: ${what}`, async () => {
    await using swarm = new Swarm();
    swarm.write("other", "secret");
    const output = "$SKEIN_STATE_DIR/runs/$SKEIN_RUN_ID/output/a";
    const env = [`OTHER=${swarm.path("other")}`];
    swarm.manifest({
      a: { sh: "echo a" },
      thief: { sh: `rm ${output}; ${plant} ${output}`, needs: ["a"], env },
      b: { sh: "cat", needs: ["a", "thief"], stdinFrom: "a" },
    }, { limits: { runTimeoutMs: 60_000 } });
    const { code } = await swarm.run();
    assertEquals([code, taskIn(swarm.report(), "b").status], [3, "failed"]);
    assert(!exists(swarm.inRun("output/b")));
  });
}

/** Runs to the end and samples the orchestrator's memory. */
async function runSampled(swarm: Swarm): Promise<{ first: number; most: number; samples: number }> {
  const running = swarm.start(["run", "swarm.json"]);
  const sizes: number[] = [];
  let over = false;
  running.result.then(() => over = true);
  while (!over) {
    const bytes = exists(`${swarm.state}/runs`) ? residentBytes(running.pid) : null;
    if (bytes !== null) sizes.push(bytes);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return { first: sizes[0] ?? 0, most: Math.max(...sizes), samples: sizes.length };
}

for (const limitMiB of [10, LONG ? 1024 : 256]) {
  const limit = limitMiB * MIB;
  Deno.test({
    ...needing(`skein run kills a pass beyond ${limitMiB} MiB of output, in flat memory (G12)`, {
      "/proc": HAS_PROC,
    }),
    async fn() {
      await using swarm = new Swarm();
      swarm.manifest({ a: { sh: "yes | head -c 5368709120" } }, {
        limits: { maxOutputBytes: limit },
      });
      const { first, most, samples } = await runSampled(swarm);
      const { reason, output } = taskIn(swarm.report(), "a");
      assertEquals([reason, output], ["TASK_FAILED_OUTPUT_LIMIT", null]);
      const { size } = Deno.statSync(swarm.inRun("data", "a.1.stdout"));
      assert(size <= limit + BUFFER_BYTES, `the file has ${size} bytes`);
      assert(size >= limit - BUFFER_BYTES, `the file has only ${size} bytes`);
      assert(most - first < FLAT_BYTES, `memory grew from ${first} to ${most} bytes`);
      const inMiB = (bytes: number) => (bytes / MIB).toFixed(1);
      report(
        `limit ${limitMiB} MiB: file ${size} bytes, memory ${inMiB(first)} → at most ` +
          `${inMiB(most)} MiB in ${samples} samples`,
      );
    },
  });
}

Deno.test("skein run counts both streams of a pass against the limit (G12)", async () => {
  await using swarm = new Swarm();
  const sh = "head -c 3000 /dev/zero; head -c 3000 /dev/zero >&2";
  swarm.manifest({ a: { sh } }, { limits: { maxOutputBytes: 5000 } });
  assertEquals((await swarm.run()).report.tasks[0]?.reason, "TASK_FAILED_OUTPUT_LIMIT");
  swarm.manifest({ a: { sh } }, { limits: { maxOutputBytes: 6000 } });
  assertEquals((await swarm.run()).code, 0);
});

/** Lists the open files of the process itself: the three streams, and the folder that it reads for this. */
const LIST_FILES = ["ls", "/proc/self/fd"];
/** A caller that has left a file open. */
const OPEN_ANOTHER = 'exec 9</dev/zero; exec "$@"';

Deno.test({
  ...needing("skein run opens nothing to a task but its three streams (G6)", {
    "/proc": HAS_PROC,
  }),
  async fn() {
    await using swarm = new Swarm();
    // Several at the same time: one's pipes must not be seen by the others.
    const drafts = Array.from(
      { length: 12 },
      (_, i) => [`t${i}`, { argv: LIST_FILES, stdin: "x" }],
    );
    swarm.manifest(Object.fromEntries(drafts), { workers: 4 });
    const through = ["bash", "-c", OPEN_ANOTHER, "bash"];
    assertEquals((await swarm.skein(["run", "swarm.json"], { through })).code, 0);
    for (const { id } of swarm.report().tasks) {
      assertEquals(swarm.read("output", id), "0\n1\n2\n3\n");
    }
  },
});

Deno.test("skein run carries 20 MB through passes and tasks unchanged (G5)", async () => {
  await using swarm = new Swarm();
  const bytes = randomBytes(20_000_000);
  swarm.write("input.bin", bytes);
  swarm.manifest({
    a: { argv: ["cat"], passes: 3, stdinFile: "input.bin" },
    b: { argv: ["cat"], needs: ["a"], stdinFrom: "a" },
  });
  const { code, report } = await swarm.run();
  assertEquals(code, 0);
  const expected = await sha256(bytes);
  for (const id of ["a", "b"]) {
    assertEquals(await sha256(Deno.readFileSync(swarm.inRun("output", id))), expected);
    assertEquals(taskIn(report, id).outputBytes, bytes.length);
  }
});

Deno.test("skein run keeps bytes that are no text, and a text of the manifest as UTF-8", async () => {
  await using swarm = new Swarm();
  swarm.manifest({
    bytes: { sh: "printf '\\000\\377\\200\\r\\n\\032'; printf '\\376' >&2" },
    text: { argv: ["cat"], stdin: "é 漢 😀\n\n" },
  });
  assertEquals((await swarm.run()).code, 0);
  const bytes = Deno.readFileSync(swarm.inRun("output", "bytes"));
  assertEquals([...bytes], [0, 255, 128, 13, 10, 26]);
  assertEquals([...Deno.readFileSync(swarm.inRun("data", "bytes.1.stderr"))], [254]);
  assertEquals(swarm.read("output", "text"), "é 漢 😀\n\n");
});

Deno.test("skein run lets a task leave its input unread", async () => {
  await using swarm = new Swarm();
  swarm.write("input.bin", new Uint8Array(20_000_000));
  swarm.manifest({
    some: { sh: "head -c 10", stdinFile: "input.bin" },
    none: { sh: "exec < /dev/null; sleep 0.1; echo fine", stdinFile: "input.bin" },
    deaf: { sh: "echo fine", stdinFile: "input.bin" },
    text: { sh: "exec < /dev/null; echo fine", stdin: "x".repeat(1_000_000) },
  });
  const { code, report } = await swarm.run();
  assertEquals(code, 0, JSON.stringify(report.tasks));
  assertEquals(taskIn(report, "some").outputBytes, 10);
  for (const id of ["none", "deaf", "text"]) assertEquals(swarm.read("output", id), "fine\n");
});

Deno.test("skein run publishes an empty file for a task that writes nothing (G5)", async () => {
  await using swarm = new Swarm();
  swarm.manifest({
    quiet: { argv: ["true"] },
    next: { sh: "wc -c", needs: ["quiet"], stdinFrom: "quiet" },
  });
  const { code, report } = await swarm.run();
  assertEquals(code, 0);
  assertEquals(Deno.statSync(swarm.inRun("output", "quiet")).size, 0);
  assertEquals([taskIn(report, "quiet").output, taskIn(report, "quiet").outputBytes], [
    "output/quiet",
    0,
  ]);
  assertEquals(swarm.read("output", "next").trim(), "0");
});
