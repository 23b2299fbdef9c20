import { assertEquals } from "@std/assert";
import { systemClock } from "../../src/clock/mod.ts";
import { lookAtStop } from "../../src/fence/state.ts";
import { StopReader } from "../../src/fence/stop_reader.ts";
import { temporaryFolder } from "../support/cli.ts";
import { afterTick } from "./ticks.ts";

const NOTHING = { at: "nothing" };
/** A clock on which every folder is old, and no time passes. */
const later = { ...systemClock, wall: () => systemClock.wall() + 60_000, mono: () => 0 };

const STOPS: Readonly<Record<string, (folder: string) => void>> = {
  "a file": (folder) => Deno.writeTextFileSync(`${folder}/STOP`, ""),
  "a folder": (folder) => Deno.mkdirSync(`${folder}/STOP`),
  "a dangling link": (folder) => Deno.symlinkSync("nowhere", `${folder}/STOP`),
  "a link to a name that it had": (folder) => Deno.linkSync(`${folder}/ID`, `${folder}/STOP`),
  "a name that another file had": (folder) => Deno.renameSync(`${folder}/ID`, `${folder}/STOP`),
  "a stop that a reset has moved": (folder) => Deno.writeTextFileSync(`${folder}/STOP.aside`, ""),
  "a folder that was put in its place": (folder) => {
    Deno.mkdirSync(`${folder}.other`);
    Deno.writeTextFileSync(`${folder}.other/STOP`, "");
    Deno.renameSync(folder, `${folder}.old`);
    Deno.renameSync(`${folder}.other`, folder);
  },
};

for (const [what, stop] of Object.entries(STOPS)) {
  Deno.test(`StopReader sees at once what lookAtStop() sees: ${what} (G1)`, () => {
    using folder = temporaryFolder();
    const stateDir = `${folder.path}/state`;
    Deno.mkdirSync(stateDir);
    Deno.writeTextFileSync(`${stateDir}/ID`, "x");
    const reader = new StopReader(stateDir, later);
    assertEquals([reader.read(), reader.read()], [NOTHING, NOTHING]);
    afterTick(folder.path);
    stop(stateDir);
    const look = lookAtStop(stateDir);
    assertEquals([look.at, reader.read(), reader.read()], ["something", look, look]);
  });
}

Deno.test("StopReader sees a stop in a folder that changes all the time: a change within a tick leaves no trace (G1)", () => {
  using folder = temporaryFolder();
  const reader = new StopReader(folder.path, systemClock);
  for (let round = 0; round < 300; round++) {
    Deno.writeTextFileSync(`${folder.path}/other`, "");
    assertEquals(reader.read(), NOTHING);
    Deno.removeSync(`${folder.path}/other`);
    Deno.writeTextFileSync(`${folder.path}/STOP`, "");
    assertEquals(reader.read().at, "something");
    Deno.removeSync(`${folder.path}/STOP`);
  }
});

Deno.test("StopReader looks at STOP itself every 20 ms, whatever the folder's times say (G1)", () => {
  using folder = temporaryFolder();
  let now = 0;
  const reader = new StopReader(folder.path, { ...later, mono: () => now });
  assertEquals(reader.read(), NOTHING);
  // A file system that keeps no times, as far as the reader can tell.
  const { mtime, ctime } = Deno.lstatSync(folder.path);
  const lstat = Deno.lstatSync;
  Deno.lstatSync = (path) => {
    const info = lstat(path);
    return path === folder.path ? { ...info, mtime, ctime } : info;
  };
  try {
    Deno.writeTextFileSync(`${folder.path}/STOP`, "");
    now = 19;
    assertEquals(reader.read(), NOTHING);
    now = 20;
    assertEquals(reader.read().at, "something");
  } finally {
    Deno.lstatSync = lstat;
  }
});
