import { assert, assertEquals } from "@std/assert";
import type { Check, CheckStatus } from "../../src/cli/doctor_check.ts";
import { examine } from "../../src/cli/doctor_examination.ts";
import { openQueue } from "../../src/cli/queue.ts";
import { type Clock, systemClock } from "../../src/clock/mod.ts";
import { prepareStateDir } from "../../src/fence/mod.ts";
import { temporaryFolder } from "../support/cli.ts";
import { HAS_PROC } from "../support/processes.ts";
import { needing } from "../support/capability.ts";
import { namesIn } from "../support/swarm.ts";
import { assertCheck } from "./checks.ts";

const NAMES = [
  "deno",
  "system",
  "folder",
  "mount",
  "space",
  "hard-links",
  "folder-sync",
  "locks",
  "process-groups",
  "proc",
  "hidepid",
  "search",
  "ps",
  "clock",
];
/** What this machine must do for the other tests too. */
const PROVEN = ["hard-links", "folder-sync", "locks", "process-groups", "proc", "search"];

function named(checks: readonly Check[], name: string): Check {
  const check = checks.find((each) => each.check === name);
  assert(check !== undefined, `${name} is not among ${checks.map((each) => each.check)}`);
  return check;
}

Deno.test({
  ...needing("examine() tries everything without a state directory, and leaves nothing behind", {
    "/proc": HAS_PROC,
  }),
  async fn() {
    using folder = temporaryFolder();
    const checks = await examine(`${folder.path}/deep/er/.skein`);
    assertEquals(checks.map(({ check }) => check), [...NAMES, "state"]);
    for (const name of PROVEN) assertCheck(named(checks, name), "ok");
    assertCheck(named(checks, "folder"), "ok", `${folder.path}/deep/er/.skein`);
    assertEquals(namesIn(folder.path), []);
  },
});

Deno.test({
  ...needing("examine() tries everything in a state directory, and leaves it as it was", {
    "/proc": HAS_PROC,
  }),
  async fn() {
    using folder = temporaryFolder();
    prepareStateDir(folder.path);
    await (await openQueue(folder.path)).close();
    const before = namesIn(folder.path).sort();
    const checks = await examine(folder.path);
    const own = ["id", "stop", "epoch", "holders", "queue"];
    assertEquals(checks.map(({ check }) => check), [...NAMES, ...own]);
    for (const name of [...PROVEN, ...own, "folder"]) assertCheck(named(checks, name), "ok");
    assertCheck(named(checks, "queue"), "ok", "The database is whole");
    assertEquals(namesIn(folder.path).sort(), before);
    assertEquals(namesIn(`${folder.path}/holders`), []);
  },
});

/** The machine's clock, which somebody sets by so many milliseconds before its third look. */
function setBy(ms: number): Clock {
  let looks = 0;
  return { ...systemClock, wall: () => systemClock.wall() + (looks++ < 2 ? 0 : ms) };
}

const BROKEN: readonly (readonly [string, Clock, CheckStatus, string])[] = [
  ["back by an hour", setBy(-3_600_000), "failed", "set back by 1 h"],
  ["forward by a little", setBy(400), "warning", "set forward by"],
];

for (const [what, clock, status, part] of BROKEN) {
  Deno.test(`examine() names a clock that is set ${what}`, async () => {
    using folder = temporaryFolder();
    const check = named(await examine(folder.path, { clock }), "clock");
    assertCheck(check, status, part);
  });
}

Deno.test("examine() names files of a state directory that are of the future", async () => {
  using folder = temporaryFolder();
  prepareStateDir(folder.path);
  const later = new Date(Date.now() + 86_400_000);
  Deno.utimeSync(`${folder.path}/EPOCH`, later, later);
  const check = named(await examine(folder.path), "clock");
  assertCheck(check, "warning", `${folder.path}/EPOCH`, "in the future");
});

Deno.test("examine() ends before the next check once it is told to, and leaves nothing behind", async () => {
  using folder = temporaryFolder();
  const checks = await examine(`${folder.path}/.skein`, { signal: AbortSignal.abort() });
  assertEquals(checks.map(({ check }) => check), ["deno"]);
  assertEquals(namesIn(folder.path), []);
});
