import { assert, assertEquals, assertRejects } from "@std/assert";
import { type Execution, processExecutor, type RunContext } from "../../src/engine/mod.ts";
import { SkeinError } from "../../src/model/mod.ts";
import { temporaryFolder } from "../support/cli.ts";
import { manifestOf } from "./graphs.ts";

/** The scripts are for a POSIX shell. */
const ignore = Deno.build.os === "windows";
const NEVER = new AbortController().signal;

function executionOf(folder: string, script: string, more: Partial<Execution> = {}): Execution {
  const manifest = manifestOf({
    env: ["A=manifest", "B=manifest", "C=manifest"],
    blocks: {
      sh: { argv: ["sh", "-c", script], cwd: folder, env: ["B=block", "C=block", "SKEIN_PASS=99"] },
    },
    tasks: [{ id: "a", block: "sh", args: ["zero", "one two"], env: ["C=task"] }],
  });
  const [task] = manifest.tasks;
  const block = manifest.blocks.sh;
  if (task === undefined || block === undefined) throw new Error("It has both");
  const run: RunContext = {
    runId: "run",
    epoch: 3,
    swarm: "swarm",
    stateDir: folder,
    ownsProcess: false,
    manifest,
  };
  return {
    lease: {
      runId: "run",
      taskId: "a",
      pass: 2,
      attempt: 4,
      epoch: 3,
      sequence: 7,
      issuedAt: "2026-11-29T17:45:25.000Z",
    },
    task,
    block,
    input: {
      path: null,
      bytes: () => Promise.resolve(new Uint8Array()),
      text: () => Promise.resolve(""),
    },
    output: { path: `${folder}/out`, errorPath: `${folder}/err`, write: () => {} },
    signal: NEVER,
    kill: NEVER,
    run,
    leaseHolds: () => true,
    ...more,
  };
}

function linesOf(path: string): string[] {
  return Deno.readTextFileSync(path).trimEnd().split("\n");
}

Deno.test({
  name: "processExecutor kills what it has just started when the lease holds no more (G3)",
  ignore,
  async fn() {
    using folder = temporaryFolder();
    let asked = 0;
    const leaseHolds = () => {
      asked++;
      return false;
    };
    const script = "sleep 300; : > late";
    const outcome = await processExecutor.execute(
      executionOf(folder.path, script, { leaseHolds }),
    );
    assertEquals([outcome.kind, asked], ["aborted", 1]);
    assertEquals([...Deno.readDirSync(folder.path)].map(({ name }) => name), []);
  },
});

Deno.test({
  name: "processExecutor tells a process its lease, and lets no manifest change that (G6)",
  ignore,
  async fn() {
    using folder = temporaryFolder();
    const { kind } = await processExecutor.execute(executionOf(folder.path, "env | sort"));
    assertEquals(kind, "succeeded");
    const own = linesOf(`${folder.path}/out`).filter((line) => line.startsWith("SKEIN_"));
    assertEquals(own.filter((line) => !line.startsWith("SKEIN_LINEAGE=")), [
      "SKEIN_ATTEMPT=4",
      "SKEIN_EPOCH=3",
      "SKEIN_PASS=2",
      "SKEIN_RUN_ID=run",
      "SKEIN_SEQUENCE=7",
      `SKEIN_STATE_DIR=${folder.path}`,
      "SKEIN_TASK_ID=a",
    ]);
    const lineage = own.find((line) => line.startsWith("SKEIN_LINEAGE=")) ?? "";
    assert(lineage.endsWith("/swarm/3/run/0/7/"), lineage);
  },
});

Deno.test({
  name: "processExecutor adds the environment of manifest, block and task in this order",
  ignore,
  async fn() {
    using folder = temporaryFolder();
    await processExecutor.execute(executionOf(folder.path, 'echo "$A $B $C"; echo "$0|$1"'));
    assertEquals(linesOf(`${folder.path}/out`), ["manifest block task", "zero|one two"]);
  },
});

Deno.test("processExecutor refuses an output in memory", async () => {
  const output = { path: null, errorPath: null, write: () => {} };
  const error = await assertRejects(
    async () => await processExecutor.execute(executionOf("/", "exit 0", { output })),
    SkeinError,
  );
  assertEquals(error.code, "usage");
});
