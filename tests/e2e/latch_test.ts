import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { canForbidReading, needing, WITHOUT_ROOT_RIGHTS } from "../support/capability.ts";
import { eventually } from "../support/cli.ts";
import { exists, namesIn, Swarm } from "../support/swarm.ts";

/** A swarm that has run once, so that its folder is whole, with a manifest whose task leaves a mark. */
async function used(): Promise<Swarm> {
  const swarm = new Swarm();
  swarm.manifest({ mark: { sh: `echo > '${swarm.path("ran")}'` } });
  assertEquals((await swarm.run()).code, 0);
  Deno.removeSync(swarm.path("ran"));
  return swarm;
}

async function assertNothingStarts(
  swarm: Swarm,
  code: number,
  through: readonly string[] = [],
): Promise<string> {
  const runs = swarm.runIds();
  const result = await swarm.skein(["run", "swarm.json"], { through });
  assertEquals([result.code, result.stdout], [code, ""], result.stderr);
  assert(!exists(swarm.path("ran")), "nothing was started");
  assertEquals(swarm.runIds(), runs, "no run was made");
  return result.stderr;
}

/** Puts something at STOP in place of whatever is there. */
const AT_STOP: Readonly<Record<string, (stop: string) => void>> = {
  "a malformed file": (stop) => Deno.writeTextFileSync(stop, '{"version": 1'),
  "a record of another version": (stop) => Deno.writeTextFileSync(stop, '{"version":2,"epoch":2}'),
  "a folder": (stop) => Deno.mkdirSync(stop),
  "a folder with content": (stop) => Deno.mkdirSync(`${stop}/inner`, { recursive: true }),
  "a dangling link": (stop) => Deno.symlinkSync("nowhere", stop),
  "an empty file": (stop) => Deno.writeTextFileSync(stop, ""),
};

for (const [what, put] of Object.entries(AT_STOP)) {
  Deno.test(`skein run starts nothing while ${what} is at STOP (G1)`, async () => {
    await using swarm = await used();
    put(`${swarm.state}/STOP`);
    await assertNothingStarts(swarm, 4);
    const empty = what === "an empty file";
    const { code, stdout } = await swarm.skein(["status"]);
    const { stopped, problem } = JSON.parse(stdout);
    assertEquals([stopped, code, typeof problem], [
      true,
      ...empty ? [0, "undefined"] : [1, "string"],
    ]);
    // A stop names no epoch here: a record is missing, which counts as EPOCH + 1, or is not to be trusted.
    if (!empty) assertEquals((await swarm.skein(["reset"])).code, 1);
    const reset = await swarm.json("reset", ...empty ? [] : ["--epoch", "2"]);
    assertEquals(reset, { reset: true, stopped: false, epoch: 2 });
    assertEquals((await swarm.run()).report.epoch, 2);
  });
}

Deno.test({
  ...needing("skein run starts nothing while STOP, or its folder, cannot be read (G1)", {
    "permission bits that bind": canForbidReading(),
  }),
  async fn() {
    await using swarm = await used();
    const through = WITHOUT_ROOT_RIGHTS;
    Deno.writeTextFileSync(`${swarm.state}/STOP`, "", { mode: 0 });
    Deno.chmodSync(`${swarm.state}/STOP`, 0);
    await assertNothingStarts(swarm, 4, through);
    const { code, stdout } = await swarm.skein(["status"], { through });
    assertEquals([code, JSON.parse(stdout).stopped], [1, true]);
    assertStringIncludes(JSON.parse(stdout).problem, "STOP cannot be read");
    Deno.removeSync(`${swarm.state}/STOP`);
    Deno.chmodSync(swarm.state, 0);
    try {
      const { code, stderr } = await swarm.skein(["run", "swarm.json"], { through });
      assertEquals(code, 4, "what cannot be looked at is a stop");
      assertStringIncludes(stderr, "whether the swarm is stopped cannot be told");
      const stop = await swarm.skein(["stop"], { through });
      const { stopped, proven } = JSON.parse(stop.stdout);
      assertEquals([stop.code, stopped, proven], [1, false, false], "nothing was latched");
    } finally {
      Deno.chmodSync(swarm.state, 0o700);
    }
    assert(!exists(swarm.path("ran")));
  },
});

Deno.test("skein run refuses a corrupt EPOCH, and never reads it as 1 (G2)", async () => {
  await using swarm = await used();
  const path = `${swarm.state}/EPOCH`;
  for (const text of [null, "", "0", "abc", "-1", "1.0", "1\n\n", " 1", "9007199254740992"]) {
    Deno.removeSync(path);
    if (text !== null) Deno.writeTextFileSync(path, text);
    const stderr = await assertNothingStarts(swarm, 1);
    assertStringIncludes(stderr, "EPOCH");
    assertStringIncludes(stderr, "skein reset --epoch");
    if (text === null) Deno.writeTextFileSync(path, "1\n");
  }
  const status = await swarm.skein(["status"]);
  const { stopped, epoch, problem } = JSON.parse(status.stdout);
  assertEquals([status.code, stopped, epoch], [1, false, 0]);
  assertStringIncludes(problem, "9007199254740992");
  assertEquals((await swarm.skein(["reset"])).code, 1);
  assertEquals((await swarm.skein(["reset", "--epoch", "1"])).code, 1, "1 was used");
  assertEquals((await swarm.json("reset", "--epoch", "2")).epoch, 2);
  assertEquals((await swarm.run()).report.epoch, 2);
});

Deno.test("skein run refuses an EPOCH below one that was used (G2)", async () => {
  await using swarm = await used();
  await swarm.skein(["stop"]);
  await swarm.skein(["reset"]);
  Deno.writeTextFileSync(`${swarm.state}/EPOCH`, "1\n");
  assertStringIncludes(await assertNothingStarts(swarm, 1), "2 was used before");
});

Deno.test("skein stop and reset raise the epoch by one together, each time (G1, G2)", async () => {
  await using swarm = await used();
  for (let epoch = 2; epoch <= 4; epoch++) {
    const stop = await swarm.json("stop", "--reason", `round ${epoch}`);
    const expected = { stopped: true, epoch, proven: true, killed: 0, survivors: 0 };
    for (const [key, value] of Object.entries(expected)) assertEquals(stop[key], value, key);
    const status = await swarm.json("status");
    assertEquals([status.stopped, status.epoch, status.reason], [true, epoch, `round ${epoch}`]);
    assertStringIncludes(await assertNothingStarts(swarm, 4), "skein reset");
    assertEquals(await swarm.json("reset"), { reset: true, stopped: false, epoch });
    assertEquals(await swarm.json("reset"), { reset: false, stopped: false, epoch });
    const after = await swarm.json("status");
    assertEquals([after.stopped, after.epoch, after.runs], [false, epoch, []]);
  }
  assertEquals((await swarm.run()).report.epoch, 4);
});

Deno.test("skein stop keeps the first stop's record, and its epoch (G1, G2)", async () => {
  await using swarm = await used();
  await swarm.json("stop", "--reason", "first");
  const record = Deno.readTextFileSync(`${swarm.state}/STOP`);
  const second = await swarm.json("stop", "--reason", "second");
  assertEquals([second.epoch, second.proven], [2, true]);
  assertEquals(Deno.readTextFileSync(`${swarm.state}/STOP`), record);
  assertEquals(JSON.parse(record).reason, "first");
});

Deno.test("skein stop --no-wait latches and proves nothing (G1)", async () => {
  await using swarm = await used();
  const { code, stdout } = await swarm.skein(["stop", "--no-wait", "--reason", "now"]);
  const { stopped, proven, epoch } = JSON.parse(stdout);
  assertEquals([code, stopped, proven, epoch], [0, true, false, 2]);
  await assertNothingStarts(swarm, 4);
});

Deno.test("skein stop without a state directory makes one, and warns with its path (G1)", async () => {
  await using swarm = new Swarm();
  swarm.manifest({ mark: { sh: `echo > '${swarm.path("ran")}'` } });
  const { code, stdout, stderr } = await swarm.skein(["stop"]);
  assertEquals([code, JSON.parse(stdout).proven], [0, true]);
  assertStringIncludes(stderr, swarm.state);
  await assertNothingStarts(swarm, 4);
  assertEquals((await swarm.json("reset")).epoch, 2);
  assertEquals((await swarm.run()).code, 0);
});

Deno.test("skein stop says that nothing was latched where it could not be (G1)", async () => {
  await using swarm = new Swarm();
  swarm.manifest({ mark: { sh: `echo > '${swarm.path("ran")}'` } });
  Deno.writeTextFileSync(swarm.state, "no folder");
  for (const more of [[], ["--no-wait"]]) {
    const { code, stdout, stderr } = await swarm.skein(["stop", ...more]);
    const stopped = stdout === "" ? false : JSON.parse(stdout).stopped;
    assertEquals([code, stopped], [1, false], stderr);
  }
  const text = await swarm.skein(["stop", "--text"]);
  assertStringIncludes(text.stdout, "NOT STOPPED, NOT PROVEN");
  const { code, stderr } = await swarm.skein(["run", "swarm.json"]);
  assertEquals([code, exists(swarm.path("ran"))], [4, false]);
  assertStringIncludes(stderr, "whether the swarm is stopped cannot be told");
  assert(!stderr.includes("skein reset"), stderr);
  assertEquals(Deno.readTextFileSync(swarm.state), "no folder");
});

Deno.test("skein reset of a swarm that runs and is not stopped sends to skein stop", async () => {
  await using swarm = new Swarm();
  swarm.manifest({ mark: { sh: `echo > '${swarm.path("ran")}'; sleep 300` } });
  swarm.start(["run", "swarm.json", "--quiet"]);
  await eventually("the task runs", () => exists(swarm.path("ran")));
  const { code, stderr } = await swarm.skein(["reset"]);
  assertEquals(code, 1);
  assertStringIncludes(stderr, "It is not stopped");
  assert(!stderr.includes("--force"), stderr);
  assert((await swarm.json("stop")).proven);
});

Deno.test("skein stop latches with a corrupt EPOCH; reset then needs an epoch that is new (G1, G2)", async () => {
  await using swarm = await used();
  await swarm.json("stop");
  await swarm.json("reset");
  Deno.writeTextFileSync(`${swarm.state}/EPOCH`, "junk");
  const stop = await swarm.json("stop", "--reason", "corrupt");
  assertEquals([stop.stopped, stop.epoch, stop.proven], [true, 0, true]);
  await assertNothingStarts(swarm, 4);
  const refused = await swarm.skein(["reset"]);
  assertEquals(refused.code, 1);
  assertStringIncludes(refused.stderr, "skein reset --epoch 3");
  assertEquals((await swarm.skein(["reset", "--epoch", "2"])).code, 1, "2 was used");
  assertEquals(await swarm.json("reset", "--epoch", "12"), {
    reset: true,
    stopped: false,
    epoch: 12,
  });
  assertEquals((await swarm.run()).report.epoch, 12);
});

Deno.test("skein status without a folder prints the beginning, and makes nothing", async () => {
  await using swarm = new Swarm();
  const { code, stdout, stderr } = await swarm.skein(["status"]);
  assertEquals([code, stdout], [0, '{"stopped":false,"epoch":1}\n']);
  assertStringIncludes(stderr, `there is no state directory "${swarm.state}"`);
  assertEquals(namesIn(swarm.folder), []);
  assertEquals((await swarm.skein(["reset"])).code, 0);
  assertEquals(namesIn(swarm.folder), []);
});
