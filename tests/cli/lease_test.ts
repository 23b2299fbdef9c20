import {
  assert,
  assertEquals,
  assertFalse,
  assertRejects,
  assertStringIncludes,
} from "@std/assert";
import { runWhileHeld } from "../../src/cli/lease_exec.ts";
import { requestStop } from "../../src/engine/stop.ts";
import { type LeaseEnv, withLease } from "../support/carried_lease.ts";
import { temporaryFolder } from "../support/cli.ts";
import { exists } from "../support/swarm.ts";

const RUN = "20261129t174525123z-5k8h2m0q";

/** A whole lease of a run that nobody has started. */
function leaseIn(stateDir: string): LeaseEnv {
  return {
    SKEIN_RUN_ID: RUN,
    SKEIN_TASK_ID: "a",
    SKEIN_PASS: "1",
    SKEIN_ATTEMPT: "1",
    SKEIN_EPOCH: "1",
    SKEIN_SEQUENCE: "1",
    SKEIN_STATE_DIR: stateDir,
  };
}

/** Command lines that are refused with code 2, and a part of what is said. */
const MISUSED: readonly (readonly [string[], string])[] = [
  [[], "needs check | exec"],
  [["chekc"], 'did you mean "check"?'],
  [["renew"], "it is check or exec"],
  [["check", "x"], "one too many"],
  [["check", "--", "true"], "one too many"],
  [["exec"], "needs a command"],
  [["exec", "--"], "needs a command"],
  [["exec", "--", " "], "needs a command"],
  [["exec", "--jsno", "--", "true"], 'did you mean "--json"?'],
];

for (const [args, part] of MISUSED) {
  Deno.test(`skein ${["lease", ...args].join(" ")} is refused with code 2`, async () => {
    using folder = temporaryFolder();
    const { code, stdout, stderr } = await withLease(leaseIn(folder.path), "lease", ...args);
    assertEquals([code, stdout], [2, ""]);
    assertStringIncludes(stderr, part);
  });
}

Deno.test("skein lease check and exec refuse an environment without a whole lease, each saying what is missing (G3)", async () => {
  using folder = temporaryFolder();
  const whole = leaseIn(folder.path);
  const effect = `${folder.path}/effect`;
  const broken: [Record<string, string>, string][] = [
    [{}, "SKEIN_RUN_ID is not set"],
    ...Object.keys(whole).map((name): [Record<string, string>, string] => {
      const { [name]: _, ...rest } = whole;
      return [rest, `${name} is not set`];
    }),
    [{ ...whole, SKEIN_EPOCH: "0" }, 'SKEIN_EPOCH is "0"'],
    [{ ...whole, SKEIN_TOKEN: "" }, "SKEIN_TOKEN is not set"],
  ];
  for (const [env, part] of broken) {
    const check = await withLease(env, "lease", "check", "--json");
    const { valid, why, message, lease } = JSON.parse(check.stdout);
    assertEquals([check.code, valid, why, lease], [1, false, "no-lease", null], part);
    assertStringIncludes(message, part);
    const text = await withLease(env, "lease", "check", "--text");
    assertEquals(text.code, 1);
    assertStringIncludes(text.stdout, `No lease: ${message}`);
    const exec = await withLease(env, "lease", "exec", "--", "touch", effect);
    assertEquals([exec.code, exec.stdout], [1, ""]);
    assertStringIncludes(exec.stderr, `Cannot run "touch": there is no lease: ${message}`);
    assertStringIncludes(exec.stderr, "Nothing was run");
  }
  assertFalse(exists(effect));
});

Deno.test("skein lease exec refuses a lease that no run has issued, and makes nothing (G3)", async () => {
  using folder = temporaryFolder();
  const state = `${folder.path}/state`;
  const effect = `${folder.path}/effect`;
  const whole = leaseIn(state);
  const refused = async (env: LeaseEnv, why: string) => {
    const { stdout } = await withLease(env, "lease", "check", "--json");
    assertEquals([JSON.parse(stdout).why, JSON.parse(stdout).valid], [why, false]);
    const exec = await withLease(env, "lease", "exec", "--", "touch", effect);
    assertEquals(exec.code, 1, exec.stderr);
  };
  await refused(whole, "unknown");
  assertFalse(exists(state), "nothing is made");
  Deno.mkdirSync(`${state}/runs/${RUN}`, { recursive: true });
  await refused(whole, "run-over");
  await refused({ ...whole, SKEIN_TOKEN: "1" }, "unknown");
  assertFalse(exists(`${state}/queue.db`));
  for (const runId of ["..", "../runs", `${RUN}/..`, `${RUN}x`]) {
    await refused({ ...whole, SKEIN_RUN_ID: runId }, "unknown");
  }
  Deno.writeTextFileSync(`${state}/EPOCH`, "nonsense");
  await refused(whole, "unreadable");
  assertFalse(exists(effect));
});

Deno.test("skein lease exits with 4 where a stop has ended the lease, whatever else is wrong with it (G1, G3)", async () => {
  using folder = temporaryFolder();
  const state = `${folder.path}/state`;
  await requestStop(state, { reason: "it loops" });
  const check = await withLease(leaseIn(state), "lease", "check", "--json");
  const { why, message, lease } = JSON.parse(check.stdout);
  assertEquals([check.code, why, lease.taskId], [4, "stopped", "a"]);
  assertStringIncludes(message, "it loops");
  const text = await withLease(leaseIn(state), "lease", "check", "--text");
  assertEquals(text.code, 4);
  assertStringIncludes(text.stdout, "Worth nothing");
  const exec = await withLease(leaseIn(state), "lease", "exec", "--", "touch", `${state}/effect`);
  assertEquals([exec.code, exec.stdout], [4, ""]);
  assertStringIncludes(exec.stderr, "the swarm is stopped: it loops");
  assertFalse(exists(`${state}/effect`));
});

Deno.test("skein lease asks the lease's own state directory, or the one that is named, never SKEIN_STATE (G3)", async () => {
  using folder = temporaryFolder();
  const [own, other] = [`${folder.path}/own`, `${folder.path}/other`];
  await requestStop(own, {});
  Deno.mkdirSync(other);
  const env: LeaseEnv = { ...leaseIn(own), SKEIN_STATE: other };
  assertEquals((await withLease(env, "lease", "check")).code, 4);
  const named = await withLease(env, "lease", "check", "--json", "--state", other);
  assertEquals([named.code, JSON.parse(named.stdout).why], [1, "unknown"]);
  const { SKEIN_STATE_DIR: _, ...elsewhere } = env;
  const without = await withLease(elsewhere, "lease", "check", "--json");
  assertEquals([without.code, JSON.parse(without.stdout).why], [1, "no-lease"]);
});

Deno.test("runWhileHeld() kills a command whose start a stop has overtaken, and throws why (G3)", async () => {
  using folder = temporaryFolder();
  const effect = `${folder.path}/effect`;
  const argv = ["sh", "-c", `sleep 0.3; echo done > '${effect}'`];
  let asked = 0;
  const overtaken = new Error("the swarm is stopped");
  const error = await assertRejects(() =>
    runWhileHeld(argv, () => {
      asked++;
      throw overtaken;
    })
  );
  assertEquals([error, asked, exists(effect)], [overtaken, 1, false]);
  assertEquals(await runWhileHeld(argv, () => void asked++), 0, "a control: it would have run");
  assertEquals([asked, exists(effect)], [2, true]);
});

Deno.test("runWhileHeld() returns the command's own code, or 128 and its signal", async () => {
  const held = () => {};
  for (const code of [0, 1, 7, 255]) {
    assertEquals(await runWhileHeld(["sh", "-c", `exit ${code}`], held), code);
  }
  assertEquals(await runWhileHeld(["sh", "-c", "kill -TERM $$"], held), 143);
  assertEquals(await runWhileHeld(["sh", "-c", "kill -KILL $$"], held), 137);
});

Deno.test("runWhileHeld() says that a command cannot be started", async () => {
  using folder = temporaryFolder();
  Deno.writeTextFileSync(`${folder.path}/text`, "no program");
  let asked = false;
  for (const program of ["no-such-program-anywhere", `${folder.path}/text`]) {
    const error = await assertRejects(() => runWhileHeld([program], () => void (asked = true)));
    assert(error instanceof Error);
    assertStringIncludes(error.message, `Cannot start "${program}"`);
  }
  assertFalse(asked);
});
