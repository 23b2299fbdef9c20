import { assert, assertEquals } from "@std/assert";
import { FileLock } from "../../src/disk/mod.ts";
import { needing, succeeds } from "../support/capability.ts";
import { eventually, LONG, skeinArgs } from "../support/cli.ts";
import { canChoosePids, IN_PID_NAMESPACE } from "../support/namespace.ts";
import { startNarrow } from "../support/narrow.ts";
import { HAS_PROC, isAlive, readLedger, SIGN_LEDGER, type Signed } from "../support/processes.ts";
import { writeSwappedImports } from "../support/swapped_imports.ts";
import { exists, type Running, Swarm, textOf } from "../support/swarm.ts";
import { ALL_KINDS, killOne, type KindName, SCRIPTS, startTrees } from "./trees.ts";

const ROUNDS = LONG ? 20 : 1;
const NEEDS = { "/proc": HAS_PROC, setsid: succeeds("setsid", "true") };
/** They stay who they are, so that all of them can be asked for. */
const STEADY = ALL_KINDS.filter((kind) => !kind.includes("every"));

Deno.test({
  ...needing("skein stop touches nothing of a run on another state directory (G4)", NEEDS),
  async fn() {
    await using stopped = new Swarm();
    await using other = new Swarm();
    await using neighbours = startTrees(other, STEADY);
    await neighbours.ledgers.complete(neighbours.over);
    const signed = neighbours.ledgers.signed().filter(isAlive);
    for (let round = 1; round <= ROUNDS; round++) {
      await using trees = startTrees(stopped, ALL_KINDS, { round });
      await trees.ledgers.complete(trees.over);
      const stop = await stopped.json("stop");
      assertEquals([stop.proven, signed.filter((one) => !isAlive(one))], [true, []]);
      await trees.ledgers.assertGone("the stopped run");
      await stopped.skein(["reset", "--force"]);
    }
    assertEquals(signed.filter((one) => !isAlive(one)), []);
    assert(!neighbours.over());
    neighbours.running.kill("SIGINT");
    assertEquals((await neighbours.running.result).code, 130, "it ended when it was asked to");
  },
});

/** Tasks that end in every way, each with something that it leaves. */
function siblings(ledger: string): Record<string, Record<string, unknown>> {
  const leave =
    `sh '${SCRIPTS}/spawn.sh' '${ledger}' setsid sh '${SCRIPTS}/sleeper.sh' '${ledger}'`;
  const task = (sh: string, block = {}) => ({ sh: `${leave}\n${sh}`, block });
  return {
    "ends": task("exit 0"),
    "fails": task("exit 7"),
    "is-killed": task("kill -9 $$"),
    "times-out": task("exec sleep 100", { timeoutMs: 500 }),
    "floods": task("exec yes"),
  };
}

/** How what a pass leaves is found. */
const WAYS = {
  "by adoption": null,
  "by a search": ["-A"],
  "by a search through ps, grep and kill": [
    "--allow-run=sh,ps,grep,kill",
    "--allow-read",
    "--allow-write",
    "--allow-env",
    "--allow-sys",
  ],
} as const;

for (const [way, flags] of Object.entries(WAYS)) {
  Deno.test({
    ...needing(`The end of a pass, found ${way}, touches nothing of a sibling (G4)`, NEEDS),
    async fn() {
      await using swarm = new Swarm();
      const kinds: KindName[] = [
        "setsid",
        "double fork",
        "env -i setsid, double fork",
        "ignore TERM",
      ];
      const others = swarm.path("others");
      await using trees = startTrees(swarm, kinds, {
        more: siblings(others),
        limits: { maxOutputBytes: 100_000 },
        flags: ["--sync"],
        ...flags === null ? {} : {
          start: () => {
            const args = [swarm.path("swarm.json"), swarm.state];
            return startNarrow(flags, "tests/trees/library.ts", args, swarm.folder);
          },
        },
      });
      await trees.ledgers.complete(trees.over);
      const names = Object.keys(siblings(others));
      await eventually("every sibling has ended", () => {
        const events = textOf(swarm.inRun("events.jsonl"));
        return trees.over() || names.every((name) => finished(events, name));
      }, 60_000);
      // The passes end one after another; each has killed what it left by the time that its task has finished.
      assert(!trees.over());
      assertEquals(readLedger(others).filter(isAlive), [], "what the siblings left is gone");
      assert(readLedger(others).length >= names.length, "they left something");
      const steady = trees.ledgers.alive();
      for (const kind of kinds) {
        const expected = {
          "setsid": 3,
          "double fork": 3,
          "env -i setsid, double fork": 2,
          "ignore TERM": 3,
        };
        assertEquals(steady[kind]?.length, expected[kind as keyof typeof expected], kind);
      }
      trees.running.kill("SIGINT");
      assertEquals((await trees.running.result).code, 130);
    },
  });
}

function finished(events: string, taskId: string): boolean {
  return events.split("\n").some((line) =>
    line.includes(`"task-finished"`) && line.includes(`"taskId":"${taskId}"`)
  );
}

Deno.test({
  ...needing("A stop that a reset overtook kills nothing of the next epoch's run (G4)", NEEDS),
  async fn() {
    for (let round = 1; round <= ROUNDS; round++) {
      await using swarm = new Swarm();
      await using old = startTrees(swarm, STEADY, { round: 1 });
      await old.ledgers.complete(old.over);
      old.running.kill("SIGSTOP");
      // Frozen by hand between its latch and its kill.
      const slow = swarm.start(["stop", "--wait", "3000"], {
        importMap: writeSwappedImports(swarm.folder),
        env: { SKEIN_FAULT: "stop.lock-held#2:freeze" },
      });
      await using _slow = { [Symbol.asyncDispose]: () => endFrozen(slow) };
      await eventually("the slow stop has latched", () => hasLatched(swarm.state));
      slow.kill("SIGSTOP");
      assertEquals(await swarm.json("reset", "--force"), { reset: true, stopped: false, epoch: 2 });
      await old.ledgers.assertGone("the old epoch's run");
      await using next = startTrees(swarm, STEADY, { round: 2 });
      await next.ledgers.complete(next.over);
      const signed = next.ledgers.signed().filter(isAlive);
      slow.kill("SIGCONT");
      await eventually("it has killed what it wanted to", () => stateOf(slow.pid) === "T", 60_000);
      assertEquals(signed.filter((one) => !isAlive(one)), [], "nobody of the next epoch is killed");
      assert(!next.over());
      // Whoever reset has decided: the slow stop says that it was overtaken, and ends nothing.
      slow.kill("SIGCONT");
      const { code, stdout } = await slow.result;
      const { stopped, proven, problems } = JSON.parse(stdout);
      assertEquals([code, stopped, proven], [1, false, false]);
      assert(problems.some((problem: string) => problem.includes("overtaken")));
      assertEquals(
        signed.filter((one) => !isAlive(one)),
        [],
        "nobody of the next epoch is touched",
      );
      next.running.kill("SIGINT");
      assertEquals((await next.running.result).code, 130);
      await next.ledgers.assertGone("the next epoch's run, ended by its own user");
    }
  },
});

/** Whether a stop has latched and let go of the mutex: it waits for LOCK now. */
function hasLatched(state: string): boolean {
  if (!exists(`${state}/STOP`)) return false;
  const lock = FileLock.tryAcquire(`${state}/STOP.lock`, "exclusive");
  lock?.close();
  return lock !== null;
}

/** A frozen process hears nothing but KILL. */
async function endFrozen(running: Running): Promise<void> {
  killOne({ pid: running.pid, startTime: "" });
  await running.result;
}

function stateOf(pid: number): string {
  const text = textOf(`/proc/${pid}/stat`);
  return text.charAt(text.lastIndexOf(")") + 2);
}

/** A stranger: a process that nobody of the swarm has started. It ends by itself. */
async function stranger(swarm: Swarm): Promise<Signed & { readonly child: Deno.ChildProcess }> {
  const ledger = swarm.path("stranger");
  const child = new Deno.Command("sh", {
    args: ["-c", `${SIGN_LEDGER}; exec sleep 60`],
    env: { LEDGER: ledger },
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  await eventually("the stranger has signed", () => readLedger(ledger).length === 1);
  const [signed = { pid: 0, startTime: "" }] = readLedger(ledger);
  return { ...signed, child };
}

/** A record as the orchestrator leaves it, of another process. */
function recordOf(pid: number, startTime: string): string {
  const place = {
    bootId: Deno.readTextFileSync("/proc/sys/kernel/random/boot_id").trim(),
    pidNamespace: Deno.readLinkSync("/proc/self/ns/pid"),
  };
  return JSON.stringify({ process: { ...place, pid, startTime }, runId: "somebody", epoch: 1 });
}

Deno.test({
  ...needing(
    "skein stop does not signal who a holder's file names when nobody locks it (G4)",
    NEEDS,
  ),
  async fn() {
    await using swarm = new Swarm();
    await using trees = startTrees(swarm, ["setsid"]);
    await trees.ledgers.complete(trees.over);
    const { child, ...innocent } = await stranger(swarm);
    try {
      Deno.writeTextFileSync(
        `${swarm.state}/holders/left-behind`,
        recordOf(innocent.pid, innocent.startTime),
      );
      // A hung holder of LOCK makes the stop look at the holders in earnest.
      trees.running.kill("SIGSTOP");
      assert((await swarm.json("stop", "--wait", "100")).proven);
      await trees.ledgers.assertGone("the run");
      assert(isAlive(innocent), "the stranger lives");
    } finally {
      killOne(innocent);
      await child.status;
    }
  },
});

Deno.test({
  ...needing(
    "skein stop does not signal a pid whose start time is not the recorded one (G4)",
    NEEDS,
  ),
  async fn() {
    await using swarm = new Swarm();
    await using trees = startTrees(swarm, ["setsid"]);
    await trees.ledgers.complete(trees.over);
    const { child, ...innocent } = await stranger(swarm);
    const path = `${swarm.state}/holders/recycled`;
    Deno.writeTextFileSync(path, recordOf(innocent.pid, String(Number(innocent.startTime) - 1)));
    const { child: keeper, ...kept } = await keepLocked(swarm, path);
    try {
      trees.running.kill("SIGSTOP");
      const { proven, killed } = await swarm.json("stop", "--wait", "100");
      await trees.ledgers.assertGone("the run");
      assertEquals([proven, isAlive(innocent)], [true, true], `${killed} killed, not the stranger`);
      assert(!isAlive(kept), "whoever keeps the holder's file locked is killed");
    } finally {
      killOne(innocent);
      killOne(kept);
      await Promise.all([child.status, keeper.status]);
    }
  },
});

/** A process that keeps a holder's file locked: it has the descriptor, and nothing else of the swarm. */
async function keepLocked(swarm: Swarm, path: string) {
  const ledger = swarm.path("keeper");
  const script = `${SIGN_LEDGER.replace("$LEDGER", ledger)}; exec sleep 60`;
  const child = new Deno.Command("flock", {
    args: ["--no-fork", path, "sh", "-c", script],
    stdin: "null",
    stdout: "null",
    stderr: "null",
  }).spawn();
  await eventually("the file is locked", () => readLedger(ledger).length === 1);
  const lock = FileLock.tryAcquire(path, "exclusive");
  lock?.close();
  assert(lock === null, "the keeper holds it");
  const [signed = { pid: 0, startTime: "" }] = readLedger(ledger);
  return { ...signed, child };
}

/**
 * In a pid namespace of its own: a run whose orchestrator and leader are killed, two strangers that get their very
 * pids, then the command that must not touch them. Prints who is alive afterwards.
 */
const RECYCLING = `
ledger=$1 state=$2; shift 2
"$@" run swarm.json --state "$state" > /dev/null 2>&1 &
orchestrator=$!
tries=0
while [ ! -s "$ledger" ] && [ $tries -lt 6000 ]; do sleep 0.01; tries=$((tries + 1)); done
read -r leader _ < "$ledger"
kill -KILL $orchestrator
wait $orchestrator
kill -KILL $leader
while [ -e /proc/$leader ]; do sleep 0.01; done
for pid in $orchestrator $leader; do
  echo $((pid - 1)) > /proc/sys/kernel/ns_last_pid
  setsid sleep 60 > /dev/null 2>&1 &
  echo "wanted $pid got $!"
done
"$@" ps --kill latest --state "$state"
"$@" stop --state "$state"
for pid in $orchestrator $leader; do
  [ "$(tr '\\0' ' ' < /proc/$pid/cmdline)" = "sleep 60 " ] && echo "alive $pid"
done
`;

Deno.test({
  ...needing("skein stop and ps --kill touch nobody who got the pid of a dead process (G4)", {
    ...NEEDS,
    "a pid namespace whose next pid can be chosen": canChoosePids(),
  }),
  async fn() {
    await using swarm = new Swarm();
    const ledger = swarm.path("ledger");
    const sh = `${SIGN_LEDGER}\nsetsid sleep 60 &\nexec sleep 60`;
    swarm.manifest({ a: { sh } }, { env: [`LEDGER=${ledger}`] });
    const [program = "", ...words] = IN_PID_NAMESPACE;
    const command = [Deno.execPath(), ...skeinArgs([])];
    const { stdout, stderr } = await new Deno.Command(program, {
      args: [...words, "sh", "-c", RECYCLING, "sh", ledger, swarm.state, ...command],
      cwd: swarm.folder,
      stdin: "null",
    }).output();
    const decoder = new TextDecoder();
    const text = decoder.decode(stdout);
    const wanted = [...text.matchAll(/^wanted (\d+) got (\d+)$/gm)];
    assertEquals(wanted.length, 2, text + decoder.decode(stderr));
    for (const [, want, got] of wanted) {
      assertEquals(got, want, "the pid is recycled");
      assert(text.includes(`alive ${want}`), text);
    }
    assert(text.includes('"proven": true') || text.includes('"proven":true'), text);
  },
});
