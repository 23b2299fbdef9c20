import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import type { Check } from "../../src/cli/doctor_check.ts";
import { STOP_FILES } from "../../src/cli/doctor_disk_verdicts.ts";
import { prepareStateDir } from "../../src/fence/mod.ts";
import { assertCheck } from "../cli/checks.ts";
import { canForbidReading, needing, succeeds, WITHOUT_ROOT_RIGHTS } from "../support/capability.ts";
import { eventually, type Result, type StartOptions } from "../support/cli.ts";
import {
  canMount,
  canUnsharePids,
  IN_PID_NAMESPACE,
  SmallDisk,
  WITHOUT_PROC,
} from "../support/namespace.ts";
import { startNarrow } from "../support/narrow.ts";
import { HAS_PROC } from "../support/processes.ts";
import { namesIn, Swarm } from "../support/swarm.ts";

/** What was found, by the name of the check. */
interface Findings {
  readonly code: number;
  readonly of: (name: string) => Check;
  readonly failed: readonly string[];
}

async function doctor(swarm: Swarm, options: StartOptions = {}): Promise<Findings> {
  return findingsIn(await swarm.skein(["doctor"], options));
}

function findingsIn({ code, stdout, stderr }: Result): Findings {
  assertEquals(stderr, "");
  const checks: Check[] = JSON.parse(stdout);
  return {
    code,
    failed: checks.filter(({ status }) => status === "failed").map(({ check }) => check),
    of(name) {
      const found = checks.find(({ check }) => check === name);
      assert(found !== undefined, `${name} is not in ${stdout}`);
      return found;
    },
  };
}

Deno.test("skein doctor finds nothing wrong here, exits with 0, and leaves nothing behind", async () => {
  await using swarm = new Swarm();
  const { code, failed } = await doctor(swarm);
  assertEquals([code, failed], [0, []]);
  assertEquals(namesIn(swarm.folder), []);
});

Deno.test("skein doctor answers in text, with what to do below what is wrong", async () => {
  await using swarm = new Swarm();
  swarm.write(".skein", "no folder");
  const { code, stdout } = await swarm.skein(["doctor", "--text"]);
  assertEquals(code, 1);
  assertStringIncludes(stdout, `FAILED   folder          Nothing can run: "${swarm.state}" is no`);
  assertStringIncludes(stdout, `${" ".repeat(27)}→ Move it away, or name another place`);
  assertStringIncludes(stdout, "checks: 1 failed, ");
  assert(!stdout.includes("There is no state directory"), stdout);
});

Deno.test("skein doctor names a corrupt EPOCH, a malformed STOP, a corrupt queue, a dead holder and an open folder", async () => {
  await using swarm = new Swarm();
  prepareStateDir(swarm.state);
  Deno.writeTextFileSync(`${swarm.state}/EPOCH`, "three\n");
  Deno.writeTextFileSync(`${swarm.state}/STOP`, "{");
  Deno.writeTextFileSync(`${swarm.state}/queue.db`, "this is no database".repeat(100));
  Deno.writeTextFileSync(`${swarm.state}/holders/gone`, "{}");
  Deno.chmodSync(swarm.state, 0o777);
  const { code, of, failed } = await doctor(swarm);
  assertEquals([code, failed], [1, ["folder", "stop", "epoch", "queue"]]);
  assertCheck(of("epoch"), "failed", "three");
  assertCheck(of("queue"), "failed", "queue.db");
  assertCheck(of("folder"), "failed", "0777");
  assertCheck(of("holders"), "warning", "1 process has died");
  assertCheck(of("stop"), "failed", "holds no stop record");
});

Deno.test("skein doctor checks a queue, and names what is broken in it", async () => {
  await using swarm = new Swarm();
  swarm.manifest({ a: { sh: "echo out" } });
  assertEquals((await swarm.skein(["submit", "swarm.json"])).code, 0);
  assertEquals((await swarm.skein(["work", "--once"])).code, 0);
  for (const name of namesIn(swarm.inRun("data"))) Deno.removeSync(swarm.inRun("data", name));
  const { code, of } = await doctor(swarm);
  assertEquals(code, 1);
  assertCheck(of("queue"), "failed", "outputs-on-disk");
});

Deno.test("skein doctor says that a swarm is stopped, which is no failure", async () => {
  await using swarm = new Swarm();
  assertEquals((await swarm.skein(["stop", "--no-wait", "--reason", "lunch"])).code, 0);
  const stopped = await doctor(swarm);
  assertEquals(stopped.code, 0);
  assertCheck(stopped.of("stop"), "warning", '"lunch"');
});

const FORBIDS = { "unreadable files": canForbidReading() };
const through = WITHOUT_ROOT_RIGHTS;

Deno.test({
  ...needing("skein doctor names a state directory that cannot be read", FORBIDS),
  async fn() {
    await using swarm = new Swarm();
    prepareStateDir(swarm.state);
    Deno.chmodSync(swarm.state, 0);
    try {
      const { code, of, failed } = await doctor(swarm, { through });
      assertEquals(code, 1);
      assertEquals(failed, ["folder", "id", "stop", "epoch", "holders", "queue"]);
      assertCheck(of("folder"), "failed", swarm.state, "ermission denied");
      assertCheck(of("locks"), "unknown", "`folder`");
    } finally {
      Deno.chmodSync(swarm.state, 0o700);
    }
  },
});

Deno.test({
  ...needing("skein doctor names a folder that cannot be written to, there or not yet", FORBIDS),
  async fn() {
    await using swarm = new Swarm();
    Deno.chmodSync(swarm.folder, 0o500);
    try {
      const above = await doctor(swarm, { through });
      assertEquals([above.code, above.failed], [1, ["folder"]]);
      assertCheck(above.of("folder"), "failed", `"${swarm.folder}" cannot be used`);
      Deno.chmodSync(swarm.folder, 0o700);
      prepareStateDir(swarm.state);
      Deno.chmodSync(swarm.state, 0o500);
      const own = await doctor(swarm, { through });
      assertEquals([own.code, own.failed], [1, ["folder"]]);
      assertCheck(own.of("folder"), "failed", `"${swarm.state}" cannot be used`);
    } finally {
      Deno.chmodSync(swarm.folder, 0o700);
      Deno.chmodSync(swarm.state, 0o700);
    }
  },
});

Deno.test({
  ...needing("skein doctor names a disk without room, and one of memory", { mount: canMount() }),
  async fn() {
    await using swarm = new Swarm();
    Deno.mkdirSync(swarm.state, { mode: 0o700 });
    using disk = new SmallDisk(swarm.state, 2_097_152);
    Deno.chmodSync(swarm.state, 0o700);
    const { code, of, failed } = await doctor(swarm);
    assertEquals([code, failed], [1, ["space"]]);
    assertCheck(of("space"), "failed", "MiB are free");
    assertCheck(of("mount"), "warning", swarm.state, "tmpfs");
    disk.fill();
    const full = await doctor(swarm);
    assertCheck(full.of("space"), "failed", "0 B are free");
    assertCheck(full.of("hard-links"), "failed", "No space left");
  },
});

Deno.test({
  ...needing("skein doctor names a disk that has too few files left for a stop", {
    mount: canMount(),
  }),
  async fn() {
    await using swarm = new Swarm();
    using _disk = new SmallDisk(swarm.folder, 67_108_864);
    const leave = (files: number) => {
      // The root of the disk is a file too.
      assert(succeeds("mount", "-o", `remount,nr_inodes=${files + 1}`, swarm.folder));
    };
    // One is in use while it is counted: the folder for the checks.
    for (const files of [5, STOP_FILES, STOP_FILES + 1]) {
      leave(files);
      const { failed } = await doctor(swarm);
      assertEquals(failed, files > STOP_FILES ? [] : ["space"], `with ${files} files`);
    }
    leave(STOP_FILES);
    const { code, stdout } = await swarm.skein(["stop"]);
    assertEquals([code, JSON.parse(stdout).proven], [0, true], stdout);
    assertEquals(namesIn(swarm.state).length + 1, STOP_FILES);
  },
});

const NAMESPACES = { "pid namespaces": canUnsharePids() };

Deno.test({
  ...needing("skein doctor names a /proc of another pid namespace", NAMESPACES),
  async fn() {
    await using swarm = new Swarm();
    const through = ["unshare", "--pid", "--fork"];
    const { code, of } = await doctor(swarm, { through });
    assertEquals(code, 1);
    assertCheck(of("proc"), "failed", "another pid namespace");
  },
});

Deno.test({
  ...needing("skein doctor names a /proc that hides processes", NAMESPACES),
  async fn() {
    await using swarm = new Swarm();
    const hide = 'mount -o remount,hidepid=2 /proc && exec "$@"';
    const through = [...IN_PID_NAMESPACE, "sh", "-c", hide, "sh"];
    const { code, of, failed } = await doctor(swarm, { through });
    assertEquals([code, failed], [0, []]);
    // Only root mounts it, and root sees all: what others are told, the tests of the verdicts say.
    assertCheck(of("hidepid"), "ok", "hidepid=invisible");
  },
});

Deno.test({
  ...needing("skein doctor comes to its end where there is no /proc, and names that", {
    "mount namespaces": succeeds(...WITHOUT_PROC, "true"),
  }),
  async fn() {
    await using swarm = new Swarm();
    prepareStateDir(swarm.state);
    Deno.writeTextFileSync(`${swarm.state}/queue.db`, "");
    const { code, of, failed } = await doctor(swarm, { through: WITHOUT_PROC });
    assertEquals([code, failed], [1, ["proc", "ps"]]);
    for (const name of ["space", "locks", "process-groups", "search", "queue"]) {
      assertCheck(of(name), "unknown", "/proc/self/exe");
    }
    assertCheck(of("hard-links"), "ok");
  },
});

const LISTS = ["--allow-read", "--allow-write", "--allow-env", "--allow-sys"];

Deno.test({
  ...needing("skein doctor looks through ps and grep where its permissions are narrowed", {
    "/proc": HAS_PROC,
  }),
  async fn() {
    await using swarm = new Swarm();
    const args = ["doctor", "--state", swarm.state];
    const flags = [...LISTS, "--allow-run"];
    const { code, of, failed } = findingsIn(
      await startNarrow(flags, "main.ts", args, swarm.folder).result,
    );
    assertEquals([code, failed], [0, []]);
    assertCheck(of("proc"), "ok", "`grep`");
    for (const name of ["search", "process-groups", "locks", "ps"]) assertCheck(of(name), "ok");
  },
});

Deno.test({
  ...needing("skein doctor names the programs that its permissions keep it from", {
    "/proc": HAS_PROC,
  }),
  async fn() {
    await using swarm = new Swarm();
    const args = ["doctor", "--state", swarm.state];
    const flags = [...LISTS, `--allow-run=${Deno.execPath()}`];
    const { code, of, failed } = findingsIn(
      await startNarrow(flags, "main.ts", args, swarm.folder).result,
    );
    assertEquals([code, failed], [1, ["proc", "ps"]]);
    assertCheck(of("ps"), "failed", "`ps`", "`grep`", "`kill`");
    assertCheck(of("search"), "unknown");
    assertEquals(namesIn(swarm.folder), []);
  },
});

Deno.test("skein doctor leaves nothing behind when it is interrupted", async () => {
  await using swarm = new Swarm();
  const running = swarm.start(["doctor"]);
  await eventually("it has begun", () => namesIn(swarm.folder).length > 0);
  running.kill("SIGINT");
  const { code, stdout, stderr } = await running.result;
  assertEquals([code, stdout], [130, ""], stderr);
  assertEquals(namesIn(swarm.folder), []);
});

Deno.test("skein doctor exits with 2 for a command line that it does not understand", async () => {
  await using swarm = new Swarm();
  for (const args of [["doctor", "now"], ["doctor", "--fix"]]) {
    assertEquals((await swarm.skein(args)).code, 2, args.join(" "));
  }
});
