import { assert, assertEquals, assertMatch } from "@std/assert";
import { skeinArgs } from "../support/cli.ts";
import { exists, namesIn, Swarm, taskIn } from "../support/swarm.ts";

const SECRET = "s3cr3t-5f1b9c0e-value";
const ALL = true;
const CALLER = { MODEL_KEY: SECRET, MODEL_NAME: "m1", OTHER: "other" };

/** Files of a folder, all the way down, that contain a text. */
function filesWith(folder: string, text: string): string[] {
  return namesIn(folder).flatMap((name) => {
    const path = `${folder}/${name}`;
    if (Deno.lstatSync(path).isDirectory) return filesWith(path, text);
    return new TextDecoder().decode(Deno.readFileSync(path)).includes(text) ? [path] : [];
  });
}

/** The names that a task saw, of those that the caller has. */
async function seen(swarm: Swarm, inheritEnv?: true | string[]): Promise<string[]> {
  const sh = Object.keys(CALLER).map((name) => `test -z "\${${name}+x}" || echo ${name}`).join(
    "\n",
  );
  swarm.manifest({ a: { sh } }, inheritEnv === undefined ? {} : { inheritEnv });
  const { code, stderr } = await swarm.skein(["run", "swarm.json"], { env: CALLER });
  assertEquals(code, 0, stderr);
  return swarm.read("output", "a").split("\n").slice(0, -1);
}

Deno.test("skein run grants a task only what the manifest names, and writes no value (G6)", async () => {
  await using swarm = new Swarm();
  assertEquals(await seen(swarm), []);
  assertEquals(await seen(swarm, []), []);
  assertEquals(await seen(swarm, ["MODEL_KEY"]), ["MODEL_KEY"]);
  assertEquals(await seen(swarm, ["MODEL_*"]), ["MODEL_KEY", "MODEL_NAME"]);
  assertEquals(await seen(swarm, ["MODEL"]), []);
  assertEquals(await seen(swarm, ALL), ["MODEL_KEY", "MODEL_NAME", "OTHER"]);
  assertEquals(filesWith(swarm.state, SECRET), []);
});

Deno.test("skein run writes no inherited value when a task fails either (G6)", async () => {
  await using swarm = new Swarm();
  swarm.manifest({
    right: { sh: `test "$MODEL_KEY" = '${SECRET.slice(0, 4)}'"$REST"` },
    missing: { argv: ["no-such-program-anywhere"] },
    folder: { sh: "true", block: { cwd: "nowhere" } },
    killed: { sh: "kill -9 $$" },
    slow: { sh: "sleep 60", timeoutMs: 50 },
  }, { inheritEnv: ["MODEL_*"], env: [`REST=${SECRET.slice(4)}`] });
  const { code, stdout, stderr } = await swarm.skein(["run", "swarm.json", "--include-tasks"], {
    env: CALLER,
  });
  assertEquals(code, 3);
  assertEquals(taskIn(swarm.report(), "right").status, "succeeded", "the value was granted");
  assertEquals(filesWith(swarm.state, SECRET), []);
  assert(!`${stdout}${stderr}`.includes(SECRET));
});

Deno.test("skein run gives what a program needs to start, and the manifest's own entries, last wins", async () => {
  await using swarm = new Swarm();
  swarm.manifest({
    a: { argv: ["env"], block: { env: ["TWO=block", "THREE=block"] }, env: ["THREE=task", "E="] },
  }, { env: ["ONE=manifest", "TWO=manifest", "THREE=manifest", "LANG=xx"] });
  const env = { LANG: "C", LC_TIME: "C", TZ: "UTC", EDITOR: "ed", SKEIN_SECRET: "outer" };
  const { code } = await swarm.skein(["run", "swarm.json"], { env });
  assertEquals(code, 0);
  const lines = swarm.read("output", "a").split("\n");
  for (const line of ["ONE=manifest", "TWO=block", "THREE=task", "E=", "LANG=xx", "LC_TIME=C"]) {
    assert(lines.includes(line), line);
  }
  assert(lines.some((line) => line.startsWith("PATH=")) && lines.includes("TZ=UTC"));
  assert(!lines.some((line) => /^(EDITOR|SKEIN_SECRET|SKEIN_CONFIG)=/.test(line)));
});

Deno.test("skein run tells every process who it is (G3)", async () => {
  await using swarm = new Swarm();
  const sh = "env | grep ^SKEIN_ | sort; test $SKEIN_ATTEMPT = 2";
  const retry = { maxAttempts: 2, backoffMs: 1 };
  swarm.manifest({ first: {}, "a.Task": { sh, needs: ["first"], block: { retry } } });
  const { code, report } = await swarm.run();
  assertEquals(code, 0);
  const [output = "", lease = ""] = ["output", "leases"].map((folder) =>
    namesIn(swarm.inRun(folder)).filter((name) => name.includes("task")).sort()[0] ?? ""
  );
  assertEquals(lease, `${output}.1.2.lease`);
  const { sequence, epoch, pass, attempt } = JSON.parse(swarm.read("leases", lease));
  const swarmId = Deno.readTextFileSync(`${swarm.state}/ID`).trim();
  const { runId } = report;
  assertEquals([sequence, epoch, pass, attempt], [3, 1, 1, 2]);
  assertEquals(swarm.read("output", output).split("\n").slice(0, -1), [
    "SKEIN_ATTEMPT=2",
    "SKEIN_EPOCH=1",
    `SKEIN_LINEAGE=/${swarmId}/1/${runId}/0/3/`,
    "SKEIN_PASS=1",
    `SKEIN_RUN_ID=${runId}`,
    "SKEIN_SEQUENCE=3",
    `SKEIN_STATE_DIR=${swarm.state}`,
    "SKEIN_TASK_ID=a.Task",
  ]);
});

Deno.test("skein run inside a run belongs to both, the outer one first (G4)", async () => {
  await using outer = new Swarm();
  await using inner = new Swarm();
  inner.manifest({ leaf: { sh: 'echo "$SKEIN_LINEAGE"' } });
  const words = ["run", inner.path("swarm.json"), "--state", inner.state];
  outer.manifest({ branch: { argv: [Deno.execPath(), ...skeinArgs(words)] } }, {
    inheritEnv: ["DENO_*"],
  });
  const { code, report } = await outer.run();
  assertEquals(code, 0);
  const [outerId, innerId] = [outer, inner].map(({ state }) => {
    return Deno.readTextFileSync(`${state}/ID`).trim();
  });
  const line = inner.read("output", "leaf").trim();
  assertEquals(
    line,
    `/${outerId}/1/${report.runId}/0/1//${innerId}/1/${inner.report().runId}/0/1/`,
  );
  assertMatch(outer.read("output", "branch"), /"status":"succeeded"/);
});

Deno.test("skein run inside a run without a state directory of its own shares the outer one's (G1)", async () => {
  await using swarm = new Swarm();
  swarm.write(
    "inner.json",
    '{"version":1,"blocks":{"b":{"argv":["true"]}},"tasks":[{"id":"x","block":"b"}]}',
  );
  const argv = [Deno.execPath(), ...skeinArgs(["run", swarm.path("inner.json")])];
  swarm.manifest({ a: { argv, block: { cwd: "/" } } }, { inheritEnv: ["DENO_*"] });
  assertEquals((await swarm.run()).code, 0);
  assertEquals(swarm.runIds().length, 2);
  assert(!exists(swarm.path("inner")));
});
