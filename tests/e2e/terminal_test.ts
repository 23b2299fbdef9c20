import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { cleanEnv, skeinArgs } from "../support/cli.ts";
import { needing, succeeds } from "../support/capability.ts";
import { Swarm } from "../support/swarm.ts";

const NEEDS = { script: succeeds("script", "-qec", "true", "/dev/null") };
const ESCAPE = "\x1b";

/** Runs a command on a pseudo terminal; `redirect` takes one of its streams off it. */
async function onTerminal(
  swarm: Swarm,
  args: readonly string[],
  { redirect = "", env = {} }: { redirect?: string; env?: Record<string, string> } = {},
): Promise<{ code: number; screen: string }> {
  const words = [Deno.execPath(), ...skeinArgs([...args, "--state", swarm.state])];
  const line = words.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(" ");
  const { code, stdout } = await new Deno.Command("script", {
    args: ["-qec", `${line} ${redirect}`, "/dev/null"],
    cwd: swarm.folder,
    env: { ...cleanEnv(), ...env },
    clearEnv: true,
    stdin: "null",
    stderr: "null",
  }).output();
  return { code, screen: new TextDecoder().decode(stdout) };
}

Deno.test({
  ...needing("skein answers in text on a terminal, in JSON elsewhere and with --json", NEEDS),
  async fn() {
    await using swarm = new Swarm();
    swarm.manifest({ a: { sh: "exit 1" } });
    const run = await onTerminal(swarm, ["run", "swarm.json", "--quiet"]);
    assertEquals(run.code, 3);
    assertStringIncludes(run.screen, "test failed (at least one task failed)");
    assertMatch((await onTerminal(swarm, ["runs"])).screen, /failed {2}0\/1 tasks/);
    const json = await onTerminal(swarm, ["runs", "--json"]);
    assertEquals(JSON.parse(json.screen).length, 1);
    const stop = await onTerminal(swarm, ["stop"]);
    assertStringIncludes(stop.screen, "Stopped at epoch 2, proven: no process is left");
    const status = await onTerminal(swarm, ["status"]);
    assert(JSON.parse(status.screen).stopped, "status always prints JSON");
    const reset = await onTerminal(swarm, ["reset"]);
    assertStringIncludes(reset.screen, "Reset: epoch 2");
  },
});

Deno.test({
  ...needing("skein run shows a live line on standard error and clears it at the end", NEEDS),
  async fn() {
    await using swarm = new Swarm();
    swarm.manifest({ a: { sh: "sleep 0.6" }, b: { needs: ["a"] } });
    const { code, screen } = await onTerminal(swarm, ["run", "swarm.json"], { redirect: "> out" });
    assertEquals(code, 0);
    assertMatch(screen, /0\/2 done, 1 running, 0 failed, \d/);
    assert(screen.endsWith(`\r${ESCAPE}[2K`), JSON.stringify(screen.slice(-80)));
    assertEquals(JSON.parse(Deno.readTextFileSync(swarm.path("out"))).status, "succeeded");
    const quiet = await onTerminal(swarm, ["run", "swarm.json", "--quiet"], { redirect: "> out" });
    assertEquals([quiet.code, quiet.screen], [0, ""]);
  },
});

Deno.test({
  ...needing(
    "skein run writes no colours where NO_COLOR is set, and no live line to a file",
    NEEDS,
  ),
  async fn() {
    await using swarm = new Swarm();
    swarm.manifest({ a: { sh: "sleep 0.3; exit 1" } });
    const env = { NO_COLOR: "1" };
    const { screen } = await onTerminal(swarm, ["run", "swarm.json", "--include-tasks"], { env });
    assertStringIncludes(screen, "TASK_FAILED_EXIT");
    // deno-lint-ignore no-control-regex
    assert(!/\x1b\[[\d;]*m/.test(screen), JSON.stringify(screen));
    const redirected = await onTerminal(swarm, ["run", "swarm.json"], { redirect: "2> err" });
    assert(!redirected.screen.includes(ESCAPE), JSON.stringify(redirected.screen));
    assertEquals(Deno.readTextFileSync(swarm.path("err")), "");
  },
});

Deno.test("skein goes on when the reader of its output has gone away", async () => {
  await using swarm = new Swarm();
  swarm.manifest({ a: { sh: "head -c 1000000 /dev/zero | tr '\\0' x" } });
  const through = ["bash", "-c", 'set -o pipefail; "$@" | true', "bash"];
  const run = await swarm.skein(["run", "swarm.json"], { through });
  assertEquals(run.code, 0, run.stderr);
  const logs = await swarm.skein(["logs", "latest"], { through });
  assertEquals(logs.code, 0, logs.stderr);
});
