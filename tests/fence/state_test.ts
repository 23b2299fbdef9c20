import { assert, assertEquals, assertFalse, assertMatch, assertThrows } from "@std/assert";
import {
  currentEpoch,
  isClear,
  lookAtStop,
  prepareStateDir,
  readFence,
  readSwarmId,
} from "../../src/fence/mod.ts";
import { formatEpoch, formatStop, parseEpoch, parseStop } from "../../src/fence/record.ts";
import { readEpoch, readHighWater, STOP_ASIDE } from "../../src/fence/state.ts";
import { SkeinError } from "../../src/model/mod.ts";
import { startModule, withFolder } from "../disk/folder.ts";
import { CONFIG } from "../support/cli.ts";
import { RECORD, withState, writeStop } from "./swarm.ts";

const NOT_ROOT = Deno.uid() !== 0;

function modeOf(path: string): number {
  return (Deno.lstatSync(path).mode ?? 0) & 0o777;
}

Deno.test("parseEpoch() takes digits and at most one newline, from 1 to 2^53-1 (G2)", () => {
  for (const [text, epoch] of [["1", 1], ["1\n", 1], ["42\n", 42], ["007", 7]] as const) {
    assertEquals(parseEpoch(text), { ok: true, epoch });
  }
  const most = Number.MAX_SAFE_INTEGER;
  assertEquals(parseEpoch(formatEpoch(most)), { ok: true, epoch: most });
});

Deno.test("parseEpoch() refuses everything else (G2)", () => {
  const broken = [
    "",
    "\n",
    "0",
    "0\n",
    "00",
    "abc",
    "9007199254740992",
    "1\n\n",
    "1\r\n",
    " 1",
    "1 ",
  ];
  broken.push("+1", "-1", "1e3", "0x10", "1.0", "1,000", "١", "NaN", "Infinity", "1\n2", "\ufeff1");
  broken.push("9".repeat(32), "1".repeat(100_000), "0".repeat(40) + "1", "1\0");
  for (const text of broken) {
    const seen = parseEpoch(text);
    assert(!seen.ok, JSON.stringify(text.slice(0, 40)));
    assert(seen.problem.length < 120, "the problem quotes too much");
  }
});

Deno.test("readEpoch() reads a missing EPOCH as 1 in a folder without ID, and as corrupt beside one (G2)", async () => {
  await withFolder((folder) => assertEquals(readEpoch(folder), { ok: true, epoch: 1 }));
  await withState((stateDir) => {
    assertEquals(readEpoch(stateDir), { ok: true, epoch: 1 });
    Deno.removeSync(`${stateDir}/EPOCH`);
    assertEquals(readEpoch(stateDir), { ok: false, problem: "EPOCH is missing" });
    Deno.mkdirSync(`${stateDir}/EPOCH`);
    assertFalse(readEpoch(stateDir).ok);
  });
});

Deno.test("readHighWater() is 0 without a copy, and nothing for a copy that holds no epoch (G2)", async () => {
  await withState((stateDir) => {
    assertEquals(readHighWater(stateDir), 0);
    Deno.writeTextFileSync(`${stateDir}/EPOCH.high`, "torn");
    assertEquals(readHighWater(stateDir), null);
    assertFalse(readEpoch(stateDir).ok);
    Deno.writeTextFileSync(`${stateDir}/EPOCH.high`, "6\n");
    assertEquals(readHighWater(stateDir), 6);
  });
});

Deno.test("parseStop() reads back what formatStop() wrote, and nothing that is no record", () => {
  assertEquals(parseStop(formatStop(RECORD)), RECORD);
  assertEquals(parseStop(formatStop({ ...RECORD, epoch: 0 })), { ...RECORD, epoch: 0 });
  const broken: unknown[] = [null, [], 1, "", {}, { ...RECORD, version: 2 }, {
    ...RECORD,
    epoch: -1,
  }];
  broken.push({ ...RECORD, epoch: 1.5 }, { ...RECORD, by: null }, { ...RECORD, reason: 1 });
  broken.push({ ...RECORD, by: { ...RECORD.by, pid: "7" } }, { ...RECORD, epoch: 2 ** 53 });
  for (const value of broken) assertEquals(parseStop(JSON.stringify(value)), null);
  assertEquals(parseStop("{"), null);
});

/** What somebody may have put at STOP, and what a look says of it. */
const AT_STOP: Record<string, [put: (path: string) => void, problem: RegExp | null]> = {
  "a record": [(path) => Deno.writeTextFileSync(path, formatStop(RECORD)), null],
  "an empty file": [(path) => Deno.writeTextFileSync(path, ""), null],
  "a malformed file": [(path) => Deno.writeTextFileSync(path, "{"), /holds no stop record/],
  "a folder": [(path) => Deno.mkdirSync(path), /not a file/],
  "a folder with content": [
    (path) => Deno.mkdirSync(`${path}/in`, { recursive: true }),
    /not a file/,
  ],
  "a dangling link": [(path) => Deno.symlinkSync("nowhere", path), /not a file/],
  "a link to a record": [(path) => {
    Deno.writeTextFileSync(`${path}.target`, formatStop(RECORD));
    Deno.symlinkSync(`${path}.target`, path);
  }, /not a file/],
  "a link to itself": [(path) => Deno.symlinkSync(path, path), /not a file/],
};

for (const [what, [put, problem]] of Object.entries(AT_STOP)) {
  Deno.test(`lookAtStop() sees a stop in ${what}, at STOP and set aside (G1)`, async () => {
    for (const name of ["STOP", STOP_ASIDE]) {
      await withState((stateDir) => {
        assertEquals(lookAtStop(stateDir), { at: "nothing" });
        assert(isClear(stateDir));
        put(`${stateDir}/${name}`);
        const look = lookAtStop(stateDir);
        assert(look.at === "something");
        assert(!isClear(stateDir));
        if (problem === null) assertEquals(look.problem, null);
        else assertMatch(look.problem ?? "", problem);
        assertEquals(look.record, what === "a record" ? RECORD : null);
      });
    }
  });
}

Deno.test({
  name:
    "lookAtStop() sees a stop in a file that cannot be read (G1) [needs a user other than root]",
  ignore: !NOT_ROOT,
  fn: async () => {
    await withState((stateDir) => {
      writeStop(stateDir);
      Deno.chmodSync(`${stateDir}/STOP`, 0o000);
      const look = lookAtStop(stateDir);
      assert(look.at === "something" && look.problem !== null);
      assert(!isClear(stateDir));
    });
  },
});

Deno.test("lookAtStop() sees a stop where the answer is an error (G1)", async () => {
  await withFolder((folder) => {
    Deno.writeTextFileSync(`${folder}/file`, "");
    const look = lookAtStop(`${folder}/file`);
    assert(look.at === "something" && look.problem !== null);
    assert(!isClear(`${folder}/file`));
  });
});

Deno.test("lookAtStop() tells a STOP from one that replaced it, and knows one that was set aside", async () => {
  await withState((stateDir) => {
    writeStop(stateDir);
    const first = lookAtStop(stateDir);
    Deno.renameSync(`${stateDir}/STOP`, `${stateDir}/${STOP_ASIDE}`);
    assertEquals(lookAtStop(stateDir), first);
    writeStop(stateDir);
    const second = lookAtStop(stateDir);
    assert(first.at === "something" && second.at === "something");
    assert(first.identity !== second.identity);
  });
});

Deno.test("prepareStateDir() makes folders with mode 0700 and files with mode 0600, and keeps what is there", async () => {
  await withFolder((folder) => {
    const stateDir = `${folder}/a/state`;
    const id = prepareStateDir(stateDir);
    assertMatch(id, /^[0-9a-z]{26}$/);
    for (const name of ["", "/holders", "/runs"]) assertEquals(modeOf(stateDir + name), 0o700);
    for (const name of ["ID", "EPOCH", "STOP.spare"]) {
      assertEquals(modeOf(`${stateDir}/${name}`), 0o600);
    }
    Deno.writeTextFileSync(`${stateDir}/EPOCH`, "5\n");
    assertEquals(prepareStateDir(stateDir), id);
    assertEquals(readEpoch(stateDir), { ok: true, epoch: 5 });
  });
});

Deno.test("prepareStateDir() never makes EPOCH again beside an ID (G2)", async () => {
  await withState((stateDir) => {
    Deno.removeSync(`${stateDir}/EPOCH`);
    prepareStateDir(stateDir);
    assertFalse(readEpoch(stateDir).ok);
  });
});

Deno.test("prepareStateDir() yields one ID when several processes make it at the same time", async () => {
  await withFolder(async (folder) => {
    for (let round = 0; round < 3; round++) {
      const stateDir = `${folder}/state-${round}`;
      const children = Array.from(
        { length: 4 },
        () => startModule(CONFIG, "../fence/prepare_state.ts", [stateDir]),
      );
      const ids = await Promise.all(children.map(async (child) => {
        await child.stdin.close();
        return new TextDecoder().decode((await child.output()).stdout);
      }));
      assertMatch(ids[0] ?? "", /^[0-9a-z]{26}$/);
      assertEquals(new Set(ids).size, 1);
      assertEquals(readSwarmId(stateDir), ids[0] ?? "");
    }
  });
});

Deno.test("prepareStateDir() says which path cannot be used", async () => {
  await withFolder((folder) => {
    Deno.writeTextFileSync(`${folder}/file`, "");
    const error = assertThrows(() => prepareStateDir(`${folder}/file`), SkeinError);
    assertEquals(error.code, "state-unusable");
    assert(error.where?.startsWith(`${folder}/file`));
  });
});

Deno.test("readSwarmId() is null without ID, and refuses a corrupt one", async () => {
  await withFolder((folder) => {
    assertEquals(readSwarmId(folder), null);
    for (const text of ["", "short", "A".repeat(26), `${"a".repeat(26)}\n\n`, "a".repeat(27)]) {
      Deno.writeTextFileSync(`${folder}/ID`, text);
      assertEquals(assertThrows(() => readSwarmId(folder), SkeinError).code, "state-corrupt");
    }
  });
});

Deno.test("prepareStateDir() makes no new ID where there are runs or holders (G4)", async () => {
  for (const name of ["runs/20260101t000000000z-00000000", "holders/x"]) {
    await withState((stateDir) => {
      Deno.mkdirSync(`${stateDir}/${name}`, { recursive: true });
      Deno.removeSync(`${stateDir}/ID`);
      const error = assertThrows(() => prepareStateDir(stateDir), SkeinError);
      assertEquals(error.code, "state-corrupt");
      assertEquals(readSwarmId(stateDir), null);
    });
  }
});

Deno.test("readEpoch() refuses an EPOCH below its high-water copy, and readFence() says so (G2)", async () => {
  await withState((stateDir) => {
    Deno.writeTextFileSync(`${stateDir}/EPOCH.high`, "4\n");
    assertFalse(readEpoch(stateDir).ok);
    const { problem, epoch } = readFence(stateDir);
    assertEquals([problem, epoch], ["EPOCH is 1, but 4 was used before", 0]);
  });
});

Deno.test("currentEpoch() takes nothing from an old copy of a stop's record (G2)", async () => {
  await withState((stateDir) => {
    Deno.writeTextFileSync(`${stateDir}/EPOCH`, "3\n");
    Deno.writeTextFileSync(`${stateDir}/STOP`, formatStop({ ...RECORD, epoch: 2 }));
    assertEquals(currentEpoch(stateDir), 3);
  });
});

Deno.test("readEpoch() is not kept waiting by a pipe", async () => {
  await withState(async (stateDir) => {
    Deno.removeSync(`${stateDir}/EPOCH`);
    await new Deno.Command("mkfifo", { args: [`${stateDir}/EPOCH`] }).output();
    assertFalse(readEpoch(stateDir).ok);
  });
});
