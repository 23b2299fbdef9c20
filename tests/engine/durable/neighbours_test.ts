import { assert, assertEquals } from "@std/assert";
import { goneExecutors } from "../../../src/engine/durable/gone_executors.ts";
import { Scheduler } from "../../../src/engine/scheduler.ts";
import { killOrphans } from "../../../src/engine/tracked.ts";
import { Fence } from "../../../src/fence/mod.ts";
import { compileGraph } from "../../../src/manifest/mod.ts";
import { formatLineage, LINEAGE_VARIABLE } from "../../../src/model/mod.ts";
import { platform } from "../../../src/proc/mod.ts";
import type { ExecutorRow } from "../../../src/store/mod.ts";
import { eventually, temporaryFolder } from "../../support/cli.ts";
import { HAS_PROC } from "../../support/processes.ts";

/** A process that carries the marker of a pass. */
class Marked implements AsyncDisposable {
  readonly #child: Deno.ChildProcess;

  constructor(swarm: string, token: number, sequence: number) {
    const marker = formatLineage("", { swarm, epoch: 1, run: "r", token, sequence });
    this.#child = new Deno.Command("sleep", {
      args: ["300"],
      env: { [LINEAGE_VARIABLE]: marker },
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
  }

  get isAlive(): boolean {
    return platform.isAlive(platform.identify(this.#child.pid));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    try {
      this.#child.kill("SIGKILL");
    } catch {
      // It is gone.
    }
    await this.#child.status;
  }
}

Deno.test({
  name:
    "The end of a claim's run ends what carries its token, and nothing of another claim on the same run (G7)",
  ignore: !HAS_PROC,
  async fn() {
    const swarm = `test${crypto.randomUUID().replaceAll("-", "")}`;
    await using older = new Marked(swarm, 1, 1);
    await using newer = new Marked(swarm, 3, 2);
    const leftovers = platform.leftovers({ swarm, runId: "r", token: 1, adopt: false });
    await eventually("both are marked", () => older.isAlive && newer.isAlive);
    assertEquals(await leftovers.endRun(), []);
    assertEquals([older.isAlive, newer.isAlive], [false, true]);
  },
});

Deno.test({
  name:
    "killOrphans() leaves queued runs to their claimers while any worker lives, and ends them when none does",
  ignore: !HAS_PROC,
  async fn() {
    using folder = temporaryFolder();
    const state = Deno.realPathSync(folder.path);
    const worker = await Fence.enter(state, { process: platform.self(), runId: "" });
    await using queued = new Marked(worker.swarm, 4, 1);
    await using local = new Marked(worker.swarm, 0, 1);
    assertEquals((await killOrphans(state)).killed, 1);
    assertEquals([queued.isAlive, local.isAlive], [true, false]);
    worker.close();
    assertEquals((await killOrphans(state)).runs, ["r"]);
    assert(!queued.isAlive);
  },
});

Deno.test("goneExecutors() names whose holder file is free or away, never who is locked, and elsewhere who was silent", async () => {
  using folder = temporaryFolder();
  const state = Deno.realPathSync(folder.path);
  const worker = await Fence.enter(state, { process: platform.self(), runId: "" });
  const [alive] = Array.from(Deno.readDirSync(`${state}/holders`), ({ name }) => name);
  Deno.writeTextFileSync(`${state}/holders/crashed`, "");
  const row = (owner: string, more: Partial<ExecutorRow>): ExecutorRow => ({
    owner,
    host: "here",
    holderId: owner,
    process: platform.self(),
    epoch: 1,
    concurrency: 1,
    startedAt: 0,
    seenAt: 1_000,
    endedAt: null,
    drainRequestedAt: null,
    holds: 1,
    ...more,
  });
  const rows = [
    row("alive", { holderId: alive ?? "" }),
    row("alive-and-silent", { holderId: alive ?? "", seenAt: 0 }),
    row("crashed", {}),
    row("away", {}),
    row("ended", { endedAt: 5 }),
    row("elsewhere", { host: "there", seenAt: 901 }),
    row("elsewhere-and-silent", { host: "there", seenAt: 899 }),
  ];
  const gone = goneExecutors(rows, { stateDir: state, host: "here", silenceMs: 100 });
  assertEquals(gone.map(({ owner }) => owner), ["crashed", "away", "elsewhere-and-silent"]);
  worker.close();
});

Deno.test("Scheduler goes on where an earlier claim has left: what has ended stays, what it released is ready", () => {
  const graph = compileGraph([
    { id: "a", needs: [] },
    { id: "b", needs: ["a"] },
    { id: "c", needs: ["a", "d"] },
    { id: "d", needs: [] },
    { id: "e", needs: ["f"] },
    { id: "f", needs: [] },
    { id: "g", needs: ["c"] },
  ]);
  const ended = ["succeeded", null, null, null, "skipped", "failed", null] as const;
  const scheduler = new Scheduler(graph, 9, ended);
  assertEquals(scheduler.ended, 3);
  assertEquals([scheduler.next(), scheduler.next(), scheduler.next()], [1, 3, -1]);
  scheduler.settle(3, "succeeded", () => {});
  assertEquals([scheduler.next(), scheduler.next()], [2, -1]);
  scheduler.settle(2, "failed", (task) => assertEquals(task, 6));
  scheduler.settle(1, "succeeded", () => {});
  assert(scheduler.done);
});
