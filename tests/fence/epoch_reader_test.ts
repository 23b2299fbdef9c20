import { assertEquals } from "@std/assert";
import { systemClock } from "../../src/clock/mod.ts";
import { EpochReader } from "../../src/fence/epoch_reader.ts";
import { readEpoch } from "../../src/fence/state.ts";
import { temporaryFolder } from "../support/cli.ts";
import { afterTick } from "./ticks.ts";

/** A clock on which every file is old. */
const later = { ...systemClock, wall: () => systemClock.wall() + 60_000 };

const CHANGES: Readonly<Record<string, (folder: string) => void>> = {
  "EPOCH raised in place": (folder) => Deno.writeTextFileSync(`${folder}/EPOCH`, "4\n"),
  "EPOCH replaced by another file of the same text": (folder) => {
    Deno.writeTextFileSync(`${folder}/new`, "3\n");
    Deno.renameSync(`${folder}/new`, `${folder}/EPOCH`);
  },
  "EPOCH lowered": (folder) => Deno.writeTextFileSync(`${folder}/EPOCH`, "2\n"),
  "EPOCH corrupt": (folder) => Deno.writeTextFileSync(`${folder}/EPOCH`, "3 \n"),
  "EPOCH removed": (folder) => Deno.removeSync(`${folder}/EPOCH`),
  "EPOCH a folder": (folder) => {
    Deno.removeSync(`${folder}/EPOCH`);
    Deno.mkdirSync(`${folder}/EPOCH`);
  },
  "EPOCH a link to itself": (folder) => {
    Deno.removeSync(`${folder}/EPOCH`);
    Deno.symlinkSync("EPOCH", `${folder}/EPOCH`);
  },
  "EPOCH.high raised": (folder) => Deno.writeTextFileSync(`${folder}/EPOCH.high`, "9\n"),
  "EPOCH.high corrupt": (folder) => Deno.writeTextFileSync(`${folder}/EPOCH.high`, "x"),
  "EPOCH.high removed": (folder) => Deno.removeSync(`${folder}/EPOCH.high`),
};

for (const [what, change] of Object.entries(CHANGES)) {
  Deno.test(`EpochReader tells what readEpoch() tells: ${what} (G2)`, () => {
    using folder = temporaryFolder();
    for (const [name, text] of [["ID", `${"a".repeat(26)}\n`], ["EPOCH", "3\n"]]) {
      Deno.writeTextFileSync(`${folder.path}/${name}`, text ?? "");
    }
    Deno.writeTextFileSync(`${folder.path}/EPOCH.high`, "3\n");
    const reader = new EpochReader(folder.path, later);
    assertEquals([reader.read(), reader.read()], Array(2).fill({ ok: true, epoch: 3 }));
    afterTick(folder.path);
    change(folder.path);
    assertEquals([reader.read(), reader.read()], Array(2).fill(readEpoch(folder.path)));
  });
}

Deno.test("EpochReader reads again what was changed a moment ago: a change within a tick leaves no trace (G2)", () => {
  using folder = temporaryFolder();
  const path = `${folder.path}/EPOCH`;
  const reader = new EpochReader(folder.path, systemClock);
  for (let epoch = 1; epoch <= 300; epoch++) {
    Deno.writeTextFileSync(path, `${100 + epoch}\n`);
    assertEquals(reader.read(), { ok: true, epoch: 100 + epoch });
  }
});
