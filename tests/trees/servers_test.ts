import { assert, assertEquals } from "@std/assert";
import { ControlGroup, HAS_CGROUPS } from "../support/cgroup.ts";
import { needing, succeeds } from "../support/capability.ts";
import { eventually, LONG } from "../support/cli.ts";
import { report } from "../support/figures.ts";
import { exists, namesIn, type Running, Swarm, type TaskDraft, textOf } from "../support/swarm.ts";

const ROUNDS = LONG ? 20 : 1;
/** A server starts within this time, or the test says that it has not. */
const START_MS = 60_000;
const TIMEOUT_MS = 5000;

/** A program with processes of its own that overwrite their environment and leave their session. */
interface Server {
  /** Makes what it needs, in a folder that is used again. */
  prepare(folder: string): void;
  /** The words that start it. */
  argv(folder: string): string[];
  /** Whether it serves. */
  serves(folder: string): boolean;
}

const CHROMIUM = "/usr/bin/chromium";

const chromium: Server = {
  prepare: (folder) => {
    if (exists(`${folder}/profile`)) Deno.removeSync(`${folder}/profile`, { recursive: true });
  },
  argv: (folder) => [
    CHROMIUM,
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    `--user-data-dir=${folder}/profile`,
    "--remote-debugging-port=0",
    "about:blank",
  ],
  serves: (folder) => exists(`${folder}/profile/DevToolsActivePort`),
};

/** PostgreSQL refuses to be root: it runs as somebody else then, and root must find and kill it all the same. */
const AS_USER = Deno.uid() === 0
  ? ["setpriv", "--reuid=nobody", "--regid=65534", "--clear-groups"]
  : [];

const postgres: Server = {
  prepare(folder) {
    if (!exists(`${folder}/data`)) {
      Deno.mkdirSync(`${folder}/data`, { mode: 0o700 });
      if (AS_USER.length > 0) Deno.chownSync(`${folder}/data`, 65534, 65534);
      const [program = "", ...args] = [...AS_USER, "initdb", "-D", `${folder}/data`, "-A", "trust"];
      assert(succeeds(program, ...args, "--no-sync"), "initdb makes a database");
    }
    // A server that was killed leaves its lock files, and their pid may be somebody else's by now.
    for (const name of namesIn(`${folder}/data`)) {
      if (name === "postmaster.pid" || name.startsWith(".s.PGSQL")) {
        Deno.removeSync(`${folder}/data/${name}`);
      }
    }
  },
  argv: (folder) => {
    const settings = ["listen_addresses=", `unix_socket_directories=${folder}/data`, "fsync=off"];
    const flags = settings.flatMap((setting) => ["-c", setting]);
    return [...AS_USER, "postgres", "-D", `${folder}/data`, ...flags];
  },
  serves: (folder) => textOf(`${folder}/data/postmaster.pid`).includes("ready"),
};

const SERVERS: Readonly<Record<string, { server: Server; needs: Record<string, boolean> }>> = {
  "a headless Chromium": { server: chromium, needs: { chromium: exists(CHROMIUM) } },
  "a PostgreSQL server": {
    server: postgres,
    needs: {
      "postgres and initdb": succeeds("postgres", "--version") && succeeds("initdb", "--version"),
      "setpriv": AS_USER.length === 0 || succeeds("setpriv", "true"),
    },
  },
};

/** A way to end a run. */
interface Ending {
  /** What it is called. */
  readonly how: string;
  /** The time that the server has, where that is what ends it. */
  readonly timeoutMs?: number;
  /** Ends the run, checks how it has ended, and returns how long that took. */
  end(swarm: Swarm, running: Running): Promise<number>;
}

const ENDINGS: readonly Ending[] = [
  {
    how: "skein stop",
    async end(swarm, running) {
      const stop = await swarm.json("stop");
      assertEquals([stop.proven, stop.survivors, stop.problems], [true, 0, []]);
      assertEquals((await running.result).code, 4);
      assert((await swarm.json("reset")).reset);
      return Number(stop.elapsedMs);
    },
  },
  {
    how: "a timeout",
    timeoutMs: TIMEOUT_MS,
    async end(swarm, running) {
      const { code, stderr } = await running.result;
      assertEquals(code, 3, stderr);
      const { tasks, durationMs } = swarm.report();
      assertEquals(tasks[0]?.reason, "TASK_FAILED_TIMEOUT");
      return durationMs - TIMEOUT_MS;
    },
  },
  {
    how: "Ctrl-C",
    async end(_swarm, running) {
      const started = performance.now();
      running.kill("SIGINT");
      assertEquals((await running.result).code, 130);
      return performance.now() - started;
    },
  },
  {
    how: "skein stop once the orchestrator was killed",
    async end(swarm, running) {
      running.kill("SIGKILL");
      await running.result;
      const stop = await swarm.json("stop");
      assertEquals([stop.proven, stop.survivors, stop.problems], [true, 0, []]);
      assert((await swarm.json("reset")).reset);
      return Number(stop.elapsedMs);
    },
  },
];

/** Whoever starts in the group, the program takes the place of the shell that has entered. */
function taskIn(group: ControlGroup, argv: readonly string[], timeoutMs?: number): TaskDraft {
  return {
    argv: ["sh", "-c", `echo 0 > '${group.door}'; exec "$@"`, "sh", ...argv],
    block: timeoutMs === undefined ? {} : { timeoutMs },
  };
}

/** Rounds of one ending, each of which must leave the server's control group empty. */
async function rounds(
  swarm: Swarm,
  { what, server }: { readonly what: string; readonly server: Server },
  { how, timeoutMs, end }: Ending,
): Promise<void> {
  const times: number[] = [];
  let most = 0;
  for (let round = 1; round <= ROUNDS; round++) {
    using group = new ControlGroup();
    server.prepare(swarm.folder);
    swarm.manifest({ server: taskIn(group, server.argv(swarm.folder), timeoutMs) });
    const running = swarm.start(["run", "swarm.json", "--quiet", "--grace", "500"]);
    let over = false;
    running.result.then(() => over = true);
    await eventually(`${what} serves`, () => {
      most = Math.max(most, group.pids().length);
      return over || server.serves(swarm.folder);
    }, START_MS);
    // A busy machine may not have started it before its time was out.
    if (over && timeoutMs === undefined) {
      throw new Error(`${what} ended by itself: ${JSON.stringify(await running.result)}`);
    }
    times.push(await end(swarm, running));
    assertEquals(group.pids(), [], `${how}, round ${round}: nobody is left in its control group`);
  }
  assert(most > 1, "it had processes of its own");
  report(
    `${how}, ${what}: ${ROUNDS} rounds of up to ${most} processes, 0 left, ` +
      `worst ${Math.round(Math.max(...times))} ms`,
  );
}

for (const [what, { server, needs }] of Object.entries(SERVERS)) {
  Deno.test({
    ...needing(
      `Nothing is left of ${what} after ${ENDINGS.map(({ how }) => how).join(", after ")} (G4)`,
      {
        "control groups": HAS_CGROUPS,
        ...needs,
      },
    ),
    async fn() {
      await using swarm = new Swarm();
      // Somebody else must be able to reach what is theirs in it.
      Deno.chmodSync(swarm.folder, 0o711);
      for (const ending of ENDINGS) await rounds(swarm, { what, server }, ending);
    },
  });
}
