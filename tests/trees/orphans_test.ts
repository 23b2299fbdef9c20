import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { needing, succeeds } from "../support/capability.ts";
import { skeinArgs } from "../support/cli.ts";
import { canUnsharePids, IN_PID_NAMESPACE } from "../support/namespace.ts";
import { HAS_PROC, isAlive } from "../support/processes.ts";
import { Swarm } from "../support/swarm.ts";
import { ALL_KINDS, BARE_ORPHANS, type Ledgers, SCRIPTS, startTrees } from "./trees.ts";

const NEEDS = { "/proc": HAS_PROC, setsid: succeeds("setsid", "true") };
/** They stay who they are, and can be told without their orchestrator. */
const KINDS = ALL_KINDS.filter((kind) => !kind.includes("every") && !BARE_ORPHANS.includes(kind));

/** A row of `skein ps`. */
interface Row {
  readonly runId: string;
  readonly pid: number;
  readonly startTime: string;
  readonly orphan: boolean;
  readonly epoch: number;
}

async function list(swarm: Swarm): Promise<Row[]> {
  return await swarm.json("ps") as unknown as Row[];
}

function rowsOf(runId: string, ledgers: Ledgers, { orphan }: { orphan: boolean }): Row[] {
  return ledgers.signed().filter(isAlive).map((signed) => ({ runId, ...signed, orphan, epoch: 1 }));
}

function byRun(a: Row, b: Row): number {
  return a.runId < b.runId ? -1 : a.runId > b.runId ? 1 : a.pid - b.pid;
}

Deno.test({
  ...needing(
    "skein ps lists by run with orphans marked; --kill ends those of one run alone (G4)",
    NEEDS,
  ),
  async fn() {
    await using swarm = new Swarm();
    await using dead = startTrees(swarm, KINDS, { round: 1 });
    await dead.ledgers.complete(dead.over);
    const [deadRun = ""] = swarm.runIds();
    await using live = startTrees(swarm, KINDS, { round: 2 });
    await live.ledgers.complete(live.over);
    const liveRun = swarm.runIds().find((id) => id !== deadRun) ?? "";
    dead.running.kill("SIGKILL");
    await dead.running.result;

    const expected = [
      ...rowsOf(deadRun, dead.ledgers, { orphan: true }),
      ...rowsOf(liveRun, live.ledgers, { orphan: false }),
    ].sort(byRun);
    const rows = (await list(swarm)).map(({ runId, pid, startTime, orphan, epoch }) => {
      return { runId, pid, startTime, orphan, epoch };
    });
    assertEquals(rows.sort(byRun), expected);

    const runs = await swarm.json("runs") as unknown as { runId: string; status: string }[];
    const statuses = Object.fromEntries(runs.map(({ runId, status }) => [runId, status]));
    assertEquals(statuses, { [deadRun]: "interrupted", [liveRun]: "running" });

    const alive = live.ledgers.signed().filter(isAlive);
    const { code, stdout, stderr } = await swarm.skein(["ps", "--kill", deadRun]);
    const answer = JSON.parse(stdout);
    assertEquals([code, answer.survivors, answer.failed], [0, [], []], stderr);
    assertEquals([answer.runId, answer.killed], [deadRun, expected.length / 2]);
    await dead.ledgers.assertGone("the killed run");
    assertEquals(alive.filter((one) => !isAlive(one)), [], "the other run lives");
    assertEquals((await list(swarm)).filter(({ runId }) => runId !== liveRun), []);
    assert(!live.over());
    live.running.kill("SIGINT");
    assertEquals((await live.running.result).code, 130);
    assertEquals(await list(swarm), []);
  },
});

/**
 * Leaves twenty orphans that end at once, waits until the process table has none of those that signed, and prints how
 * many it still has. The dead stay on it until they are reaped; one that is off it does not come back, so that what is
 * printed holds however slowly this script runs.
 */
const LEFT_BEHIND = `
listed() { while read -r pid start; do [ -e "/proc/$pid" ] && echo "$pid"; done < "$LEDGER" | wc -l; }
left=20
while [ $left -gt 0 ]; do
  sh '${SCRIPTS}/spawn.sh' "$LEDGER" sh '${SCRIPTS}/brief.sh' "$LEDGER"
  left=$((left - 1))
done
tries=0
while [ "$(wc -l < "$LEDGER")" -lt 40 ] || [ "$(listed)" -gt 0 ]; do
  tries=$((tries + 1)); [ $tries -gt 500 ] && break
  sleep 0.02
done
echo "signed $(wc -l < "$LEDGER"), listed $(listed), first $(tr '\\0' ' ' < /proc/1/cmdline)"
`;

Deno.test({
  ...needing("skein run as process 1 reaps what it inherits (G4)", {
    ...NEEDS,
    "a pid namespace": canUnsharePids(),
  }),
  async fn() {
    await using swarm = new Swarm();
    const ledger = swarm.path("ledger");
    swarm.manifest({ a: { sh: LEFT_BEHIND } }, { env: [`LEDGER=${ledger}`] });
    const [program = "", ...words] = IN_PID_NAMESPACE;
    const run = skeinArgs(["run", "swarm.json", "--state", swarm.state]);
    const { code, stderr } = await new Deno.Command(program, {
      args: [...words, Deno.execPath(), ...run],
      cwd: swarm.folder,
      stdin: "null",
    }).output();
    assertEquals(code, 0, new TextDecoder().decode(stderr));
    const output = swarm.read("output", "a");
    assertStringIncludes(output, "signed 40, listed 0, first ");
    assertStringIncludes(output, "main.ts run swarm.json", "Skein is process 1");
  },
});
