import { assert, assertEquals } from "@std/assert";
import { FileLock } from "../../src/disk/mod.ts";
import { buryHolders, Holder, type HolderRecord, readHolders } from "../../src/fence/mod.ts";
import { firstOutput, namesIn, startModule, withFolder } from "../disk/folder.ts";
import { CONFIG } from "../support/cli.ts";
import { ENTRANT, withState } from "./swarm.ts";

const RECORD: HolderRecord = { process: ENTRANT.process, runId: "run", epoch: 0 };

Deno.test("Holder appears complete and locked, and says which epoch it entered at", async () => {
  await withState((stateDir) => {
    const holder = Holder.create(stateDir, "one", RECORD);
    assertEquals(readHolders(stateDir), {
      live: [{ id: "one", record: RECORD }],
      dead: [],
      problems: [],
    });
    assertEquals((Deno.statSync(`${stateDir}/holders/one`).mode ?? 0) & 0o777, 0o600);
    holder.entered(12);
    assertEquals(readHolders(stateDir).live[0]?.record, { ...RECORD, epoch: 12 });
    holder.close();
    assertEquals(namesIn(`${stateDir}/holders`), []);
  });
});

Deno.test("readHolders() tells the dead from the living, and buryHolders() takes only the entries of the dead", async () => {
  await withState(async (stateDir) => {
    const holder = Holder.create(stateDir, "live", RECORD);
    const path = `${stateDir}/holders/killed`;
    const child = startModule(CONFIG, "./hold_lock.ts", [path]);
    assertEquals(await firstOutput(child), "held");
    assertEquals(readHolders(stateDir).live.map(({ id }) => id).sort(), ["killed", "live"]);
    child.kill("SIGKILL");
    await child.status;
    await child.stdin.close().catch(() => {});
    await child.stdout.cancel();
    const { live, dead } = readHolders(stateDir);
    assertEquals(live.map(({ id }) => id), ["live"]);
    assertEquals(dead, ["killed"]);
    buryHolders(stateDir, dead);
    buryHolders(stateDir, dead);
    assertEquals(namesIn(`${stateDir}/holders`), ["live"]);
    holder.close();
  });
});

Deno.test("readHolders() tells of a live holder whose record cannot be read", async () => {
  await withState((stateDir) => {
    const { process } = RECORD;
    const broken = ["", "{", "null", "[]", JSON.stringify({ ...RECORD, epoch: -1 })];
    broken.push(JSON.stringify({ ...RECORD, process: { ...process, pid: 0 } }));
    broken.push(JSON.stringify({ ...RECORD, process: { ...process, pid: "1" } }));
    for (const text of broken) {
      const path = `${stateDir}/holders/broken`;
      Deno.writeTextFileSync(path, text);
      using lock = FileLock.tryAcquire(path, "exclusive");
      assert(lock !== null);
      assertEquals(readHolders(stateDir).live, [{ id: "broken", record: null }]);
    }
  });
});

Deno.test("readHolders() finds nobody where there is no folder, and says what it cannot look at", async () => {
  await withFolder((folder) => {
    assertEquals(readHolders(folder), { live: [], dead: [], problems: [] });
    Deno.mkdirSync(`${folder}/holders/odd`, { recursive: true });
    const { live, problems } = readHolders(folder);
    assertEquals(live, []);
    assertEquals(problems.length, 1);
    assert(problems[0]?.startsWith(`${folder}/holders/odd`));
  });
});
