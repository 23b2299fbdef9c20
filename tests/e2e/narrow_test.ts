import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { needing, succeeds } from "../support/capability.ts";
import type { Result } from "../support/cli.ts";
import { START_IS_PLAIN, START_TAKES_FLAGS, startWith } from "../support/narrow.ts";
import { exists, namesIn, Swarm, taskIn } from "../support/swarm.ts";

const FLAGS = "a start that takes flags (SKEIN_START without {flags})";
const NEEDS = { [FLAGS]: START_TAKES_FLAGS };
const TOOLS = ["kill", "ps", "grep"];
const LISTED = {
  ...NEEDS,
  "sh, kill, ps and grep": TOOLS.every((program) => succeeds("sh", "-c", `command -v ${program}`)),
};
const FILES = ["--allow-read", "--allow-write", "--allow-env"];

/** Runs the command line with what it may do. */
function narrow(swarm: Swarm, flags: readonly string[], ...args: string[]): Promise<Result> {
  return startWith(flags, [...args, "--state", swarm.state], swarm.folder).result;
}

/** Flags that let Skein see one folder, and start every program. */
function within(folder: string): string[] {
  return [`--allow-read=${folder}`, `--allow-write=${folder}`, "--allow-env", "--allow-run"];
}

for (const command of ["run", "work"]) {
  for (const permitted of [[], ["ps", "grep"], ["kill", "grep"], ["kill", "ps"]]) {
    const missing = TOOLS.filter((tool) => !permitted.includes(tool));
    const list = ["sh", ...permitted].join(",");
    Deno.test({
      ...needing(
        `skein ${command} with --allow-run=${list} refuses to start and names ${missing}`,
        {
          ...LISTED,
          Linux: Deno.build.os === "linux",
        },
      ),
      async fn() {
        await using swarm = new Swarm();
        swarm.manifest({ a: { sh: ": > started" } });
        const words = command === "run" ? ["run", "swarm.json"] : ["work", "--until-idle"];
        const flags = [...FILES, `--allow-run=${list}`];
        const { code, stderr } = await narrow(swarm, flags, ...words);
        assertEquals(code, 1, stderr);
        for (const tool of TOOLS) {
          assertEquals(stderr.includes(`"${tool}"`), missing.includes(tool), stderr);
        }
        assertStringIncludes(stderr, `--allow-run=${missing.join(",")}`);
        assertEquals([exists(swarm.state), exists(swarm.path("started"))], [false, false]);
      },
    });
  }
}

const LIST = `--allow-run=${["sh", ...TOOLS].join(",")}`;

Deno.test({
  ...needing("a task whose program is on no list fails, and says how to permit it", LISTED),
  async fn() {
    await using swarm = new Swarm();
    swarm.manifest({
      a: { argv: ["true"], block: { retry: { maxAttempts: 3 } } },
      b: { sh: "echo b" },
      c: { sh: ": > started", needs: ["a"] },
    });
    const { code, stderr } = await narrow(swarm, [...FILES, LIST], "run", "swarm.json", "--quiet");
    assertEquals(code, 3, stderr);
    const { tasks } = swarm.report();
    assertEquals(tasks.map(({ status }) => status), ["failed", "succeeded", "skipped"]);
    const refused = taskIn(swarm.report(), "a");
    // It is refused as often as it is tried.
    assertEquals([refused.reason, refused.attempts], ["TASK_FAILED_PROGRAM_REFUSED", 1]);
    assertEquals(refused.message, 'Program "true" is not permitted: add it to --allow-run');
    assert(!exists(swarm.path("started")));
    const explained = await narrow(swarm, FILES, "explain", "TASK_FAILED_PROGRAM_REFUSED");
    assertStringIncludes(explained.stdout, "--allow-run");
  },
});

Deno.test({
  ...needing(
    "a task whose environment loads a library is refused under a list, and says why",
    LISTED,
  ),
  async fn() {
    await using swarm = new Swarm();
    const block = { env: [`LD_PRELOAD=${swarm.path("library.so")}`] };
    swarm.manifest({ a: { sh: ": > started", block } });
    const { code, stderr } = await narrow(swarm, [...FILES, LIST], "run", "swarm.json", "--quiet");
    assertEquals(code, 3, stderr);
    const { reason, message } = taskIn(swarm.report(), "a");
    assertEquals(reason, "TASK_FAILED_PROGRAM_REFUSED");
    assertStringIncludes(message ?? "", '"LD_PRELOAD"');
    assert(!exists(swarm.path("started")));
  },
});

Deno.test({
  ...needing(
    "a stop that may start neither kill nor ps nor grep latches, and is not proven (G1, G4)",
    {
      ...LISTED,
      "a start without the C library": START_IS_PLAIN,
      Linux: Deno.build.os === "linux",
    },
  ),
  async fn() {
    await using swarm = new Swarm();
    const flags = [...FILES, "--allow-run=sh"];
    const { code, stdout, stderr } = await narrow(swarm, flags, "stop", "--json");
    assertEquals(code, 1, stderr);
    const { stopped, proven, problems } = JSON.parse(stdout);
    assertEquals([stopped, proven], [true, false]);
    for (const tool of TOOLS) assertStringIncludes(problems.join(), `"${tool}"`);
    const run = await swarm.skein(["run", "swarm.json"]);
    assertEquals(run.code, 1, run.stderr);
    swarm.manifest({ a: {} });
    assertEquals((await swarm.skein(["run", "swarm.json"])).code, 4);
  },
});

Deno.test({
  ...needing("a manifest cannot make the orchestrator read what it was not granted", NEEDS),
  async fn() {
    await using swarm = new Swarm();
    await using elsewhere = new Swarm();
    const secret = elsewhere.write("secret", "a secret");
    Deno.symlinkSync(secret, swarm.path("link"));
    for (const stdinFile of [secret, "link", "/etc/passwd", "/proc/self/environ"]) {
      swarm.manifest({ a: { sh: ": > started" }, b: { argv: ["cat"], stdinFile } });
      const flags = within(swarm.folder);
      const { code, stdout, stderr } = await narrow(swarm, flags, "run", "swarm.json", "--quiet");
      assertEquals(code, 1, stderr);
      assertStringIncludes(stderr, `the "stdinFile" of task "b"`);
      assert(!`${stdout}${stderr}`.includes("a secret"));
      assert(!exists(swarm.path("started")), "no process was started");
      assertEquals(namesIn(swarm.path(".skein", "runs")), []);
    }
  },
});

Deno.test({
  ...needing("a manifest, an input and a state directory that were granted are enough", NEEDS),
  async fn() {
    await using swarm = new Swarm();
    swarm.write("input", "text");
    swarm.manifest({ a: { argv: ["cat"], stdinFile: "input" }, b: { sh: "true", needs: ["a"] } });
    const flags = within(swarm.folder);
    const { code, stderr } = await narrow(swarm, flags, "run", "swarm.json", "--quiet");
    assertEquals(code, 0, stderr);
    assertEquals(swarm.read("output", "a"), "text");
  },
});

Deno.test({
  ...needing(
    "a task inherits the variables that Skein may read, and none starts that is to have others",
    NEEDS,
  ),
  async fn() {
    await using swarm = new Swarm();
    const names = ["SKEIN_STATE", "SKEIN_STATE_DIR", "SKEIN_LINEAGE", "PATH", "GRANTED"];
    const flags = [
      "--allow-read",
      "--allow-write",
      "--allow-run",
      `--allow-env=${names.join(",")}`,
    ];
    const words = ["run", "swarm.json", "--quiet", "--state", swarm.state];
    const env = { GRANTED: "yes", SECRET_KEY: "no" };
    const sh = 'echo "$GRANTED/$SECRET_KEY/${HOME-none}"';
    swarm.manifest({ a: { sh } }, { inheritEnv: ["GRANTED"] });
    const granted = await startWith(flags, words, swarm.folder, env).result;
    assertEquals(granted.code, 0, granted.stderr);
    assertEquals(swarm.read("output", "a"), "yes//none\n");
    for (const name of ["SECRET_KEY", "GRANTED*"]) {
      swarm.manifest({ a: { sh } }, { inheritEnv: [name] });
      const { code, stderr } = await startWith(flags, words, swarm.folder, env).result;
      assertEquals(code, 1, stderr);
      assertStringIncludes(stderr, `Cannot inherit "${name}"`);
      assertEquals(swarm.runIds().length, 1, "nothing was started");
    }
  },
});

Deno.test({
  ...needing("a state directory in /dev is refused, and nothing is called stopped for it", {
    "/dev/shm": exists("/dev/shm"),
  }),
  async fn() {
    await using swarm = new Swarm();
    swarm.manifest({ a: { sh: "true" } });
    const state = `/dev/shm/skein-test-${Deno.pid}`;
    for (const words of [["run", "swarm.json"], ["status"], ["stop"]]) {
      const all = [...words, "--state", state];
      const { code, stderr } = await startWith(["-A"], all, swarm.folder).result;
      assertEquals(code, 1, stderr);
      assertStringIncludes(stderr, `Cannot keep a swarm's state in "${state}"`);
    }
    assert(!exists(state));
  },
});

Deno.test("nothing in a manifest makes the orchestrator connect", async () => {
  const listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const connected: Deno.Conn[] = [];
  const accepting = (async () => {
    for await (const connection of listener) connected.push(connection);
  })();
  try {
    await using swarm = new Swarm();
    const address = `http://127.0.0.1:${listener.addr.port}/x`;
    const everywhere = {
      $schema: address,
      env: [`HTTP_PROXY=${address}`, `DENO_AUTH_TOKENS=x@127.0.0.1:${listener.addr.port}`],
    };
    const draft = { argv: ["true", address], block: { cwd: "." } };
    swarm.manifest({ a: draft }, everywhere);
    assertEquals((await narrow(swarm, ["-A"], "run", "swarm.json", "--quiet")).code, 0);
    for (const key of ["stdinFile", "cwd"]) {
      const task = key === "cwd"
        ? { ...draft, block: { cwd: address } }
        : { ...draft, [key]: address };
      swarm.manifest({ a: task }, everywhere);
      const { code, stderr } = await narrow(swarm, ["-A"], "run", "swarm.json", "--quiet");
      assertEquals(code, key === "cwd" ? 3 : 1, stderr);
    }
    swarm.manifest({ a: { argv: [address] } });
    assertEquals((await narrow(swarm, ["-A"], "run", "swarm.json", "--quiet")).code, 3);
    for (const command of ["run", "validate", "submit"]) {
      assertEquals((await narrow(swarm, ["-A"], command, address)).code, 1);
    }
    assertEquals(connected.length, 0);
    (await Deno.connect({ hostname: "127.0.0.1", port: listener.addr.port })).close();
    await new Promise((resolve) => setTimeout(resolve, 20));
    assertEquals(connected.length, 1, "a control: it would have been seen");
  } finally {
    listener.close();
    for (const connection of connected) connection.close();
    await accepting;
  }
});
